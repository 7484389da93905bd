"""The rules agent at the wheel of a real car: everything it says and calls in a conversation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.agents.rules.agent import respond
from assistant_gateway.agents.transcript import Answered, Heard, Line
from tests.vehicle_bus.cars import WORLD
from vehicle_bus.car.state import CarSetup
from vehicle_bus.contract import Command
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

LONGEST_TURN = 30
INSTRUCTIONS = (
    "The car is at {name} (id {id}, 48.0 N, 7.8 E). "
    "It is {hour:02d}:{minute:02d} on {year}-{month:02d}-{day:02d}."
)


@dataclass
class Drive:
    """A car, its assistant, and what has come of the conversation."""

    vehicle: Vehicle
    instructions: str
    transcript: tuple[Line, ...] = ()
    made: list[Call] = field(default_factory=list)

    def say(self, text: str) -> str:
        """Speak to the assistant and hear what it says when it hands over."""
        message = self._answer_to(Heard(text))
        for _ in range(LONGEST_TURN):
            if not message.calls:
                return message.text
            self.made += message.calls
            message = self._answer_to(Answered(tuple(map(self._run, message.calls))))
        raise AssertionError("the assistant never hands over")

    def _answer_to(self, line: Line) -> AgentMessage:
        heard = (*self.transcript, line)
        message = respond(heard, self.vehicle.declarations(), self.instructions)
        self.transcript = (*heard, message)
        return message

    def _run(self, call: Call) -> tuple[Call, str]:
        command = Command(call_id="call-1", arguments=call.arguments)
        return call, self.vehicle.handle(call.name, command).output

    @property
    def changes(self) -> list[str]:
        """The calls that set something, in order, in a few words."""
        return [_written(call) for call in self.made if not call.name.startswith(LOOK_UPS)]


LOOK_UPS = ("get_", "search_", "calculate_", "convert_")


def drive(
    *said: str, removed: Sequence[str] = (), world: World = WORLD, **start: Any
) -> tuple[Drive, list[str]]:
    """A conversation from the start: the drive, and what the assistant said after each turn."""
    setup = CarSetup(start=start, removed=tuple(removed), calendar_id="cal_5201")
    vehicle = Vehicle(setup, world)
    now, place = vehicle.context.current_datetime, vehicle.context.current_location
    instructions = INSTRUCTIONS.format(
        name=place.name, id=place.id, hour=now.hour, minute=now.minute,
        year=now.year, month=now.month, day=now.day,
    )  # fmt: skip
    driven = Drive(vehicle, instructions)
    return driven, [driven.say(text) for text in said]


def _written(call: Call) -> str:
    given = " ".join(str(value) for value in call.arguments.values())
    return f"{call.name} {given}".strip()
