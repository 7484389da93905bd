"""Two runs of different tasks compared: shipped tasks against fresh ones, to see what is memory.

Tasks are compared with others of the same main type and band of expected calls, and these strata
are weighted as in the first run, so that a harder set is not taken for a worse agent. The interval
is Newcombe's: Wilson's intervals of both shares, over tasks, put together stratum by stratum.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import sqrt

from pydantic import BaseModel, computed_field

from evaluator.results.comparison import Side
from evaluator.results.differences import Verdict
from evaluator.results.rows.unit_row import UnitRow
from evaluator.results.statistics import tallies, wilson
from evaluator.results.task_figures import band_of

Stratum = tuple[str, str]  # main type, band of calls
Shares = Mapping[Stratum, Sequence[float]]
Success = Callable[[UnitRow], bool]


class UnpairedDifference(BaseModel, frozen=True):
    """Second run minus first; tasks of strata that only one run has are left out."""

    first: float
    second: float
    difference: float
    lo: float
    hi: float
    first_tasks: int
    second_tasks: int

    @computed_field  # type: ignore[prop-decorator]  # mypy knows no decorated property
    @property
    def verdict(self) -> Verdict:
        if self.lo <= 0 <= self.hi:
            return "undecided"
        return "better" if self.lo > 0 else "worse"


class Unpaired(BaseModel, frozen=True):
    """The differences of all tasks and of each main type."""

    solved: UnpairedDifference
    in_time: UnpairedDifference | None
    by_type: dict[str, UnpairedDifference]


def unpaired(first: Side, second: Side) -> Unpaired | None:
    """None if no stratum is in both runs."""
    one, two = (_shares(side, _solved) for side in (first, second))
    solved = _difference(one, two)
    if solved is None:
        return None
    judged = all(side.manifest.latencies_judged for side in (first, second))
    timed = [_shares(side, _in_time) for side in (first, second)]
    by_type = {
        name: _difference(_of_type(one, name), _of_type(two, name))
        for name in sorted({main_type for main_type, _ in one})
    }
    return Unpaired(
        solved=solved,
        in_time=_difference(*timed) if judged else None,
        by_type={name: found for name, found in by_type.items() if found is not None},
    )


def _solved(row: UnitRow) -> bool:
    return row.solved


def _in_time(row: UnitRow) -> bool:
    return row.verdict.in_time


def _shares(side: Side, success: Success) -> Shares:
    """Per stratum the share of successes of each task."""
    rows = side.rows.evaluated
    strata = {row.task.task_id: (row.task.main_type, band_of(row, "calls")) for row in rows}
    found: dict[Stratum, list[float]] = defaultdict(list)
    for task_id, tally in tallies((row.task.task_id, success(row)) for row in rows).items():
        found[strata[task_id]].append(tally.successes / tally.trials)
    return found


def _of_type(shares: Shares, main_type: str) -> Shares:
    return {stratum: tasks for stratum, tasks in shares.items() if stratum[0] == main_type}


def _difference(one: Shares, two: Shares) -> UnpairedDifference | None:
    common = sorted(one.keys() & two.keys())
    tasks = sum(len(one[stratum]) for stratum in common)
    if not tasks:
        return None
    first = second = below = above = 0.0
    for stratum in common:
        weight = len(one[stratum]) / tasks
        (mean, lo, hi), (other, other_lo, other_hi) = map(_interval, (one[stratum], two[stratum]))
        first += weight * mean
        second += weight * other
        below += weight**2 * ((other - other_lo) ** 2 + (hi - mean) ** 2)
        above += weight**2 * ((other_hi - other) ** 2 + (mean - lo) ** 2)
    return UnpairedDifference(
        first=first,
        second=second,
        difference=second - first,
        lo=second - first - sqrt(below),
        hi=second - first + sqrt(above),
        first_tasks=tasks,
        second_tasks=sum(len(two[stratum]) for stratum in common),
    )


def _interval(shares: Sequence[float]) -> tuple[float, float, float]:
    """The mean and its interval; a task counts once, however many trials it had."""
    return sum(shares) / len(shares), *wilson(sum(shares), len(shares))
