"""Episodes to test with: what car and gateway would have put on the bus, without a bus."""

from typing import Any, Self

from assistant_gateway.protocol import (
    Body,
    InputTranscriptFinal,
    ResponseDone,
    ResponseTextDelta,
)
from assistant_gateway.session.logged_frame import LoggedFrame, Way
from evaluator.record.record import Entry, Record
from evaluator.results.manifest import Manifest, origin, task_checksums
from evaluator.results.store import DriverChecks, UnitResult
from evaluator.scoring.scores import Score
from evaluator.task.task import Action, Expectation, Task, TaskType
from tests.vehicle_bus.cars import WORLD
from user_sim.script import DriverBrief
from vehicle_bus.car.state import CarSetup, PlannedEvent
from vehicle_bus.contract import (
    Capabilities,
    CarEvent,
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

SECOND = 1_000_000_000
SPANS: dict[str, int | None] = {
    "ttft_text": 600_000_000,
    "upl": 900_000_000,
    "upl_content": 900_000_000,
    "effect_latency": None,
    "turnaround": 3 * SECOND,
    "max_gap": 900_000_000,
}
KEPT = {"class": "B", "first_speech": "ok", "content": "ok", "hard_miss": False, "soft_miss": False}
MISSED = {**KEPT, "first_speech": "missing", "hard_miss": True, "soft_miss": True}


def task(
    *actions: Action,
    task_type: TaskType = "base",
    removed: tuple[str, ...] = (),
    **start: Any,
) -> Task:
    return Task(
        task_id="base_90",
        task_type=task_type,
        title="A task for tests",
        car=CarSetup(start=start, removed=removed),
        driver=DriverBrief(instruction="", removed=removed),
        expect=Expectation(actions=actions, turn_classes=("B",)),
    )


def do(name: str, **arguments: Any) -> Action:
    return Action(name=name, arguments=arguments)


class Episode:
    """Writes what happens to `entries`, numbered like the real thing."""

    def __init__(self, played: Task | None = None, vin: str = "car-1", sid: str = "s-1") -> None:
        self.task = played or task()
        self.vin, self.sid = vin, sid
        self.vehicle = Vehicle(self.task.car, WORLD)
        self.entries: list[Entry] = []
        self.seq = {"car": 0, "gateway": 0}
        self.n = 0
        self.now_ns = 0
        self.calls = 0
        self.turns = 0
        self._publish("car", "capabilities", Capabilities, tools=self.vehicle.declarations())
        self._snapshot()

    def call(
        self, tool: str, /, *, fault: str | None = None, answered: bool = True, **arguments: Any
    ) -> Self:
        self.calls += 1
        call_id = f"c{self.calls}"
        command: dict[str, Any] = {"call_id": call_id, "arguments": arguments, "session": self.sid}
        command["turn"] = self.turns + 1
        self._publish("gateway", f"command/{tool}", Command, **command, at_ns=self.now_ns)
        if not answered:
            return self
        handled = self.vehicle.handle(tool, Command(**command))
        if handled.changes:
            self._snapshot(cause=call_id)
        self._publish(
            "car",
            "reply/gateway-7",
            Reply,
            call_id=call_id,
            status=handled.status,
            output=handled.output,
            revision_before=handled.revision_before,
            revision_after=handled.revision_after,
            took_ns=1000 + self.n,
            error=handled.error,
            logged=handled.logged,
            fault=fault,
        )
        return self

    def refused(self, tool: str, /, *, refusal: str = "please try again", **arguments: Any) -> Self:
        """A call that a fault makes the car refuse."""
        self.call(tool, answered=False, **arguments)
        name = self.fault("refusal", tool)
        handled = self.vehicle.decline(refusal)
        details = {
            "status": handled.status,
            "output": handled.output,
            "error": handled.error,
            "revision_before": handled.revision_before,
            "revision_after": handled.revision_after,
        }
        call_id = f"c{self.calls}"
        self._publish("car", "reply/gateway-7", Reply, call_id=call_id, fault=name, **details)
        return self

    def unheard(self, tool: str, **arguments: Any) -> str:
        """What the car makes of a call without saying so."""
        status = self.vehicle.handle(tool, Command(call_id="", arguments=arguments)).status
        self._snapshot(cause=f"c{self.calls}")
        return status

    def fault(self, kind: str, tool: str, **details: Any) -> str:
        """The last call was hit by a fault."""
        name = f"f{self.n}"
        detail = {"id": name, "kind": kind, "tool": tool, "call_id": f"c{self.calls}", **details}
        self._publish("car", "event/fault", CarEvent, detail=detail)
        return name

    def turned(self, **values: Any) -> Self:
        """A hand sets something."""
        self.vehicle.plan(PlannedEvent(at_s=0, set=values))
        self.vehicle.advance(0)
        self._snapshot()
        detail = {"by": "passenger", "set": values}
        self._publish("car", "event/knob", CarEvent, detail=detail)
        return self

    def turn(
        self,
        verdict: dict[str, Any] = KEPT,
        *,
        handed_over: bool = True,
        late_ms: float = 0.0,
        heard: str = "done",
        **spans: int | None,
    ) -> Self:
        self.turns += 1
        self.now_ns += 5 * SECOND
        self._session(
            "turn",
            TurnFinished,
            turn=self.turns,
            turn_class="B",
            revision=self.vehicle.revision,
            spans={**SPANS, **spans},
            verdict=verdict,
            heard_user="do it",
            heard_agent=heard,
            handed_over=handed_over,
            harness={"late_ms": late_ms},
        )
        return self

    def said(self, who: str, text: str) -> Self:
        if who == "agent":
            return self.frames(ResponseTextDelta(delta=text), ResponseDone())
        now_ns = self.now_ns
        return self.frames(
            InputTranscriptFinal(text=text, user_speech_end_ns=now_ns, now_ns=now_ns)
        )

    def frames(
        self,
        *bodies: Body,
        rid: str | None = None,
        traceparent: str | None = None,
        way: Way = "in",
    ) -> Self:
        """What the agent's socket carried now, in one batch; calls are numbered."""
        stamps: dict[str, Any] = {"t_ns": self.now_ns, "mono_ns": id(bodies), "rid": rid}
        stamps["traceparent"] = traceparent
        logged = [
            LoggedFrame(way, "agent", body, cid=f"t{place}", **stamps)
            for place, body in enumerate(bodies)
        ]
        self._session("frame", Frames, frames=[frame.encode() for frame in logged])
        return self

    def control(self, word: str, reason: str = "") -> Self:
        self._session("control", Control, word=word, reason=reason, turn=self.turns)
        return self

    def end(self, reason: str = "STOP") -> Self:
        if reason.isupper():
            self.control(reason)
        counts = {**self.seq, "gateway": self.seq["gateway"] + 1}
        revision = self.vehicle.revision
        self._session("end", SessionEnd, reason=reason, counts=counts, revision=revision)
        return self

    @property
    def record(self) -> Record:
        return Record(self.vin, tuple(self.entries))

    def _snapshot(self, cause: str | None = None) -> None:
        vehicle = self.vehicle
        state = vehicle.snapshot()
        body: dict[str, Any] = {"revision": vehicle.revision, "state": state, "cause": cause}
        self._publish("car", "snapshot", Snapshot, **body)

    def _session(self, kind: str, model: type[Stamped], **fields: Any) -> None:
        self._publish("gateway", f"session/{self.sid}/{kind}", model, **fields)

    def _publish(self, src: str, rest: str, model: type[Stamped], **fields: Any) -> None:
        self.seq[src] += 1
        self.n += 1
        stamps = {"src": src, "seq": self.seq[src], "n": self.n, "t_ns": self.now_ns}
        payload = model(**{**stamps, **fields, "mono_ns": id(self) + self.n})
        self.entries.append(Entry(rest, encode(payload), mono_ns=id(self) + self.n))


def manifest(*task_ids: str, **changes: Any) -> Manifest:
    """A manifest of a small run; `changes` replace any of its fields."""
    made = Manifest(
        **origin(),
        run_id="r1",
        tasks=task_checksums(
            [task().model_copy(update={"task_id": name}) for name in task_ids or ("base_90",)]
        ),
        num_trials=1,
        seed=10,
        agent="reference",
        user="scripted",
        pace="fast",
        latency_profile="zero",
        profile="codriver",
        compat="codriver",
        world="0011",
    )
    return made.model_copy(update=changes)


def unit(
    task_id: str = "base_90",
    trial: int = 0,
    outcome: str = "success",
    *,
    task_type: str = "base",
    script: str = "written",
    attempt: int = 0,
    reason: str = "",
    episode: Episode | None = None,
    driver: DriverChecks | None = None,
    **score: Any,
) -> UnitResult:
    """A unit result; its turns are those of `episode`."""
    from evaluator.scoring.scores import TurnScore

    counts = outcome in ("success", "failure")
    reward = float(outcome == "success") if counts else None
    turns = tuple(TurnScore.of(turn) for turn in episode.record.turns) if episode else ()
    made = {
        "outcome": outcome,
        "reason": reason,
        "profile": "codriver",
        "reward": reward,
        "reward_coded": reward,
        "reward_in_time": reward,
        "components": {"r_realtime": 1.0},
        "turns": turns,
    }
    return UnitResult(
        task_id=task_id,
        trial=trial,
        attempt=attempt,
        task_type=task_type,
        script=script,
        driver=driver,
        score=Score(**{**made, **score}),
        started_at="2026-01-01T00:00:00+00:00",
        finished_at="2026-01-01T00:00:10+00:00",
    )
