"""The turns of a run by place: what each trial took, and the worst that came too late."""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from assistant_gateway.timing.timeline import MS
from evaluator.results.slow_turns import SlowTurn, slow_turns_of
from evaluator.results.store import UnitResult
from evaluator.scoring.scores import TurnScore

Place = tuple[str, int, str]  # task id, number, class
Values = dict[str, "array[float]"]  # ms by span, one per trial


@dataclass(slots=True)
class TurnsAtPlace:
    """`counted` are turns that neither bench nor fault delayed; `worst` is the one most late.

    `judged_trials` are those whose turn had limits, `late_trials` those that missed a hard one.
    """

    counted: Values = field(default_factory=dict)
    delayed: Values = field(default_factory=dict)
    worst: SlowTurn | None = None
    judged_trials: int = 0
    late_trials: int = 0

    def add(self, turn: TurnScore) -> None:
        self.judged_trials += turn.judged
        self.late_trials += turn.hard_miss
        values = self.counted if turn.counts_for_latency else self.delayed
        for name, took_ns in turn.spans.items():
            if took_ns is not None:
                if name not in values:
                    values[name] = array("d")
                values[name].append(took_ns / MS)

    def add_late(self, late: SlowTurn) -> None:
        if self.worst is None or late.beyond_ms > self.worst.beyond_ms:
            self.worst = late

    def took_ms(self, span: str) -> Iterator[float]:
        """In all turns, delayed or not."""
        for values in (self.counted, self.delayed):
            yield from values.get(span, ())


class PlayedTurns:
    """The turns of units that count for the agent."""

    def __init__(self) -> None:
        self.places: dict[Place, TurnsAtPlace] = {}

    @classmethod
    def of(cls, units: Iterable[UnitResult]) -> "PlayedTurns":
        turns = cls()
        for unit in units:
            turns.add(unit)
        return turns

    def add(self, unit: UnitResult) -> None:
        if not unit.score.evaluated:
            return
        for turn in unit.score.turns:
            self._at(unit.task_id, turn.turn, turn.turn_class).add(turn)
        for slow in slow_turns_of(unit):
            if slow.late:
                self._at(slow.task_id, slow.turn, slow.turn_class).add_late(slow)

    def _at(self, task_id: str, turn: int, turn_class: str) -> TurnsAtPlace:
        place = task_id, turn, turn_class
        if (found := self.places.get(place)) is None:
            found = self.places[place] = TurnsAtPlace()
        return found
