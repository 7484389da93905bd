"""Options that may hold a secret: they are neither printed nor stored."""

from typing import Any

HIDDEN = "***"
SECRET = ("token", "agent_token", "header")


def may_be_secret(name: str, value: Any) -> bool:
    """A token, a header, or an address that may have a password in it, perhaps one of several."""
    many = value if isinstance(value, list | tuple) else (value,)
    return name.removeprefix("--").replace("-", "_") in SECRET or any(
        isinstance(each, str) and "://" in each and "@" in each for each in many
    )
