"""Where a model is and with which key: from the environment or a `.env` file, from nowhere else.

A key is never written anywhere: it does not show in `repr`, and what comes back from a server is
searched for it before anybody else sees it.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from assistant_gateway.models.permits import NO_LIMITS, Permits

NO_KEY = "no-key"  # sent to a server of your own when no key is set
HIDDEN = "[key]"
SHORTEST_SECRET = 7  # what is shorter is a placeholder, and may well be part of a word


class NoAccess(Exception):
    """No key is known, or it is where others would see it; the text says where to put one."""


@dataclass(frozen=True, slots=True)
class Access:
    """One model API; without a base URL the client's default. Each request takes a permit."""

    base_url: str | None
    key: str = field(repr=False)
    permits: Permits = field(default=NO_LIMITS, repr=False, compare=False)

    def hide(self, text: str) -> str:
        """The text without the key."""
        return text.replace(self.key, HIDDEN) if len(self.key) >= SHORTEST_SECRET else text

    @property
    def place(self) -> str:
        """Its address as shown in manifests and messages."""
        return self.base_url or "default"


def access(role: str, base_url: str | None, environment: Mapping[str, str]) -> Access:
    """How a role (`agent`, `user`, `judge`) reaches its model; raises `NoAccess`.

    `CODRIVER_USER_API_KEY` wins over `OPENAI_API_KEY`, a base URL that is given over
    `OPENAI_BASE_URL`. A server of your own may do without a key.
    """
    own = f"CODRIVER_{role.upper()}_API_KEY"
    option = "--base-url" if role == "agent" else f"--{role}-base-url"
    base_url = base_url or environment.get("OPENAI_BASE_URL") or None
    if base_url is not None:
        what = f"the base URL of --{role}"
        _nothing_secret(base_url, what, own)
        if not _is_address(base_url, "http", "https", "ws", "wss"):
            raise NoAccess(f"{what} is http://HOST:PORT/v1 or https://…, not {base_url!r}")
    key = environment.get(own) or environment.get("OPENAI_API_KEY")
    if not key and base_url is None:
        raise NoAccess(
            f"no key for the model of --{role}; set OPENAI_API_KEY or {own}, or put it into .env; "
            f"for a server of your own name it with {option} or OPENAI_BASE_URL"
        )
    return Access(base_url, key or NO_KEY)


def agent_access(url: str, environment: Mapping[str, str]) -> Access:
    """How an agent with an address of its own is reached; raises `NoAccess`.

    Only its own key is sent, never `OPENAI_API_KEY`.
    """
    own = "CODRIVER_AGENT_API_KEY"
    _nothing_secret(url, "the address of --agent", own)
    if not _is_address(url, "http", "https"):
        raise NoAccess(f"the address of --agent is http://HOST:PORT or https://…, not {url!r}")
    return Access(url, environment.get(own) or NO_KEY)


def _is_address(url: str, *schemes: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def may_hold_secret(url: str) -> bool:
    """Whether an address has a password or a query."""
    return "@" in urlsplit(url).netloc or bool(urlsplit(url).query)


def _nothing_secret(url: str, what: str, better: str) -> None:
    if may_hold_secret(url):
        raise NoAccess(
            f"{what} carries a password or a query, and addresses are logged; "
            f"name host and path alone, and put the key into {better}"
        )


def environment(file: Path = Path(".env")) -> dict[str, str]:
    """The environment on top of what a `.env` file says."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        lines = []
    return dict(filter(None, map(_assignment, lines))) | dict(os.environ)


def _assignment(line: str) -> tuple[str, str] | None:
    """`NAME=value`, perhaps quoted, perhaps after `export`; None for everything else."""
    name, given, value = line.strip().removeprefix("export ").partition("=")
    name, value = name.strip(), value.strip()
    if not given or not name.isidentifier():
        return None
    if value[:1] in ("'", '"'):
        quoted, _, _ = value[1:].partition(value[0])
        return name, quoted
    return name, value.partition(" #")[0].strip()
