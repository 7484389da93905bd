"""What was solved by how much tasks ask for, and pairs of a limit-awareness task and its twin."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import BaseModel

from evaluator.results.rows.unit_row import UnitRow
from evaluator.results.statistics import Estimate, Tally, mean, tallies

ACROSS = "calls"  # the axis that all others are shown against
Pair = tuple[str, bool, bool]  # family, whether the limit task was solved, and the twin


class Cell(BaseModel, frozen=True):
    """The tasks in one band of each of two axes, and the mean of the shares solved."""

    tasks: int
    solved: float


class PairFigures(BaseModel, frozen=True):
    """Limit-awareness tasks and their twins, played in the same trial.

    `solved` is the share of pairs of which both were solved, its interval over families; the
    others count pairs by trial.
    """

    pairs: int
    played: int
    both: int
    only_limit: int
    only_twin: int
    neither: int
    solved: Estimate


def band_of(unit: UnitRow, axis: str) -> str:
    return unit.task.bands[axis] if unit.task.bands else "unknown"


def difficulty_map(units: Iterable[UnitRow], axis: str) -> dict[str, dict[str, Cell]]:
    """What was solved by band of calls and of another axis."""
    shares: dict[tuple[str, str], dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for unit in units:
        if unit.verdict.evaluated and unit.task.bands is not None:
            place = band_of(unit, ACROSS), band_of(unit, axis)
            shares[place][unit.task.task_id].append(unit.solved)
    found: dict[str, dict[str, Cell]] = {}
    for (row, column), tasks in sorted(shares.items()):
        solved = mean([sum(trials) / len(trials) for trials in tasks.values()])
        found.setdefault(row, {})[column] = Cell(tasks=len(tasks), solved=solved or 0.0)
    return found


def pairs_in(units: Iterable[UnitRow]) -> Iterator[Pair]:
    """Each limit task with a twin that was evaluated in the same trial."""
    evaluated = {unit.unit: unit for unit in units if unit.verdict.evaluated}
    for unit in evaluated.values():
        twin = evaluated.get((unit.task.twin or "", unit.trial))
        if twin is not None:
            yield unit.task.family, unit.solved, twin.solved


def pair_tallies(pairs: Sequence[Pair]) -> Mapping[str, Tally]:
    """Per family how many of its pairs were solved, over all trials."""
    return tallies((family, limit and twin) for family, limit, twin in pairs)


def pair_figures(
    units: Sequence[UnitRow], pairs: Sequence[Pair], solved: Estimate | None
) -> PairFigures | None:
    if solved is None:
        return None
    played = {unit.task.task_id for unit in units}
    counts = Counter((limit, twin) for _, limit, twin in pairs)
    return PairFigures(
        pairs=len({unit.task.task_id for unit in units if unit.task.twin in played}),
        played=len(pairs),
        both=counts[True, True],
        only_limit=counts[True, False],
        only_twin=counts[False, True],
        neither=counts[False, False],
        solved=solved,
    )
