"""A recorded public run as a record of ours: the same words, the same calls, on a car in-process.

Nobody noted times, so session time counts messages, one second each, and no turn has a span.
"""

from dataclasses import dataclass, field
from typing import Any

from assistant_gateway.protocol import (
    Body,
    InputTranscriptFinal,
    ResponseDone,
    ResponseTextDelta,
    SpeechKind,
    ToolCall,
    ToolResult,
)
from assistant_gateway.session.logged_frame import LoggedFrame
from assistant_gateway.timing.timeline import SECOND
from evaluator.car_bench.recordings import RecordedCall, RecordedRun, Step
from evaluator.record.record import Entry, Record
from evaluator.scoring.endings import (
    ACKNOWLEDGED,
    FAILURES,
    HALLUCINATION,
    REMOVED_PARAMETER,
    REMOVED_TOOL,
    STEP_LIMIT,
    STOP,
    is_limit_awareness,
)
from evaluator.task.task import Task
from vehicle_bus.car.tool import is_failure
from vehicle_bus.contract import (
    Command,
    Control,
    Frames,
    Reply,
    SessionEnd,
    Snapshot,
    Stamped,
    TurnFinished,
    encode,
)
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

OVER = "###STOP###"
BY_CALL = "ended by a call"


@dataclass(frozen=True, slots=True)
class Reenacted:
    """`differing` calls were answered otherwise by our car than in the recording, text aside."""

    record: Record
    differing: tuple[str, ...]


def reenact(recording: RecordedRun, task: Task, world: World, vin: str) -> Reenacted:
    """Play a recording on a fresh car; tools answer what they answered then."""
    bus = _ForgedBus(vin, task, Vehicle(task.car, world))
    bus.begin()
    for index, step in enumerate(recording.steps):
        before = recording.steps[index - 1] if index else None
        if step.who == "agent":
            bus.agent(step)
        elif not _is_bookkeeping(step, before):
            bus.driver(step.text)
    bus.end(_word(recording, task), _reason(recording))
    return Reenacted(Record(vin, tuple(bus.entries)), tuple(bus.differing))


def _is_bookkeeping(step: Step, before: Step | None) -> bool:
    """The end mark, and the answer of a phone call written down as if the driver had said it."""
    return step.text.strip() == OVER or (before is not None and bool(before.calls))


def _word(recording: RecordedRun, task: Task) -> str | None:
    """What the driver ended it with, as far as it was noted; successful words never are."""
    scored = _reward_info(recording)
    if scored is None or recording.steps[-1].text.strip() != OVER:
        return None
    noted = scored.get("end_conversation_keyword")
    if noted in (REMOVED_TOOL, REMOVED_PARAMETER):
        return HALLUCINATION
    if noted in FAILURES:
        return str(noted)
    return ACKNOWLEDGED if is_limit_awareness(task.task_type) else STOP


def _reason(recording: RecordedRun) -> str:
    if "reward_info" in recording.info and recording.info["reward_info"] is None:
        return STEP_LIMIT
    last = recording.steps[-1]
    return STOP if last.text.strip() == OVER else BY_CALL


def _reward_info(recording: RecordedRun) -> dict[str, Any] | None:
    info = recording.info.get("reward_info")
    found = info.get("info") if isinstance(info, dict) else None
    return found if isinstance(found, dict) else None


@dataclass(slots=True)
class _ForgedBus:
    """Writes down what car and gateway would have put on the bus."""

    vin: str
    task: Task
    vehicle: Vehicle
    entries: list[Entry] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    _seq: dict[str, int] = field(default_factory=lambda: {"car": 0, "gateway": 0})
    _t_ns: int = 0
    _turn: int = 0
    _asked: str = ""
    _heard: str = ""
    _calls: int = 0
    _open: bool = False

    def begin(self) -> None:
        self._snapshot()

    def driver(self, text: str) -> None:
        self._close_turn(handed_over=True)
        self._step()
        self._turn, self._asked, self._heard, self._open = self._turn + 1, text, "", True
        final = InputTranscriptFinal(text=text, user_speech_end_ns=self._t_ns, now_ns=self._t_ns)
        self._frames(LoggedFrame("out", "agent", final, self._t_ns))

    def agent(self, step: Step) -> None:
        self._step()
        numbered = [(f"t{self._calls + n}", call) for n, call in enumerate(step.calls, start=1)]
        frames: list[tuple[Body, str | None]] = [
            (ToolCall(name=call.tool, arguments=call.arguments), cid) for cid, call in numbered
        ]
        if step.text:
            kind: SpeechKind = "progress" if step.calls else "content"
            frames.insert(0, (ResponseTextDelta(delta=step.text, kind=kind), None))
        frames.append((ResponseDone(), None))
        self._frames(*(LoggedFrame("in", "agent", b, self._t_ns, cid=cid) for b, cid in frames))
        # Text beside calls was written down and never spoken.
        if not step.calls:
            self._heard = step.text
        for cid, call in numbered:
            output = self._run(call)
            result = ToolResult(output=output, now_ns=self._t_ns)
            self._frames(LoggedFrame("out", "agent", result, self._t_ns, cid=cid))

    def end(self, word: str | None, reason: str) -> None:
        self._close_turn(handed_over=word is not None)
        if word is not None:
            origin = "noted in the recording" if word in FAILURES else "the recording ended here"
            self._session("control", Control, word=word, reason=origin, turn=self._turn)
        counts = {**self._seq, "gateway": self._seq["gateway"] + 1}
        revision = self.vehicle.revision
        self._session("end", SessionEnd, reason=word or reason, counts=counts, revision=revision)

    def _run(self, call: RecordedCall) -> str:
        self._calls += 1
        given: dict[str, Any] = {"call_id": f"c{self._calls}", "arguments": call.arguments}
        command = Command(**given, at_ns=self._t_ns)
        handled = self.vehicle.handle(call.tool, command)
        output = handled.output if call.output is None else call.output
        if call.output is not None and is_failure(call.output) != is_failure(handled.output):
            self.differing.append(f"{call.tool}: recorded {call.output[:80]}")
        rest = f"command/{call.tool}"
        self._publish("gateway", rest, Command, **given, at_ns=self._t_ns, turn=self._turn)
        if handled.revision_after > handled.revision_before:
            self._snapshot()
        self._publish(
            *("car", "reply/gateway", Reply),
            call_id=given["call_id"],
            status=handled.status,
            output=output,
            revision_before=handled.revision_before,
            revision_after=handled.revision_after,
            error=handled.error,
            logged=handled.logged,
        )
        return output

    def _close_turn(self, *, handed_over: bool) -> None:
        if not self._open:
            return
        self._open = False
        classes = self.task.expect.turn_classes
        self._session(
            "turn",
            TurnFinished,
            turn=self._turn,
            turn_class=classes[min(self._turn, len(classes)) - 1],
            revision=self.vehicle.revision,
            spans={},
            verdict={},
            heard_user=self._asked,
            heard_agent=self._heard,
            handed_over=handed_over,
        )

    def _step(self) -> None:
        self._t_ns += SECOND

    def _frames(self, *frames: LoggedFrame) -> None:
        self._session("frame", Frames, frames=[frame.encode() for frame in frames])

    def _snapshot(self) -> None:
        state: dict[str, Any] = {
            "revision": self.vehicle.revision,
            "state": self.vehicle.snapshot(),
        }
        self._publish("car", "snapshot", Snapshot, **state)

    def _session(self, kind: str, model: type[Stamped], **fields: Any) -> None:
        self._publish("gateway", f"session/{self.vin}/{kind}", model, **fields)

    def _publish(self, src: str, rest: str, model: type[Stamped], **fields: Any) -> None:
        self._seq[src] += 1
        stamps = {"src": src, "seq": self._seq[src], "n": len(self.entries) + 1, "t_ns": self._t_ns}
        self.entries.append(Entry(rest, encode(model(**stamps, **fields))))
