"""An assistant that follows a plan made for the task: one call per message, then what it says."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from assistant_gateway.agents.agent import Agent, AgentMessage, Call

GOODBYE = "That was everything from my side."
MOST_TRIES = 3
NEVER_TWICE = frozenset({"send_email", "call_phone_by_number"})
UNAVAILABLE = "NOT_AVAILABLE"


SayKind = Literal["report", "question", "proposal", "admission"]


@dataclass(frozen=True, slots=True)
class Say:
    """A sentence that ends the turn: what was found or done, a question for what is left open, one
    to be answered with yes, or what the car cannot do."""

    text: str
    kind: SayKind = field(default="report", compare=False)


@dataclass(frozen=True, slots=True)
class Aside:
    """A few words spoken with the next call, so that the driver need not wait."""

    text: str


Plan = tuple[Call | Say | Aside, ...]


@dataclass(frozen=True, slots=True)
class Look(Call):
    """A look-up whose right answer is known; any other makes a good assistant look again."""

    answer: str = ""


class ReferenceAgent(Agent):
    """Plays a plan step by step; what went wrong is tried again, and if need be admitted.

    `regret` words that a tool did not do what it should, `doubt` that nobody knows whether it did.
    """

    name = "reference"

    def __init__(
        self,
        plan: Plan,
        regret: Callable[[str], str] = "I'm sorry, {} did not work.".format,
        doubt: Callable[[str], str] = "I don't know whether {} worked.".format,
    ) -> None:
        self._steps = list(plan)
        self._regret = regret
        self._doubt = doubt
        self._tries = 0
        self._unheard = False
        self._last: Call | None = None

    def on_heard(self, text: str) -> AgentMessage:
        return self._next()

    def on_results(self, results: tuple[tuple[Call, str], ...]) -> AgentMessage | None:
        failed = [(call, output) for call, output in results if went_wrong(output)]
        if failed:
            return self._after(*failed[0])
        look = self._last
        if isinstance(look, Look) and self._tries < 2 and results[-1][1] != look.answer:
            return self._again(look)
        return self._next()

    def on_interrupted(self, heard: str, unsaid: AgentMessage | None) -> None:
        """Calls that were never sent are still to be made; sentences are not said twice."""
        if unsaid is not None:
            self._steps[:0] = unsaid.calls

    def _after(self, call: Call, output: str) -> AgentMessage:
        """Try again, unless it may be done already and must not be done twice."""
        lost, unavailable = unanswered(output), UNAVAILABLE in output
        if self._unheard and not lost and not unavailable:
            return self._next()  # the car refuses to do once more what it has done
        self._unheard = self._unheard or lost
        if lost and call.name in NEVER_TWICE:
            return self._give_up(self._doubt(call.name))
        faulty = lost or unavailable
        if self._tries < (MOST_TRIES if faulty else 2):
            return self._again(call)
        return self._give_up(self._regret(call.name)) if faulty else self._next()

    def _again(self, call: Call) -> AgentMessage:
        self._tries += 1
        return AgentMessage(calls=(call,))

    def _give_up(self, sentence: str) -> AgentMessage:
        """What was planned up to the next sentence has lost its ground."""
        while self._steps and not isinstance(self._steps.pop(0), Say):
            pass
        return AgentMessage(sentence)

    def _next(self, aside: str = "") -> AgentMessage:
        self._tries, self._unheard, self._last = 1, False, None
        if not self._steps:
            return AgentMessage(GOODBYE)
        match self._steps.pop(0):
            case Say(text):
                return AgentMessage(text)
            case Aside(text):
                return self._next(text)
            case Call() as call:
                self._last = call
                return AgentMessage(aside, (call,))


def went_wrong(output: str) -> bool:
    """Whether a tool refused, or its answer was lost or damaged."""
    try:
        answer = json.loads(output)
    except json.JSONDecodeError:
        return True
    return isinstance(answer, dict) and "errors" in answer


def unanswered(output: str) -> bool:
    """Whether the car did not answer at all."""
    return output.startswith("the car did not answer")
