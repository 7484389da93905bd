"""An assistant that follows a plan made for the task: one call per message, then what it says."""

import json
from dataclasses import dataclass

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.protocol import SessionStart

GOODBYE = "That was everything from my side."


@dataclass(frozen=True, slots=True)
class Say:
    """A sentence that ends the turn."""

    text: str


@dataclass(frozen=True, slots=True)
class Aside:
    """A few words spoken beside the call that follows, so that the driver need not wait."""

    text: str


Plan = tuple[Call | Say | Aside, ...]


class ReferenceAgent:
    """Plays a plan step by step; a call that went wrong is tried once more."""

    name = "reference"

    def __init__(self, plan: Plan) -> None:
        self._steps = list(plan)
        self._may_retry = True

    def begin(self, session: SessionStart, sid: str) -> None:
        """The plan already knows the task."""

    def on_heard(self, text: str) -> AgentMessage:
        return self._next()

    def on_results(self, results: tuple[tuple[Call, str], ...]) -> AgentMessage | None:
        failed = tuple(call for call, output in results if went_wrong(output))
        if failed and self._may_retry:
            self._may_retry = False
            return AgentMessage(calls=failed)
        return self._next()

    def on_interrupted(self, heard: str, unsaid: AgentMessage | None) -> None:
        """Calls that were never sent are still to be made; sentences are not said twice."""
        if unsaid is not None:
            self._steps[:0] = unsaid.calls

    def _next(self, aside: str = "") -> AgentMessage:
        self._may_retry = True
        if not self._steps:
            return AgentMessage(GOODBYE)
        match self._steps.pop(0):
            case Say(text):
                return AgentMessage(text)
            case Aside(text):
                return self._next(text)
            case Call() as call:
                return AgentMessage(aside, (call,))


def went_wrong(output: str) -> bool:
    """Whether a tool refused, or the answer got lost or spoilt on the way."""
    try:
        answer = json.loads(output)
    except json.JSONDecodeError:
        return True
    return isinstance(answer, dict) and "errors" in answer
