"""An assistant that repeats the words, calls and pauses of a recorded one."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from assistant_gateway.agents.agent import Agent, AgentMessage, Call, TimedFrame, TimedMessage
from assistant_gateway.protocol import (
    InputTranscriptFinal,
    ResponseDone,
    ResponseTextDelta,
    ToolCall,
    ToolResult,
)
from assistant_gateway.session.logged_frame import LoggedFrame


@dataclass(frozen=True, slots=True)
class Stretch:
    """What an agent sent without waiting for the car; `results` had come in this turn before."""

    results: int
    frames: tuple[TimedFrame, ...]

    @property
    def message(self) -> TimedMessage:
        bodies = [planned.body for planned in self.frames]
        text = "".join(body.delta for body in bodies if isinstance(body, ResponseTextDelta))
        calls = [Call(body.name, body.arguments) for body in bodies if isinstance(body, ToolCall)]
        return TimedMessage(text, tuple(calls), self.frames)


RecordedTurn = tuple[Stretch, ...]


@dataclass(slots=True)
class _TurnReader:
    """One turn while it is read from a record."""

    began_ns: int
    results: int = 0
    open_calls: set[str] = field(default_factory=set)
    stretches: list[tuple[int, list[TimedFrame]]] = field(default_factory=list)

    def sent(self, frame: LoggedFrame) -> None:
        latest = self.stretches[-1][0] if self.stretches else -1
        if latest < self.results and not self.open_calls:
            self.stretches.append((self.results, []))
        if isinstance(frame.body, ToolCall) and frame.cid:
            self.open_calls.add(frame.cid)
        after_ns = frame.t_ns - self.began_ns
        self.stretches[-1][1].append(TimedFrame(after_ns, frame.body, frame.cid, frame.rid))

    def answered(self, cid: str | None) -> None:
        if cid in self.open_calls:
            self.open_calls.discard(cid)
            self.results += 1

    @property
    def turn(self) -> RecordedTurn:
        return tuple(Stretch(results, tuple(frames)) for results, frames in self.stretches)


def recorded_turns(frames: Iterable[LoggedFrame]) -> tuple[RecordedTurn, ...]:
    """The agent's side of a conversation, from the frames its gateway logged."""
    turns: list[_TurnReader] = []
    for frame in frames:
        if frame.peer != "agent":
            continue
        if isinstance(frame.body, InputTranscriptFinal):
            turns.append(_TurnReader(frame.t_ns))
        elif turns and isinstance(frame.body, ToolResult):
            turns[-1].answered(frame.cid)
        elif turns and frame.way == "in":
            turns[-1].sent(frame)
    return tuple(turn.turn for turn in turns)


class ReplayAgent(Agent):
    """Plays recorded turns one after the other; one more turn than recorded fails."""

    name = "replay"

    def __init__(self, turns: tuple[RecordedTurn, ...]) -> None:
        self._turns = turns
        self._turn = 0
        self._results = 0
        self._left: list[Stretch] = []

    def on_heard(self, text: str) -> AgentMessage:
        self._turn, self._results = self._turn + 1, 0
        if self._turn > len(self._turns):
            reason = f"the recorded conversation ended after turn {len(self._turns)}"
            failed = ResponseDone(status="failed", reason=reason)
            return TimedMessage(frames=(TimedFrame(0, failed),))
        self._left = list(self._turns[self._turn - 1])
        return self._next() or TimedMessage()

    def on_results(self, results: tuple[tuple[Call, str], ...]) -> AgentMessage | None:
        self._results += len(results)
        return self._next()

    def on_interrupted(self, heard: str, unsaid: AgentMessage | None) -> None:
        """The rest of the turn is dropped."""
        self._left = []

    def _next(self) -> TimedMessage | None:
        if self._left and self._left[0].results <= self._results:
            return self._left.pop(0).message
        return None
