"""The socket of a page that shows the bus: batches of messages out, filters in."""

import asyncio
from contextlib import suppress

from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from evaluator.cockpit.bus_log import BusLog, BusPage
from evaluator.cockpit.messages import PageMessage
from vehicle_bus.background_tasks import background

EVERY_S = 0.1
LONGEST = 1000  # characters


class BusFilter(PageMessage):
    """What topic or payload of the messages have to contain, word by word."""

    filter: str


async def show_bus(log: BusLog, socket: WebSocket) -> None:
    """Send an accepted socket what is on the bus until it is closed."""
    with log.page() as page, suppress(WebSocketDisconnect):
        async with background(_send(page, socket), "bus page"):
            while True:
                text = await socket.receive_text()
                with suppress(ValidationError):
                    page.filter(BusFilter.model_validate_json(text[:LONGEST]).filter)


async def _send(page: BusPage, socket: WebSocket) -> None:
    while True:
        await socket.send_json(await page.batch())
        await asyncio.sleep(EVERY_S)
