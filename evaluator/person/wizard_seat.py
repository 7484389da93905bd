"""The seat of a person who plays the assistant."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.wizard import WizardDesk, WizardMessage
from assistant_gateway.protocol import SessionStart
from assistant_gateway.timing.timeline import wall_ns
from evaluator.person.seat import NotAccepted, Seat
from evaluator.person.updates import (
    AssistantPart,
    CarAnswered,
    DriverSaid,
    SessionOver,
    WizardInterrupted,
    WizardSent,
)
from vehicle_bus.car.schema import violations
from vehicle_bus.car.tool import is_failure
from vehicle_bus.data_folder import quick_yaml


@cache
def phrases() -> tuple[dict[str, Any], ...]:
    """Sentences that are often needed; those that keep the turn say so."""
    file = Path(__file__).with_name("phrases.yaml")
    return tuple({"keeps_turn": False, **each} for each in quick_yaml(file))


class WizardSeat(Seat[WizardMessage], WizardDesk):
    """Checks what the person sends against the tools of the car before it is sent."""

    name = "assistant"

    def __init__(self) -> None:
        super().__init__()
        self.tools: dict[str, dict[str, Any]] = {}
        self.instructions = ""

    def begin(self, session: SessionStart, sid: str) -> None:
        self.tools = {tool["function"]["name"]: tool["function"] for tool in session.tools}
        self.instructions = session.instructions
        part = AssistantPart(
            sid,
            session.instructions,
            tuple(self.tools.values()),
            phrases(),
            session.budgets or {},
        )
        self._begin(part)

    def heard(self, text: str) -> None:
        self._show(DriverSaid(text, wall_ns()))

    def answered(self, call: Call, output: str) -> None:
        self._show(CarAnswered(call, output, not is_failure(output)))

    def interrupted(self, heard: str) -> None:
        self._show(WizardInterrupted(heard))

    def end(self) -> None:
        self._show(SessionOver())

    async def message(self) -> WizardMessage:
        return await self._ask()

    def send(self, message: WizardMessage) -> None:
        """Send what the person says and calls; raises `NotAccepted`."""
        wrong = [each for call in message.calls for each in self._violations(call)]
        if wrong:
            raise NotAccepted(f"not sent: {'; '.join(wrong)}")
        if message.keeps_turn and not (message.text or message.calls):
            raise NotAccepted("not sent: it says nothing")
        sent = WizardSent(message.text, message.calls, message.keeps_turn)
        self._answer(message, sent)

    def _violations(self, call: Call) -> Iterator[str]:
        tool = self.tools.get(call.name)
        if tool is None:
            yield f"this car has no tool {call.name}"
            return
        for each in violations(tool["parameters"], call.arguments):
            yield f"{call.name}: {each}"
