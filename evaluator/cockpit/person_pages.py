"""Pages for the persons who take part in a run: one address for each seat."""

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from assistant_gateway.net.web import listening, serving
from evaluator.cockpit.access import LOOPBACK, Access, KnownHosts
from evaluator.cockpit.page_files import file_routes, page_file, plain_text
from evaluator.cockpit.seat_socket import AnySeat, attend
from evaluator.cockpit.web_server import admitted


def person_app(seats: Sequence[tuple[Access, AnySeat]]) -> Starlette:
    """The application behind the pages; the token of a page says whose seat it is."""

    def found(request: HTTPConnection) -> tuple[Access, AnySeat] | None:
        return next((each for each in seats if each[0].has_token(request)), None)

    def page(request: Request) -> Response:
        if found(request) is None:
            return plain_text(403, "open the address that `codriver run` printed, with its token")
        return page_file("person.html")

    async def seat(socket: WebSocket) -> None:
        access, taken = found(socket) or seats[0]
        if await admitted(access, socket):
            await attend(taken, socket)

    return Starlette(
        routes=[
            Route("/", page),
            *file_routes(),
            WebSocketRoute("/wizard", seat),
        ],
        middleware=[Middleware(KnownHosts, access=seats[0][0])],
    )


@asynccontextmanager
async def person_pages(seats: Sequence[AnySeat], port: int) -> AsyncIterator[list[str]]:
    """The address of each seat; entered means that they can be opened. Raises `PortTaken`."""
    with listening(LOOPBACK[0], port) as at:
        tokens = [(Access(secrets.token_urlsafe(12)), seat) for seat in seats]
        base = f"http://{LOOPBACK[0]}:{at.getsockname()[1]}/"
        async with serving(person_app(tokens), at, "page of a person"):
            yield [f"{base}?token={access.token}" for access, _ in tokens]
