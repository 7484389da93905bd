"""What pages and terminals show of a car and its conversation, read from the bus."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from assistant_gateway.protocol import (
    AgentNoReply,
    AgentSpeechStart,
    Body,
    EndReason,
    ErrorFrame,
    InputTranscriptFinal,
    ResponseDone,
    ResponseTextDelta,
    SessionClose,
    ToolCall,
    ToolResult,
    UserSpeechEnd,
    UserSpeechStart,
)
from assistant_gateway.session.logged_frame import LoggedFrame, logged_frames
from assistant_gateway.timing.timeline import MS
from evaluator.cockpit.car.activity import Activity, Doing, Who
from evaluator.cockpit.car.authors import Author, Authors
from evaluator.cockpit.car.turn_marks import CallSpan, Mark, TurnMarks
from evaluator.live.update import Update
from evaluator.record.record import Entry
from evaluator.record.signal_values import signal_value
from evaluator.views.car_values import ROWS
from vehicle_bus.car.tool import is_failure
from vehicle_bus.contract import TIME, CarStatus, SessionEnd, Snapshot, TurnFinished
from vehicle_bus.host.command import SOURCE as CAR


@dataclass(frozen=True, slots=True)
class DriverSpoke(Update):
    KIND = "driver"
    text: str


@dataclass(frozen=True, slots=True)
class TurnBegan(Update):
    """The agent has the transcript; the driver's speech ended at `mono_ns` of the wall clock."""

    KIND = "began"
    turn: int
    mono_ns: int


@dataclass(frozen=True, slots=True)
class Words(Update):
    """Text of the assistant as it arrives; `aside` if it is said while it works."""

    KIND = "words"
    text: str
    aside: bool
    message: str


@dataclass(frozen=True, slots=True)
class FirstHeard(Update):
    """The driver begins to hear the assistant, `after_ms` after the end of the own speech."""

    KIND = "heard"
    after_ms: float


@dataclass(frozen=True, slots=True)
class Called(Update):
    KIND = "called"
    call: str
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answered(Update):
    """The reply of the car, `after_ms` after the call was sent: calls go out one by one."""

    KIND = "answered"
    call: str
    succeeded: bool
    output: str
    after_ms: float


@dataclass(frozen=True, slots=True)
class Changed(Update):
    """Values of the car by name: all of them if `first`, then those that changed, and by whom."""

    KIND = "changed"
    values: dict[str, Any]
    first: bool = False
    by: Author = "task"


@dataclass(frozen=True, slots=True)
class TurnOver(Update):
    """A finished turn with its spans and their verdict; `marks` and `calls` are a waterfall."""

    KIND = "turn"
    turn: int
    turn_class: str
    spans_ms: dict[str, float | None]
    verdict: dict[str, Any]
    heard: str
    handed_over: bool
    marks: tuple[Mark, ...] = ()
    calls: tuple[CallSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class NowDoing(Update):
    """What the driver or the assistant is doing from now on."""

    KIND = "status"
    who: Who
    doing: Doing


@dataclass(frozen=True, slots=True)
class ConversationOver(Update):
    KIND = "over"
    reason: EndReason | str


@dataclass(frozen=True, slots=True)
class CarEventSeen(Update):
    """Something happened in the car without a command."""

    KIND = "event"
    event: str
    detail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CarPresence(Update):
    KIND = "presence"
    online: bool


@dataclass(frozen=True, slots=True)
class Trouble(Update):
    """Something went wrong; the text says what."""

    KIND = "trouble"
    text: str


@dataclass(slots=True)
class Spectator:
    """Turns the bus messages of one car, in their order, into updates.

    What changed without a command is shown with the next message of the car, which says by whom.
    """

    authors: Authors = field(default_factory=Authors)
    values: dict[str, Any] = field(default_factory=dict)
    _speech_end_ns: int = 0
    _called_ns: dict[str, int] = field(default_factory=dict)
    _answered_ns: int = 0
    _known: bool = False
    _online: bool = True
    _unexplained: dict[str, Any] = field(default_factory=dict)
    _marks: TurnMarks = field(default_factory=TurnMarks)
    _activity: Activity = field(default_factory=Activity)

    def take(self, entry: Entry) -> Iterator[Update]:
        if self._unexplained and entry.src == CAR:
            yield from self._explained(entry)
        match entry.kind:
            case "command":
                self.authors.command(entry)
            case "frame":
                for frame in logged_frames(entry.fields):
                    yield from self._frame(frame)
            case "snapshot" if snapshot := entry.read(Snapshot):
                yield from self._snapshot(snapshot)
            case "signal":
                yield from self._signal(entry)
            case "turn" if turn := entry.read(TurnFinished):
                yield self._over(turn)
            case "end" if end := entry.read(SessionEnd):
                yield from self._now_doing(SessionClose(reason=end.reason))
                yield ConversationOver(end.reason)
            case "event" if entry.rest != f"event/{TIME}":
                kind, detail = entry.rest.partition("/")[2], entry.fields.get("detail") or {}
                yield from self._moved_by_hand(kind, detail)
                yield CarEventSeen(kind, detail)
            case "status" if status := entry.read(CarStatus):
                if status.online is not self._online:
                    yield CarPresence(status.online)
                self._online = status.online

    def _snapshot(self, snapshot: Snapshot) -> Iterator[Update]:
        if not self._known:
            yield from self._changed(snapshot.state, "task", first=True)
        elif snapshot.cause is not None:
            yield from self._changed(snapshot.state, self.authors.of_call(snapshot.cause))
        else:
            self._unexplained = snapshot.state
        self._known = True

    def _explained(self, entry: Entry) -> Iterator[Update]:
        """What changed without a command, with the event that follows it."""
        values, self._unexplained = self._unexplained, {}
        kind, detail = entry.rest.removeprefix("event/"), entry.fields.get("detail") or {}
        yield from self._changed(values, self.authors.of_event(kind, detail))

    def _moved_by_hand(self, kind: str, detail: dict[str, Any]) -> Iterator[Update]:
        """Who set values that else change by driving; their signals came before the event."""
        sets = detail.get("set")
        moved = {
            name: value
            for name, value in (sets.items() if isinstance(sets, dict) else ())
            if name in ROWS and ROWS[name].moves
        }
        if moved:
            yield Changed(moved, by=self.authors.of_event(kind, detail))

    def _signal(self, entry: Entry) -> Iterator[Update]:
        named = signal_value(entry)
        if named is not None:
            by = self.authors.of_signal(named[0]) if self._known else "task"
            yield from self._changed(dict([named]), by, first=not self._known)

    def _changed(
        self, values: dict[str, Any], by: Author, *, first: bool = False
    ) -> Iterator[Update]:
        new = {name: value for name, value in values.items() if self.values.get(name, ...) != value}
        self.values |= new
        if new:
            yield Changed(new, first, by)

    def _over(self, turn: TurnFinished) -> TurnOver:
        return TurnOver(
            turn=turn.turn,
            turn_class=turn.turn_class,
            spans_ms={name: None if ns is None else ns / MS for name, ns in turn.spans.items()},
            verdict=turn.verdict,
            heard=turn.heard_agent,
            handed_over=turn.handed_over,
            marks=self._marks.marks(turn),
            calls=self._marks.calls(),
        )

    def _now_doing(self, body: Body) -> Iterator[NowDoing]:
        yield from (NowDoing(who, doing) for who, doing in self._activity.take(body))

    def _frame(self, frame: LoggedFrame) -> Iterator[Update]:
        if frame.way == "ignored":
            return
        self._marks.take(frame)
        yield from self._now_doing(frame.body)
        call = str(frame.cid)
        match frame.body:
            case UserSpeechStart(planned_words=words) if words:
                yield DriverSpoke(" ".join(words))
            case UserSpeechEnd(text=text):
                yield DriverSpoke(text)
            case InputTranscriptFinal(user_speech_end_ns=end_ns):
                self._speech_end_ns, self._answered_ns = end_ns, 0
                yield TurnBegan(frame.turn or 0, frame.mono_ns - (frame.t_ns - end_ns))
            case ResponseTextDelta(delta=delta, kind=kind):
                yield Words(delta, kind == "progress", str(frame.rid))
            case ToolCall(name=name, arguments=arguments):
                self._called_ns[call] = frame.t_ns
                yield Called(call, name, arguments)
            case ToolResult(output=output, error=error):
                sent_ns = max(self._called_ns.pop(call, frame.t_ns), self._answered_ns)
                after_ns, self._answered_ns = frame.t_ns - sent_ns, frame.t_ns
                success = not error and not is_failure(output)
                yield Answered(call, success, error or output, after_ns / MS)
            case ResponseDone(status="failed", reason=reason):
                yield Trouble(f"the assistant failed: {reason or 'no reason given'}")
            case ErrorFrame(message=message) if frame.peer == "agent":
                way = "from" if frame.way == "in" else "sent to"
                yield Trouble(f"error {way} the assistant: {message}")
            case AgentSpeechStart():
                yield FirstHeard((frame.t_ns - self._speech_end_ns) / MS)
            case AgentNoReply(waited_ms=waited_ms):
                yield Trouble(f"the assistant said nothing for {waited_ms / 1000:.0f} s")
