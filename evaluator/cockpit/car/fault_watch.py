"""Injected faults of one car: planned or at work, and how the assistant copes. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from assistant_gateway.wording.limits import ability
from evaluator.live.update import Update
from evaluator.record.episode import Episode
from evaluator.record.faults import FaultSeen, faults_seen
from evaluator.record.record import Entry, Record
from evaluator.scoring.recovery import is_notable, overlooked
from evaluator.task.task import Expectation, Task
from evaluator.views.captions import FAULTS
from user_sim.script import DriverBrief
from vehicle_bus.car.fault import ONLY_GETTERS, Fault, FaultKind
from vehicle_bus.contract import CarEvent, CarStatus
from vehicle_bus.tools import BY_NAME

FaultState = Literal["planned", "active", "noticed", "recovered", "overlooked", "over"]
FREE_DRIVING = Task(
    task_id="free_driving",
    task_type="base",
    title="Free driving",
    driver=DriverBrief(instruction=""),
    expect=Expectation(actions=(), turn_classes=("A",)),
)


@dataclass(frozen=True, slots=True)
class FaultNow(Update):
    """A fault and how far it has come; an `id` is that of one fault for good."""

    KIND: ClassVar[str] = "fault"
    id: str
    fault_kind: FaultKind
    text: str
    state: FaultState


@dataclass(slots=True)
class WatchedFault:
    """A fault that was planned or has hit; `fault` is its plan, if it is known."""

    id: str
    kind: FaultKind
    text: str
    fault: Fault | None = None
    state: FaultState = "planned"
    hits: list[FaultSeen] = field(default_factory=list)
    closed: bool = False  # its conversation is over

    @property
    def now(self) -> FaultNow:
        return FaultNow(self.id, self.kind, self.text, self.state)

    @property
    def ended(self) -> bool:
        return self.closed or self.state in ("recovered", "over")

    def fits(self, hit: FaultSeen) -> bool:
        """Whether this is the fault that was seen to hit."""
        if self.ended or hit.kind != self.kind:
            return False
        if self.fault is None or hit.tool is None or self.kind == "offline":
            return True
        many = self.fault.times is None or len(self.hits) < self.fault.times
        return many and self.fault.is_about(hit.tool, BY_NAME[hit.tool].kind)


@dataclass(slots=True)
class FaultWatch:
    """Follows the messages of one car; asks for its `record` only while a fault is at work."""

    faults: list[WatchedFault] = field(default_factory=list)
    _planned: int = 0

    def plan(self, fault: Fault) -> FaultNow:
        """A fault was planned by hand."""
        self._planned += 1
        text = _line(fault.kind, _when(fault))
        watched = WatchedFault(f"p{self._planned}", fault.kind, text, fault)
        self.faults.append(watched)
        return watched.now

    def heal(self) -> Iterator[FaultNow]:
        """What had not hit yet will not any more."""
        yield from self._become("over", [f for f in self.faults if f.state == "planned"])

    def take(self, entry: Entry) -> Iterator[FaultNow]:
        """A message of the car: a fault hits, or it is back on the bus."""
        if entry.rest == "event/fault" and (event := entry.read(CarEvent)):
            for hit in faults_seen([event]):
                yield from self._hits(hit)
        elif entry.rest == "event/knob":
            detail = entry.fields.get("detail") or {}
            turned = [f for f in self._at_work("planned") if _turns(f.fault, detail)]
            yield from self._become("over", turned[:1])
        elif entry.rest == "status" and (status := entry.read(CarStatus)) and status.online:
            away = [f for f in self._at_work("active") if f.kind == "offline"]
            yield from self._become("over", [f for f in away if not _called(f)])

    @property
    def waits_for_turn(self) -> bool:
        """Whether the end of a turn may tell more about a fault."""
        return any(fault.hits and not fault.ended for fault in self.faults)

    def turn_over(self, record: Record) -> Iterator[FaultNow]:
        """What the assistant has made of the faults, as far as the conversation shows."""
        episode = Episode(record, FREE_DRIVING)
        for watched in [f for f in self.faults if f.hits and not f.ended]:
            state = _state(episode, watched)
            if state != watched.state:
                yield from self._become(state, [watched])

    def conversation_over(self) -> Iterator[FaultNow]:
        """The state of faults that have hit does not change any more."""
        for fault in self.faults:
            fault.closed = bool(fault.hits)
        yield from self._become("over", self._at_work("active"))

    def _hits(self, hit: FaultSeen) -> Iterator[FaultNow]:
        watched = next((f for f in self.faults if f.fits(hit)), None)
        if watched is None:
            watched = WatchedFault(hit.id, hit.kind, "")
            self.faults.append(watched)
        watched.hits.append(hit)
        watched.text = _line(hit.kind, ability(hit.tool) if hit.tool else "")
        yield from self._become("active", [watched])

    def _at_work(self, state: FaultState) -> list[WatchedFault]:
        return [fault for fault in self.faults if fault.state == state]

    def _become(self, state: FaultState, faults: list[WatchedFault]) -> Iterator[FaultNow]:
        for fault in faults:
            fault.state = state
            yield fault.now


def _state(episode: Episode, watched: WatchedFault) -> FaultState:
    """Noticed if every hit that can be noticed was; recovered if the car did each call after all.

    Overlooked as long as one of them was not; the assistant may notice it in a later turn.
    """
    hits = [hit for hit in watched.hits if hit.call_id is not None]
    if not any(map(is_notable, hits)):
        return "over" if hits else watched.state
    if any(overlooked(episode, hits)):
        return "overlooked"
    done = all(hit.unheard or _worked_later(episode.record, hit) for hit in hits)
    return "recovered" if done else "noticed"


def _worked_later(record: Record, hit: FaultSeen) -> bool:
    """Whether the call was made again, and the reply came, was true and no refusal."""
    return any(
        call.tool == hit.tool and call.succeeded and not call.spoilt and call.command.n > hit.n
        for call in record.calls
    )


def _called(watched: WatchedFault) -> bool:
    return any(hit.call_id is not None for hit in watched.hits)


def _turns(fault: Fault | None, detail: dict[str, object]) -> bool:
    """Whether this fault, which has a time, is the hand that turned a knob."""
    return (
        fault is not None
        and fault.kind == "knob"
        and fault.at_s is not None
        and (fault.by, fault.set) == (detail.get("by"), detail.get("set"))
    )


def _when(fault: Fault) -> str:
    """`waits for the next look-up`, `in 5 s`."""
    if fault.at_s is None:
        return f"waits for {_tools(fault)}"
    return f"in {fault.at_s:g} s" if fault.at_s else "now"


def _tools(fault: Fault) -> str:
    """`the next look-up`, `the next call to set the fan`."""
    wanted = "get" if fault.kind in ONLY_GETTERS else fault.calls
    calls = {"get": "look-up", "set": "change", "any": "call"}[wanted]
    if fault.tool == ".*":
        return f"the next {calls}"
    is_one = fault.tool.isidentifier()
    return f"the next call to {ability(fault.tool)}" if is_one else f"a {calls} that it fits"


def _line(kind: FaultKind, about: str) -> str:
    """`Reply lost: look up the windows`."""
    return ": ".join(filter(None, [FAULTS[kind].capitalize(), about]))
