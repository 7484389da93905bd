"""The difference of two runs with its interval: of a share of tasks, or of a latency.

Intervals come from resampling tasks in pairs, with two made-up tasks among them, one better and one
worse: few tasks, or tasks that all differ alike, never look certain. They say what other tasks
might have shown, not how far the bench was off: a latency that differs by less than the
measurement error is neither better nor worse.
"""

import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import ceil, sqrt
from statistics import fmean
from typing import ClassVar, Literal, NamedTuple

from pydantic import BaseModel, computed_field

from evaluator.results.statistics import (
    CONFIDENCE,
    MANY_TASKS,
    RESAMPLES,
    Tally,
    counts_drawn,
    nearest_rank,
)

Verdict = Literal["better", "worse", "undecided", "equal", "within_error", "untrusted"]
TaskTallies = dict[str, tuple[Tally, Tally]]
TurnPairs = Sequence[tuple[float, float]]  # ms of one span in both runs
Counts = Sequence[int]
MEDIAN, TAIL = 0.5, 0.95
FEWEST_OF_TAIL = 100  # turns, five of which are beyond their p95: fewer give it no interval


class LateTurns(NamedTuple):
    """Of one task how many turns both runs have, and how many of them came too late in each."""

    turns: int
    first: float
    second: float


class Difference(BaseModel, frozen=True):
    """Second run minus first, with its 95 % interval, over `tasks` played by both.

    `differing` counts the tasks that went differently.
    """

    first: float
    second: float
    difference: float
    lo: float
    hi: float
    tasks: int
    differing: int

    more_is_better: ClassVar[bool] = True

    @computed_field  # type: ignore[prop-decorator]  # mypy knows no decorated property
    @property
    def verdict(self) -> Verdict:
        """Undecided while the interval holds zero, equal if no task differs."""
        return self._verdict()

    def _verdict(self) -> Verdict:
        if not self.differing:
            return "equal"
        if self.lo <= 0 <= self.hi:
            return "undecided"
        return "better" if (self.lo > 0) == self.more_is_better else "worse"


class LatencyDifference(Difference, frozen=True):
    """The same of a p50 in ms, over `turns` of one number and class that both runs have.

    Replies that never came are left out. The change of the p95 has an interval (`p95_lo`, `p95_hi`)
    if there are enough turns. `error_ms` is the measurement error that 99 % of these
    turns do not exceed in either run; without `trusted` the bench was too slow to tell.
    """

    turns: int
    first_p95: float
    second_p95: float
    p95_lo: float | None
    p95_hi: float | None
    error_ms: float
    trusted: bool

    more_is_better: ClassVar[bool] = False

    def _verdict(self) -> Verdict:
        if not self.trusted:
            return "untrusted"
        if self.differing and abs(self.difference) < self.error_ms:
            return "within_error"
        return super()._verdict()


class LateDifference(Difference, frozen=True):
    """The same of the share of turns that came too late, over `turns` that both runs have."""

    turns: int

    more_is_better: ClassVar[bool] = False


def share_difference(pairs: TaskTallies, seed: str) -> Difference | None:
    """The difference of the mean shares of successes; None without tasks."""
    if not pairs:
        return None
    shares = [(share(one), share(two)) for one, two in pairs.values()]
    changes = sorted(two - one for one, two in shares)
    first, second = (fmean(pair[side] for pair in shares) for side in (0, 1))
    return Difference(
        first=first,
        second=second,
        **_interval(second - first, _mean_changes([*changes, -1.0, 1.0], seed)),
        tasks=len(changes),
        differing=sum(change != 0 for change in changes),
    )


def late_difference(tasks: Sequence[LateTurns], seed: str) -> LateDifference | None:
    """The difference of the share of turns that came too late; None without turns."""
    turns = sum(task.turns for task in tasks)
    if not turns:
        return None
    first, second = (sum(task[side] for task in tasks) / turns for side in (1, 2))
    changes = sorted((task.turns, task.second - task.first) for task in tasks)
    made_up = turns / len(tasks)  # turns, all of which changed
    changed = [*changes, (made_up, -made_up), (made_up, made_up)]
    return LateDifference(
        first=first,
        second=second,
        **_interval(second - first, _share_changes(changed, seed)),
        tasks=len(tasks),
        differing=sum(task.first != task.second for task in tasks),
        turns=turns,
    )


def latency_difference(
    tasks: Mapping[str, TurnPairs], seed: str, *, error_ms: float, trusted: bool
) -> LatencyDifference | None:
    """The difference of the p50 over all turns; None without turns."""
    turns = [pair for pairs in tasks.values() for pair in pairs]
    if not turns:
        return None
    first, second = ([pair[side] for pair in turns] for side in (0, 1))
    one, two = (nearest_rank(sorted(values), MEDIAN) for values in (first, second))
    mean_square = fmean((after - before) ** 2 for before, after in turns)
    ordered, extreme = sorted(map(sorted, tasks.values())), sqrt(mean_square)
    samples = _changes_of_percentile(MEDIAN, ordered, max(extreme, abs(two - one)), seed)
    tails = [nearest_rank(sorted(values), TAIL) for values in (first, second)]
    tail = tails[1] - tails[0]
    of_tail: dict[str, float] = {}
    if len(turns) >= FEWEST_OF_TAIL:
        of_tail = _interval(
            tail, _changes_of_percentile(TAIL, ordered, max(extreme, abs(tail)), seed)
        )
    return LatencyDifference(
        first=one,
        second=two,
        **_interval(two - one, samples),
        tasks=len(tasks),
        differing=sum(any(before != after for before, after in each) for each in tasks.values()),
        turns=len(turns),
        first_p95=tails[0],
        second_p95=tails[1],
        p95_lo=of_tail.get("lo"),
        p95_hi=of_tail.get("hi"),
        error_ms=error_ms,
        trusted=trusted,
    )


def share(tally: Tally) -> float:
    return tally.successes / tally.trials


def _share_changes(tasks: Sequence[tuple[float, float]], seed: str) -> Iterator[float]:
    """Per sample the change of a share over turns, from the turns of tasks and what changed."""
    if len(tasks) <= MANY_TASKS:
        for counts in _samples(len(tasks), seed):
            turns = sum(drawn * number for drawn, (number, _) in zip(counts, tasks, strict=True))
            change = sum(drawn * changed for drawn, (_, changed) in zip(counts, tasks, strict=True))
            yield change / turns
        return
    alike = Counter(tasks)
    samples = counts_drawn([*alike.values()], random.Random(seed))
    turns, changed = (samples @ list(column) for column in zip(*alike, strict=True))
    yield from (changed / turns).tolist()


def _mean_changes(changes: Sequence[float], seed: str) -> Iterator[float]:
    """Per sample the mean change of a share."""
    if len(changes) <= MANY_TASKS:
        return (fmean(changes, counts) for counts in _samples(len(changes), seed))
    alike = Counter(changes)  # tasks with equal changes are alike
    samples = counts_drawn([*alike.values()], random.Random(seed))
    return iter((samples @ [*alike] / len(changes)).tolist())


def _samples(tasks: int, seed: str) -> Iterator[Counts]:
    """Per sample how often each task was drawn, with replacement."""
    chance = random.Random(seed)
    for _ in range(RESAMPLES):
        counts = [0] * tasks
        for number in chance.choices(range(tasks), k=tasks):
            counts[number] += 1
        yield counts


def _interval(difference: float, samples: Iterator[float]) -> dict[str, float]:
    ordered, tail = sorted(samples), (1 - CONFIDENCE) / 2
    return {
        "difference": difference,
        "lo": min(difference, nearest_rank(ordered, tail)),
        "hi": max(difference, nearest_rank(ordered, 1 - tail)),
    }


def _changes_of_percentile(
    rank: float, tasks: Sequence[TurnPairs], extreme: float, seed: str
) -> Iterator[float]:
    """Per sample how a percentile changed; each made-up task counts as much as a real one."""
    if len(tasks) > MANY_TASKS:
        yield from _changes_of_many(rank, tasks, extreme, seed)
        return
    before, after = (_weighted_percentile(rank, tasks, side) for side in (0, 1))
    for counts in _samples(len(tasks) + 2, seed):
        *real, better, worse = counts
        weight = sum(real)
        change = after(real) - before(real) if weight else 0.0
        yield (weight * change + (worse - better) * extreme) / len(counts)


def _weighted_percentile(
    rank: float, tasks: Sequence[TurnPairs], side: int
) -> Callable[[Counts], float]:
    """The percentile of one run's turns as a function of how often each task was drawn."""
    turns = sorted((pair[side], number) for number, pairs in enumerate(tasks) for pair in pairs)
    owners = [number for _, number in turns]

    def percentile(counts: Counts) -> float:
        reached = list(accumulate(map(counts.__getitem__, owners)))
        return turns[bisect_left(reached, ceil(reached[-1] * rank))][0]

    return percentile


def _changes_of_many(
    rank: float, tasks: Sequence[TurnPairs], extreme: float, seed: str
) -> Iterator[float]:
    """The same, in a fraction of the time."""
    import numpy

    drawing = numpy.random.Generator(numpy.random.PCG64(random.Random(seed).getrandbits(128)))
    sides = []
    for side in (0, 1):
        turns = sorted((pair[side], number) for number, pairs in enumerate(tasks) for pair in pairs)
        sides.append([numpy.array(column) for column in zip(*turns, strict=True)])
    size = len(tasks) + 2
    for _ in range(RESAMPLES):
        counts = numpy.bincount(drawing.integers(size, size=size), minlength=size)
        percentiles = []
        for values, owners in sides:
            reached = counts[owners].cumsum()
            place = int(numpy.searchsorted(reached, ceil(reached[-1] * rank)))
            percentiles.append(float(values[place]))
        better, worse = map(int, counts[-2:])
        weight = size - better - worse
        yield (weight * (percentiles[1] - percentiles[0]) + (worse - better) * extreme) / size
