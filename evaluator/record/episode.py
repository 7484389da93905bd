"""One episode as judges read it: what was said and what was called, in one order.

An `Episode` is a read-only view of a record and its task. Order is the order on the bus; a call
stands where its command does, a sentence where its last word was sent.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import orjson

from assistant_gateway.protocol import (
    InputTranscriptFinal,
    Interrupt,
    ResponseDone,
    ResponseTextDelta,
    ToolCall,
)
from assistant_gateway.session.logged_frame import LoggedFrame
from evaluator.record.record import Call, Record, State
from evaluator.task.task import Task
from vehicle_bus.car.state import FixedContext, context_at_start
from vehicle_bus.tools import CHANGING

Who = Literal["driver", "agent"]
Order = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one side said in one go; `spoken` is false for text that was never spoken to the driver.

    `message` is the number of the agent's message, from 0; None for the driver, whose words may
    have been `recognised` as others.
    """

    who: Who
    text: str
    t_ns: int
    turn: int
    order: Order
    message: int | None = None
    beside_calls: bool = False
    spoken: bool = True
    recognised: str | None = None

    @property
    def known(self) -> str:
        """What was said, and below it what the agent was sent instead."""
        return self.text if self.recognised is None else f"{self.text}\n{self.recognised}"


@dataclass(frozen=True, slots=True)
class Act:
    """A tool call with the car around it.

    `before` and `after` are the state variables at that moment, `after_turn` those at the end of
    its turn. `message` is the number of the agent's message that held it; calls of one message were
    decided on together. `answered` is where the reply stands, None if there was none; where a fault
    lost the reply to what was done, it stands for it.
    """

    call: Call
    t_ns: int
    turn: int
    message: int
    order: Order
    answered: Order | None
    before: State
    after: State
    after_turn: State

    @property
    def tool(self) -> str:
        return self.call.tool

    @property
    def arguments(self) -> dict[str, Any]:
        return self.call.arguments

    @property
    def succeeded(self) -> bool:
        return self.call.took_effect

    @property
    def changes(self) -> bool:
        """Whether this tool is there to change something."""
        return self.tool in CHANGING

    @property
    def output(self) -> str:
        return self.call.reply.output if self.call.reply else ""

    @property
    def answer(self) -> Any:
        """The output as JSON; the bare text if it is none."""
        try:
            return orjson.loads(self.output)
        except orjson.JSONDecodeError:
            return self.output

    @property
    def result(self) -> dict[str, Any]:
        """What a successful call found out; empty otherwise."""
        answer = self.answer
        found = answer.get("result") if self.call.succeeded and isinstance(answer, dict) else None
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True)
class Episode:
    """A record and its task, as one story."""

    record: Record
    task: Task

    @cached_property
    def context(self) -> FixedContext:
        """What no tool changes: place, time, seats, preferences."""
        return context_at_start(self.task.car.start)

    @cached_property
    def final_state(self) -> State:
        return self.record.final_state or {}

    @cached_property
    def utterances(self) -> tuple[Utterance, ...]:
        """What both sides said, in order, with text that was never spoken to the driver."""
        return tuple(_utterances(self.record.frames, self._said_in_turn, self._heard_in_turn))

    @cached_property
    def driver(self) -> tuple[Utterance, ...]:
        return tuple(said for said in self.utterances if said.who == "driver")

    @cached_property
    def spoken(self) -> tuple[Utterance, ...]:
        """What the agent said aloud."""
        return tuple(said for said in self.utterances if said.who == "agent" and said.spoken)

    @cached_property
    def acts(self) -> tuple[Act, ...]:
        """Every call, in the order the car worked on them.

        A call that only repeats what was carried out unheard is one with it.
        """
        messages = _Messages(self.record.frames)
        acts = [self._act(call, messages) for call in self.record.calls]
        return tuple(act for act in acts if not act.call.repeats_unheard)

    @cached_property
    def succeeded(self) -> tuple[Act, ...]:
        return tuple(act for act in self.acts if act.succeeded)

    def of(self, *tools: str) -> Iterator[Act]:
        """The successful calls of some tools."""
        return (act for act in self.succeeded if act.tool in tools)

    def said_before(self, act: Act) -> list[Utterance]:
        """All that was said aloud before a call, oldest first."""
        return [said for said in self.utterances if said.spoken and said.order < act.order]

    def known_before(self, act: Act) -> list[Act]:
        """Successful calls of earlier messages: their answers were known when it was decided."""
        return [other for other in self.succeeded if other.message < act.message]

    # --- how the parts of a record become one story

    @cached_property
    def _said_in_turn(self) -> dict[int, str]:
        """What the driver said, where a recogniser made something else of it."""
        return {
            turn.turn: turn.heard_user
            for turn in self.record.turns
            if (turn.sound or {}).get("word_errors")
        }

    @cached_property
    def _heard_in_turn(self) -> dict[int, str]:
        return {turn.turn: turn.heard_agent for turn in self.record.turns}

    @cached_property
    def _revision_after_turn(self) -> dict[int, int]:
        return {turn.turn: turn.revision for turn in self.record.turns}

    def _act(self, call: Call, messages: "_Messages") -> Act:
        command, reply = call.command, call.reply
        order = (command.n, 0)
        turn = command.turn if command.turn is not None else _turn_at(self.driver, order)
        final = self.final_state
        settled = self._revision_after_turn.get(turn)
        was, became = call.revision_before, call.revision_after
        before = None if was is None else self.record.state_at(was)
        after = None if became is None else self.record.state_at(became)
        unheard = call.fault if call.fault is not None and call.fault.unheard else None
        answer = reply or unheard
        return Act(
            call=call,
            t_ns=command.t_ns or command.at_ns,
            turn=turn,
            message=messages.of(call, order),
            order=order,
            answered=(answer.n, 0) if answer else None,
            before=before or self.record.initial_state or {},
            after=after or before or self.record.initial_state or {},
            after_turn=final if settled is None else self.record.state_at(settled) or final,
        )


class _Messages:
    """Which of the agent's messages a command came from, by its `tool.call` frame."""

    def __init__(self, frames: Iterable[LoggedFrame]) -> None:
        self._ends: list[Order] = []
        self._asked: list[tuple[str, Any, int]] = []
        for frame in frames:
            match frame.body:
                case ToolCall(name=name, arguments=arguments):
                    self._asked.append((name, arguments, len(self._ends)))
                case ResponseDone() | Interrupt():
                    self._ends.append(frame.place)

    def of(self, call: Call, order: Order) -> int:
        for index, (name, arguments, message) in enumerate(self._asked):
            if name == call.tool and arguments == call.arguments:
                del self._asked[index]
                return message
        return sum(end < order for end in self._ends)


def _turn_at(driver: tuple[Utterance, ...], order: Order) -> int:
    return sum(said.order < order for said in driver)


def _utterances(
    frames: Iterable[LoggedFrame], asked: dict[int, str], heard: dict[int, str]
) -> Iterator[Utterance]:
    turn = message = 0
    open_text, began_ns, last, calls = "", 0, (0, 0), 0

    def said() -> Utterance:
        spoken = not calls or turn not in heard or _words(open_text) in _words(heard[turn])
        return Utterance(
            "agent", open_text, began_ns, turn, last, message, bool(calls), spoken
        )  # fmt: skip

    for frame in frames:
        match frame.body:
            case InputTranscriptFinal(text=text):
                turn += 1
                recognised = text if turn in asked else None
                text = asked.get(turn, text)
                yield Utterance(
                    "driver", text, frame.t_ns, turn, frame.place, recognised=recognised
                )
            case ResponseTextDelta(delta=delta):
                began_ns = began_ns if open_text else frame.t_ns
                open_text, last = open_text + delta, frame.place
            case ToolCall():
                calls += 1
            case ResponseDone() | Interrupt():
                if open_text.strip():
                    yield said()
                open_text, calls, message = "", 0, message + 1
    if open_text.strip():
        yield said()


def _words(text: str) -> str:
    return " ".join(text.split())
