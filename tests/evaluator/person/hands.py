"""Persons at their seats, for tests: each does the next thing whenever it is asked."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.wizard import WizardMessage
from evaluator.live.update import Update
from evaluator.person.driver_seat import DriverSeat
from evaluator.person.seat import Seat
from evaluator.person.updates import Asked
from evaluator.person.wizard_seat import WizardSeat
from vehicle_bus.background_tasks import background

Seen = list[Update]


@asynccontextmanager
async def hands(seat: Seat[Any], deeds: Iterable[Callable[[], None]]) -> AsyncIterator[Seen]:
    """Somebody at a seat; everything that was shown so far."""
    seen: Seen = []
    waiting = iter(deeds)

    async def play() -> None:
        with seat.feed() as feed:
            async for update in feed:
                seen.append(update)
                if isinstance(update, Asked) and seat.asked:
                    next(waiting)()

    async with background(play(), "hands"):
        yield seen


def saying(seat: WizardSeat, text: str, *, keeps_turn: bool = False) -> Callable[[], None]:
    return lambda: seat.send(WizardMessage(text, keeps_turn=keeps_turn))


def calling(seat: WizardSeat, tool: str, **arguments: Any) -> Callable[[], None]:
    return lambda: seat.send(WizardMessage(calls=(Call(tool, arguments),)))


def deciding(seat: DriverSeat, word: str, say: str = "") -> Callable[[], None]:
    return lambda: seat.decide(word, say)
