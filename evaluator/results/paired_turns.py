"""The turns that two runs both have, with what each of their spans took in either run."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from assistant_gateway.timing.timeline import MS
from evaluator.results.differences import TurnPairs
from evaluator.results.store import UnitResult

WAITS = ("upl", "upl_content", "effect_latency")  # what a driver waits for
Waits = Mapping[str, TurnPairs]  # by task
Place = tuple[str, int, str]  # task id, number, class


@dataclass(frozen=True, slots=True)
class PairedTurn:
    """A turn of one number and class; per span its ms in both runs, medians over their trials."""

    task_id: str
    turn: int
    turn_class: str
    spans: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class SlowerTurn:
    """A turn that took longer in the second run, by more than the measurement error.

    In ms of the wait that grew most.
    """

    task_id: str
    turn: int
    turn_class: str
    span: str
    first_ms: float
    second_ms: float


def paired_turns(
    first: Sequence[UnitResult], second: Sequence[UnitResult], shared: Iterable[str]
) -> list[PairedTurn]:
    """Those of the shared tasks, in their order."""
    one, two = _medians(first), _medians(second)
    places: dict[str, list[Place]] = defaultdict(list)
    for place in sorted(one.keys() & two.keys()):
        places[place[0]].append(place)
    return [
        PairedTurn(*place, {name: (one[place][name], two[place][name]) for name in names})
        for task_id in shared
        for place in places.get(task_id, ())
        if (names := [name for name in one[place] if name in two[place]])
    ]


def _medians(units: Iterable[UnitResult]) -> dict[Place, dict[str, float]]:
    """Per turn and span the median over trials, where neither bench nor fault delayed it."""
    values: dict[Place, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for unit in units:
        for turn in unit.score.turns if unit.score.evaluated else ():
            for name, took_ns in turn.spans.items() if turn.counts_for_latency else ():
                if took_ns is not None:
                    values[unit.task_id, turn.turn, turn.turn_class][name].append(took_ns / MS)
    return {
        place: {name: median(measured) for name, measured in spans.items()}
        for place, spans in values.items()
    }


def waits(turns: Iterable[PairedTurn], span: str) -> Waits:
    """What one span took in both runs, by task."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for turn in turns:
        if span in turn.spans:
            found[turn.task_id].append(turn.spans[span])
    return found


def slower_turns(turns: Iterable[PairedTurn], error_ms: float) -> list[SlowerTurn]:
    """The greatest growth first."""
    grown = [slower for turn in turns for slower in _grown(turn, error_ms)]
    return sorted(grown, key=lambda turn: turn.first_ms - turn.second_ms)


def _grown(turn: PairedTurn, error_ms: float) -> Iterator[SlowerTurn]:
    waited = [(name, *turn.spans[name]) for name in WAITS if name in turn.spans]
    name, one, two = max(waited, key=lambda wait: wait[2] - wait[1], default=("", 0.0, 0.0))
    if two - one > error_ms:
        yield SlowerTurn(turn.task_id, turn.turn, turn.turn_class, name, one, two)
