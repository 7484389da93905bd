"""Who may open the page: whoever knows its token, under a name of this machine."""

import hmac
import socket
from contextlib import closing
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost")


@dataclass(frozen=True)
class Access:
    """The token of the page, and the address it listens at."""

    token: str
    host: str = LOOPBACK[0]

    def has_token(self, request: HTTPConnection) -> bool:
        given = request.query_params.get("token", "")
        return hmac.compare_digest(given.encode(), self.token.encode())

    def knows(self, host: str | None) -> bool:
        """Whether a Host header names this machine.

        Beyond loopback any number does: only a name can be made to lead here by somebody else.
        """
        name = _name_in(host or "")
        if name in LOOPBACK:
            return True
        if self.host in LOOPBACK:
            return False
        return _is_number(name) or name in (self.host.lower(), socket.gethostname().lower())

    def is_own_page(self, request: HTTPConnection) -> bool:
        """Whether a socket was opened by the page itself, or by a program that is no browser."""
        origin = request.headers.get("origin")
        return origin is None or origin == f"http://{request.headers.get('host')}"


class KnownHosts:
    """Refuses requests to other names, such as those that somebody made lead to this machine."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._access.knows(HTTPConnection(scope).headers.get("host")):
            await self._app(scope, receive, send)
        else:
            await PlainTextResponse("wrong host\n", 400)(scope, receive, send)


def reachable_name(host: str) -> str:
    """What to put into an address for a page that listens at `host`."""
    if host not in ("0.0.0.0", "::"):
        return f"[{host}]" if ":" in host else host
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as asking:
        try:
            asking.connect(("192.0.2.1", 9))  # sends nothing; finds the interface that leads out
        except OSError:
            return LOOPBACK[0]
        return str(asking.getsockname()[0])


def _name_in(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
