"""The page and its socket, for those who may open it."""

import asyncio
from contextlib import suppress

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from evaluator.cockpit.access import Access, KnownHosts
from evaluator.cockpit.bus_socket import show_bus
from evaluator.cockpit.cockpit import Cockpit
from evaluator.cockpit.messages import Choice, decoded
from evaluator.cockpit.microphone.microphone_socket import listen
from evaluator.cockpit.page_files import file_routes, page_file, plain_text
from evaluator.cockpit.seat_socket import attend
from evaluator.cockpit.sound_socket import play_sound
from evaluator.cockpit.spectator import Trouble
from evaluator.cockpit.stored_runs import StoredRuns
from evaluator.cockpit.viewers import Tab
from vehicle_bus.background_tasks import background
from vehicle_bus.validation_problem import first_problem

LONGEST = 4096  # characters a page may send at once
NOT_ALLOWED = 4403
EVERY_S = 0.02  # what happens meanwhile goes out together: many pages must not delay the bench


def web_app(cockpit: Cockpit, runs: StoredRuns, access: Access) -> Starlette:
    """The application behind the page, its viewers and the stored runs."""

    def page(request: Request) -> Response:
        if not access.has_token(request):
            return plain_text(403, "open the address that `codriver serve` printed, with its token")
        return page_file("index.html")

    async def feed(socket: WebSocket) -> None:
        if await admitted(access, socket):
            await _attend(cockpit, socket)

    async def bus(socket: WebSocket) -> None:
        if await admitted(access, socket):
            await show_bus(cockpit.bus, socket)

    async def wizard(socket: WebSocket) -> None:
        if await admitted(access, socket):
            await attend(cockpit.wizard, socket)

    async def sound(socket: WebSocket) -> None:
        if await admitted(access, socket):
            await play_sound(cockpit.sound, socket)

    async def microphone(socket: WebSocket) -> None:
        if await admitted(access, socket):
            await listen(cockpit, socket)

    return Starlette(
        routes=[
            Route("/", page),
            *file_routes(),
            *runs.routes(access.has_token),
            Route("/healthz", lambda _: PlainTextResponse("ok\n")),
            WebSocketRoute("/feed", feed),
            WebSocketRoute("/bus", bus),
            WebSocketRoute("/wizard", wizard),
            WebSocketRoute("/sound", sound),
            WebSocketRoute("/microphone", microphone),
        ],
        middleware=[Middleware(KnownHosts, access=access)],
    )


async def admitted(access: Access, socket: WebSocket) -> bool:
    """Accept a socket of the page that has its token, and close any other."""
    if not access.is_own_page(socket):
        await socket.close(NOT_ALLOWED, "wrong origin")
    elif not access.has_token(socket):
        await socket.close(NOT_ALLOWED, "wrong token")
    else:
        await socket.accept()
        return True
    return False


async def _attend(cockpit: Cockpit, socket: WebSocket) -> None:
    """Serve a tab until it is closed."""
    with cockpit.viewers.tab() as tab, suppress(WebSocketDisconnect):
        async with background(_send(cockpit, tab, socket), "tab"):
            await _apply_address(cockpit, tab, socket)
            while True:
                await _receive(cockpit, tab, await socket.receive_text())


async def _send(cockpit: Cockpit, tab: Tab, socket: WebSocket) -> None:
    while True:
        await socket.send_text(await cockpit.viewers.frame_for(tab))
        await asyncio.sleep(EVERY_S)


async def _receive(cockpit: Cockpit, tab: Tab, text: str) -> None:
    """Carry out what a page sent; what cannot be read is dropped."""
    with suppress(ValidationError):
        if len(text) <= LONGEST:
            await cockpit.receive(tab, decoded(text))


async def _apply_address(cockpit: Cockpit, tab: Tab, socket: WebSocket) -> None:
    """Choose what the query of the page's address asks for."""
    try:
        settings = Choice.model_validate(dict(socket.query_params))
    except ValidationError as error:
        tab.tell(
            Trouble(f"The address of the page has a wrong setting: {first_problem(error)}").fields()
        )
    else:
        await cockpit.apply_address(tab, settings)
