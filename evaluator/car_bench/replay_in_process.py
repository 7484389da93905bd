"""A recorded public run as messages of ours, and the record they make with a car in-process.

Nobody noted times, so session time counts messages, one second each, and no turn has a span.
"""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Literal

from assistant_gateway.protocol import (
    Body,
    InputTranscriptFinal,
    ResponseDone,
    ResponseTextDelta,
    SpeechKind,
    ToolCall,
    ToolResult,
)
from assistant_gateway.session.logged_frame import LoggedFrame, Way
from assistant_gateway.timing.timeline import SECOND
from evaluator.car_bench.recordings import RecordedCall, RecordedRun, Step
from evaluator.record.record import Entry, Record
from evaluator.scoring.conversation_end import (
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
    Stamper,
    TurnFinished,
    encode,
)
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

OVER = "###STOP###"
BY_CALL = "ended by a call"
Kind = Literal["frame", "turn", "control", "end"]
Script = Generator[RecordedCall | tuple[Kind, Stamped], Reply | None, None]


@dataclass(slots=True)
class GatewaySide:
    """What a gateway would have published about a recorded run.

    Who plays the `script` publishes its payloads, carries out its calls, sends their replies into
    it, and shows everything that the car publishes to `saw`.
    """

    recording: RecordedRun
    task: Task
    vin: str
    stamper: Stamper = field(default_factory=lambda: Stamper("gateway"))
    revision: int = 0
    _car_seq: int = 0
    _t_ns: int = 0
    _turn: int = 0
    _asked: str = ""
    _answered: str = ""
    _calls: int = 0
    _open: bool = False

    def saw(self, payload: Snapshot | Reply) -> None:
        self.stamper.saw(payload.n)
        self._car_seq = max(self._car_seq, payload.seq)
        if isinstance(payload, Reply):
            self.revision = payload.revision_after

    def command(self, call: RecordedCall) -> Command:
        """The next command; every one that is asked for has to be published."""
        return Command(
            **self.stamper.next(),
            t_ns=self._t_ns,
            call_id=f"c{self._calls}",
            at_ns=self._t_ns,
            arguments=call.arguments,
            session=self.vin,
            turn=self._turn,
        )

    def script(self) -> Script:
        """The payloads of the session, by kind, and between them the calls to carry out."""
        steps = self.recording.steps
        for before, step in zip((None, *steps), steps, strict=False):
            if step.who == "agent":
                yield from self._agent(step)
            elif not is_bookkeeping(step, before):
                yield from self._close_turn(handed_over=True)
                yield self._driver(step.text)
        word, reason = last_word(self.recording, self.task), _reason(self.recording)
        yield from self._close_turn(handed_over=word is not None)
        if word is not None:
            origin = "noted in the recording" if word in FAILURES else "the recording ended here"
            control = Control(**self._stamps(), word=word, reason=origin, turn=self._turn)
            yield "control", control
        stamps = self._stamps()
        counts = {"car": self._car_seq, "gateway": stamps["seq"]}
        end = SessionEnd(**stamps, reason=word or reason, counts=counts, revision=self.revision)
        yield "end", end

    def _driver(self, text: str) -> tuple[Kind, Stamped]:
        self._t_ns += SECOND
        self._turn, self._asked, self._answered, self._open = self._turn + 1, text, "", True
        final = InputTranscriptFinal(text=text, user_speech_end_ns=self._t_ns, now_ns=self._t_ns)
        return self._frames("out", (final, None))

    def _agent(self, step: Step) -> Script:
        self._t_ns += SECOND
        numbered = [(f"t{self._calls + n}", call) for n, call in enumerate(step.calls, start=1)]
        kind: SpeechKind = "progress" if step.calls else "content"
        words = [ResponseTextDelta(delta=step.text, kind=kind)] if step.text else []
        yield self._frames(
            "in",
            *((text, None) for text in words),
            *((ToolCall(name=call.tool, arguments=call.arguments), cid) for cid, call in numbered),
            (ResponseDone(), None),
        )
        # Text beside calls was written down and never spoken.
        if not step.calls:
            self._answered = step.text
        for cid, call in numbered:
            self._calls += 1
            reply = yield call
            output = reply.output if reply else ""
            yield self._frames("out", (ToolResult(output=output, now_ns=self._t_ns), cid))

    def _close_turn(self, *, handed_over: bool) -> Script:
        if not self._open:
            return
        self._open = False
        classes = self.task.expect.turn_classes
        yield (
            "turn",
            TurnFinished(
                **self._stamps(),
                turn=self._turn,
                turn_class=classes[min(self._turn, len(classes)) - 1],
                revision=self.revision,
                spans={},
                verdict={},
                heard_user=self._asked,
                heard_agent=self._answered,
                handed_over=handed_over,
            ),
        )

    def _frames(self, way: Way, *frames: tuple[Body, str | None]) -> tuple[Kind, Stamped]:
        logged = [LoggedFrame(way, "agent", body, self._t_ns, cid=cid) for body, cid in frames]
        return "frame", Frames(**self._stamps(), frames=[frame.encode() for frame in logged])

    def _stamps(self) -> dict[str, Any]:
        return {**self.stamper.next(), "t_ns": self._t_ns}


@dataclass(frozen=True, slots=True)
class Reenacted:
    """`differing` calls were answered otherwise by our car than in the recording, text aside."""

    record: Record
    differing: tuple[str, ...]


def reenact(recording: RecordedRun, task: Task, world: World, vin: str) -> Reenacted:
    """Play a recording on a fresh car in-process; tools answer what they answered then."""
    played = _InProcess(GatewaySide(recording, task, vin), Vehicle(task.car, world))
    played.publish_state(0)
    script = played.gateway.script()
    event = next(script, None)
    while event is not None:
        if isinstance(event, RecordedCall):
            event = script.send(played.answer(event))
        else:
            kind, payload = event
            played.publish(f"session/{vin}/{kind}", payload)
            event = next(script, None)
    return Reenacted(Record(vin, tuple(played.entries)), tuple(played.differing))


@dataclass(slots=True)
class _InProcess:
    """A car without a bus, and what car and gateway have published."""

    gateway: GatewaySide
    vehicle: Vehicle
    stamper: Stamper = field(default_factory=lambda: Stamper("car"))
    entries: list[Entry] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)

    def publish(self, rest: str, payload: Stamped) -> None:
        self.entries.append(Entry(rest, encode(payload)))
        self.stamper.saw(payload.n)
        if isinstance(payload, Snapshot | Reply):
            self.gateway.saw(payload)

    def publish_state(self, t_ns: int) -> None:
        revision, state = self.vehicle.revision, self.vehicle.snapshot()
        stamps = self.stamper.next()
        self.publish("snapshot", Snapshot(**stamps, t_ns=t_ns, revision=revision, state=state))

    def answer(self, call: RecordedCall) -> Reply:
        command = self.gateway.command(call)
        self.publish(f"command/{call.tool}", command)
        handled = self.vehicle.handle(call.tool, command)
        if call.output is not None and is_failure(call.output) != is_failure(handled.output):
            self.differing.append(f"{call.tool}: recorded {call.output[:80]}")
        if handled.revision_after > handled.revision_before:
            self.publish_state(command.t_ns)
        reply = Reply(
            **self.stamper.next(),
            t_ns=command.t_ns,
            call_id=command.call_id,
            status=handled.status,
            output=handled.output if call.output is None else call.output,
            revision_before=handled.revision_before,
            revision_after=handled.revision_after,
            error=handled.error,
            logged=handled.logged,
        )
        self.publish("reply/gateway", reply)
        return reply


def is_bookkeeping(step: Step, before: Step | None) -> bool:
    """The end mark, and the answer of a phone call written down as if the driver had said it."""
    return step.text.strip() == OVER or (before is not None and bool(before.calls))


def last_word(recording: RecordedRun, task: Task) -> str | None:
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
