"""The turns that two runs both have, with what each of their spans took in either run."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from evaluator.results.differences import LateTurns, TurnPairs
from evaluator.results.rows.played_turns import Place, PlayedTurns, Values
from evaluator.results.slow_turns import LateInOne

WAITS = ("upl", "upl_content", "effect_latency")  # what a driver waits for
Waits = Mapping[str, TurnPairs]  # by task


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
    first: PlayedTurns, second: PlayedTurns, shared: Iterable[str]
) -> list[PairedTurn]:
    """Those of the shared tasks, in their order."""
    places: dict[str, list[Place]] = defaultdict(list)
    for place in sorted(first.places.keys() & second.places.keys()):
        places[place[0]].append(place)
    return [
        PairedTurn(*place, spans)
        for task_id in shared
        for place in places.get(task_id, ())
        if (spans := _medians(first.places[place].counted, second.places[place].counted))
    ]


def _medians(one: Values, two: Values) -> dict[str, tuple[float, float]]:
    """Per span the medians over trials, where neither bench nor fault delayed them."""
    return {name: (median(one[name]), median(two[name])) for name in one if name in two}


def late_only_in(
    run: PlayedTurns, other: PlayedTurns, shared: Iterable[str] | None = None
) -> list[LateInOne]:
    """The turns that are too late in this run only, each with its worst trial; the worst first.

    A turn is the same in both runs if it has the same number and class. Only of `shared` tasks.
    """
    tasks = None if shared is None else set(shared)
    found: list[LateInOne] = []
    for place, turns in run.places.items():
        there = other.places.get(place)
        if turns.worst is None or (there is not None and there.worst is not None):
            continue
        if tasks is not None and place[0] not in tasks:
            continue
        took = list(there.took_ms(turns.worst.span)) if there else []
        late = LateInOne(
            **dict(turns.worst),
            late_trials=turns.late_trials,
            in_other=there is not None,
            other_ms=median(took) if took else None,
        )
        found.append(late)
    return sorted(
        found, key=lambda each: (-each.beyond_ms, each.task_id, each.turn, each.turn_class)
    )


def late_turns(
    first: PlayedTurns, second: PlayedTurns, shared: Iterable[str], chosen: Callable[[int], bool]
) -> list[LateTurns]:
    """Per shared task the turns that both runs have, of `chosen` numbers, and how many were late.

    Of several trials a turn counts as the share that was late.
    """
    tasks = set(shared)
    found: dict[str, LateTurns] = {}
    for place in sorted(first.places.keys() & second.places.keys()):
        one, two = first.places[place], second.places[place]
        if place[0] in tasks and chosen(place[1]) and one.judged_trials and two.judged_trials:
            before = found.get(place[0], LateTurns(0, 0.0, 0.0))
            found[place[0]] = LateTurns(
                before.turns + 1,
                before.first + one.late_trials / one.judged_trials,
                before.second + two.late_trials / two.judged_trials,
            )
    return list(found.values())


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
