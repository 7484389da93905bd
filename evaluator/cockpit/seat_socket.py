"""The socket of a person's seat: shows what happens, and hands on what the person does."""

from contextlib import suppress
from typing import Annotated, Any, Literal

import orjson
from pydantic import Field, TypeAdapter, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.wizard import WizardMessage
from assistant_gateway.timing.timeline import MS, wall_ns
from evaluator.cockpit.messages import PageMessage
from evaluator.live import Feed
from evaluator.live.update import Update
from evaluator.person.driver_seat import DriverSeat
from evaluator.person.seat import NotAccepted
from evaluator.person.updates import DriverSaid
from evaluator.person.wizard_seat import WizardSeat
from vehicle_bus.background_tasks import background
from vehicle_bus.validation_problem import first_problem

AnySeat = WizardSeat | DriverSeat
LONGEST = 32 << 10  # characters that a page may send at once
Text = Annotated[str, Field(max_length=8000)]


class CallTool(PageMessage):
    """A tool as its form was filled in."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class SendWords(PageMessage):
    """What the assistant says and calls; see `WizardMessage`."""

    kind: Literal["send"]
    text: Text = ""
    calls: tuple[CallTool, ...] = ()
    keeps_turn: bool = False

    @property
    def message(self) -> WizardMessage:
        calls = tuple(Call(call.name, call.arguments) for call in self.calls)
        return WizardMessage(" ".join(self.text.split()), calls, self.keeps_turn)


class DecideWord(PageMessage):
    """What the driver says, or the word that ends the conversation."""

    kind: Literal["decide"]
    word: str
    say: Text = ""
    reason: Text = ""


DECODER: TypeAdapter[SendWords | DecideWord] = TypeAdapter(
    Annotated[SendWords | DecideWord, Field(discriminator="kind")]
)


async def attend(seat: AnySeat, socket: WebSocket) -> None:
    """Serve one page of a seat until it is closed."""
    with seat.feed() as feed, suppress(WebSocketDisconnect):
        await _tell(socket, {"kind": "hello", "seat": seat.name})
        async with background(_send(feed, socket), "seat"):
            while True:
                trouble = received(seat, await socket.receive_text())
                if trouble:
                    await _tell(socket, {"kind": "trouble", "text": trouble})


def received(seat: AnySeat, text: str) -> str:
    """Hand on what a page sent; returns why it was not taken, if it was not."""
    if len(text) > LONGEST:
        return f"not sent: longer than {LONGEST} characters"
    try:
        match seat, DECODER.validate_json(text):
            case WizardSeat(), SendWords() as sent:
                seat.send(sent.message)
            case DriverSeat(), DecideWord() as decided:
                seat.decide(decided.word, decided.say, decided.reason)
            case _:
                return "not sent: that is for the other seat"
    except ValidationError as error:
        return f"not sent: {first_problem(error)}"
    except NotAccepted as refused:
        return str(refused)
    return ""


async def _send(feed: Feed[Update], socket: WebSocket) -> None:
    async for update in feed:
        message = update.fields()
        if isinstance(update, DriverSaid):
            message["since_ms"] = (wall_ns() - update.mono_ns) / MS
        await _tell(socket, message)


async def _tell(socket: WebSocket, message: dict[str, Any]) -> None:
    await socket.send_text(orjson.dumps(message).decode())
