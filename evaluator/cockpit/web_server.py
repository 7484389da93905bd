"""The page and its socket: on loopback only, protected by a token and an origin check."""

import hmac
from contextlib import suppress
from importlib.resources import files
from pathlib import PurePosixPath

import orjson
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from evaluator.cockpit.bus_socket import show_bus
from evaluator.cockpit.stored_runs import StoredRuns
from evaluator.cockpit.viewers import Tab, Viewers
from vehicle_bus.background_tasks import background

HOSTS = ("127.0.0.1", "localhost")
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
PAGE = files("evaluator.cockpit") / "page"
LONGEST = 4096  # characters a page may send at once
NOT_ALLOWED = 4403
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ws:; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def shipped(name: str) -> Response:
    """A file of the page, or 404 for a name that it does not have."""
    path = PurePosixPath(name)
    kind = KINDS.get(path.suffix)
    outside = path.is_absolute() or ".." in path.parts
    if kind is None or outside or not (file := PAGE.joinpath(name)).is_file():
        return PlainTextResponse("no such file\n", 404, HEADERS)
    return Response(file.read_text(encoding="utf-8"), media_type=kind, headers=HEADERS)


def web_app(viewers: Viewers, runs: StoredRuns, token: str, port: int) -> Starlette:
    """The application behind the page, its viewers and the stored runs."""
    origins = {f"http://{host}:{port}" for host in HOSTS}

    def has_token(request: HTTPConnection) -> bool:
        given = request.query_params.get("token", "")
        return hmac.compare_digest(given.encode(), token.encode())

    def page(request: Request) -> Response:
        if not has_token(request):
            text = "open the address that `codriver serve` printed, with its token\n"
            return PlainTextResponse(text, 403, HEADERS)
        return shipped("index.html")

    async def admitted(socket: WebSocket) -> bool:
        if socket.headers.get("origin", next(iter(origins))) not in origins:
            await socket.close(NOT_ALLOWED, "wrong origin")
        elif not has_token(socket):
            await socket.close(NOT_ALLOWED, "wrong token")
        else:
            await socket.accept()
            return True
        return False

    async def feed(socket: WebSocket) -> None:
        if await admitted(socket):
            await _attend(viewers, socket)

    async def bus(socket: WebSocket) -> None:
        if await admitted(socket):
            await show_bus(viewers.bus, socket)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/page/{name:path}", lambda request: shipped(request.path_params["name"])),
            *runs.routes(has_token),
            Route("/healthz", lambda _: PlainTextResponse("ok\n")),
            WebSocketRoute("/feed", feed),
            WebSocketRoute("/bus", bus),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(HOSTS))],
    )


async def _attend(viewers: Viewers, socket: WebSocket) -> None:
    """Serve a tab until it is closed."""
    with viewers.tab() as tab, suppress(WebSocketDisconnect):
        async with background(_send(viewers, tab, socket), "tab"):
            while True:
                text = await socket.receive_text()
                if len(text) <= LONGEST:
                    viewers.receive(tab, _read(text))


async def _send(viewers: Viewers, tab: Tab, socket: WebSocket) -> None:
    message = viewers.greeting(tab)
    while True:
        await socket.send_text(orjson.dumps(message).decode())
        message = await viewers.message_for(tab)


def _read(text: str) -> dict[str, object]:
    try:
        message = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return message if isinstance(message, dict) else {}
