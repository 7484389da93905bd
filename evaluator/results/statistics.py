"""How good, how consistently, and how sure: statistics over tasks and trials.

A task stands for itself: means and intervals are over tasks, not over episodes, because trials of
one task are alike. Pass^k is the share of tasks solved k times out of k, Pass@k at least once out
of k, both estimated without bias from c successes in n >= k trials. The public benchmark's analysis
looks at the first k trials instead: `first_trials` makes tallies of those.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, comb, sqrt
from operator import mul
from typing import Any

RESAMPLES = 2000
CONFIDENCE = 0.95
Z = 1.96  # of the normal distribution, for the same confidence
BYTES = 256
SPARE = 16
MANY_TASKS = 1000  # beyond, what is drawn is counted, and not drawn task by task
FEW_KINDS = 2  # of tallies, which need no arrays
EVERY_K = 32  # of more trials Pass^k is told for each doubling of k


@dataclass(frozen=True, order=True, slots=True)
class Tally:
    """`successes` in `trials` evaluated trials of one task."""

    successes: int
    trials: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over tasks with its 95 % interval; `tasks` is how many had enough trials."""

    value: float
    lo: float
    hi: float
    tasks: int


Statistic = Callable[[Tally], float]


def pass_hat(tally: Tally, k: int) -> float:
    """The chance that k trials drawn from this task's trials are all successes."""
    return comb(tally.successes, k) / comb(tally.trials, k)


def pass_at(tally: Tally, k: int) -> float:
    """The chance that at least one of k trials drawn from this task's trials is a success."""
    return 1 - comb(tally.trials - tally.successes, k) / comb(tally.trials, k)


def tallies(results: Iterable[tuple[str, bool]]) -> dict[str, Tally]:
    """Per task id from (task id, success) of every evaluated unit."""
    counts: dict[str, list[bool]] = {}
    for task_id, success in results:
        counts.setdefault(task_id, []).append(success)
    return {task_id: Tally(sum(trials), len(trials)) for task_id, trials in counts.items()}


def first_trials(results: Iterable[tuple[str, int, bool]], k: int) -> dict[str, Tally]:
    """Per task with at least k trials the successes among its trials 0 to k-1.

    `results` are (task id, trial, success); a trial that is not there counts as no success.
    """
    trials: dict[str, dict[int, bool]] = {}
    for task_id, trial, success in results:
        trials.setdefault(task_id, {})[trial] = success
    return {
        task_id: Tally(sum(success for trial, success in done.items() if trial < k), k)
        for task_id, done in trials.items()
        if len(done) >= k
    }


class Bootstrap:
    """Cluster bootstrap by task: 2,000 samples of as many tasks, drawn with replacement.

    Every statistic asked of one bootstrap sees the same samples. The seed has to come from what
    was measured, never from a run id or the time, so that equal results have equal intervals.
    """

    def __init__(
        self, per_task: Mapping[str, Tally], seed: str, resamples: int = RESAMPLES
    ) -> None:
        self._counts = Counter(per_task.values())
        self._kinds = sorted(self._counts)
        self._many = sum(self._counts.values()) > MANY_TASKS
        self._seed, self._resamples = seed, resamples

    @cached_property
    def _samples(self) -> Any:
        """Per sample how many tasks of each kind it holds: tasks with equal tallies are alike.

        Not drawn at all where every task has the same share.
        """
        chance, resamples = random.Random(self._seed), self._resamples
        counts = [self._counts[kind] for kind in self._kinds]
        if self._many:
            return counts_drawn(counts, chance, resamples)
        population = [index for index, count in enumerate(counts) for _ in range(count)]
        if not population:
            return []
        draw = _drawing(population, chance)
        samples = [draw() for _ in range(resamples)]
        return samples if len(counts) <= FEW_KINDS else _array(samples)

    def mean(self, statistic: Statistic, least_trials: int = 1) -> Estimate | None:
        """Mean over the tasks with at least `least_trials` trials; None if there is none."""
        usable = [
            (index, statistic(kind))
            for index, kind in enumerate(self._kinds)
            if kind.trials >= least_trials
        ]
        counts = [self._counts[self._kinds[index]] for index, _ in usable]
        values = [value for _, value in usable]
        tasks = sum(counts)
        if not tasks:
            return None
        if (sure := _unanimous(set(values), tasks)) is not None:
            return sure
        means = sorted(self._sample_means([index for index, _ in usable], values))
        tail = (1 - CONFIDENCE) / 2
        return Estimate(
            value=_weighted(values, counts) / tasks,
            lo=nearest_rank(means, tail),
            hi=nearest_rank(means, 1 - tail),
            tasks=tasks,
        )

    def _sample_means(self, usable: Sequence[int], values: Sequence[float]) -> list[float]:
        """Over the kinds that are usable; nothing for a sample that holds none of them."""
        if isinstance(self._samples, list):
            samples = ([sample[index] for index in usable] for sample in self._samples)
            return [_weighted(values, drawn) / sum(drawn) for drawn in samples if any(drawn)]
        columns = [self._samples[:, index] for index in usable]
        totals = sum(columns)
        some = totals > 0
        means: list[float] = (_weighted(values, columns)[some] / totals[some]).tolist()
        return means


def _unanimous(values: set[float], tasks: int) -> Estimate | None:
    """All tasks have one share: samples of them tell nothing, so this is Wilson's interval."""
    if len(values) > 1:
        return None
    [value] = values
    lo, hi = wilson(value * tasks, tasks)
    return Estimate(value, lo=lo, hi=hi, tasks=tasks)


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of independent trials; everything is possible without."""
    if not trials:
        return 0.0, 1.0
    share, spread = successes / trials, Z * Z / trials
    middle = share + spread / 2
    half = Z * sqrt(share * (1 - share) / trials + spread / (4 * trials))
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


def _drawing(population: list[int], chance: random.Random) -> Callable[[], list[int]]:
    """One sample per call, with replacement: how often each number of the population was drawn."""
    size, kinds = len(population), max(population) + 1
    if size > BYTES:

        def draw() -> list[int]:
            drawn = Counter(chance.choices(population, k=size))
            return [drawn[kind] for kind in range(kinds)]

        return draw

    # One byte draws one task; bytes of the last, incomplete round would favour some tasks.
    fair = BYTES - BYTES % size
    table = bytes(population[byte % size] for byte in range(BYTES))
    unfair = bytes(range(fair, BYTES))

    def draw_bytes() -> list[int]:
        drawn = b""
        while len(drawn) < size:
            drawn += chance.randbytes(size + SPARE).translate(table, unfair)
        drawn = drawn[:size]
        return [drawn.count(kind) for kind in range(kinds)]

    return draw_bytes


def counts_drawn(counts: Sequence[int], chance: random.Random, resamples: int = RESAMPLES) -> Any:
    """Samples of as many as there are, with replacement: how many of each kind each one holds.

    An array with a row per sample.
    """
    import numpy

    drawing = numpy.random.Generator(numpy.random.PCG64(chance.getrandbits(128)))
    shares = numpy.array(counts) / sum(counts)
    return drawing.multinomial(sum(counts), shares, resamples).astype(numpy.int32)


def trial_numbers(most: int) -> Iterator[int]:
    """The k of Pass^k for so many trials."""
    yield from range(1, min(most, EVERY_K) + 1)
    k = EVERY_K * 2
    while k < most:
        yield k
        k *= 2
    if most > EVERY_K:
        yield most


def _array(samples: list[list[int]]) -> Any:
    import numpy

    return numpy.array(samples, numpy.int32)


def _weighted(values: Sequence[float], weights: Sequence[Any]) -> Any:
    """The sum; of columns one for each row, added up in the same order."""
    return sum(map(mul, values, weights))


def flip_rate(per_task: Mapping[str, Tally]) -> float | None:
    """Share of tasks with two trials or more that were solved in some and not in others."""
    repeated = [tally for tally in per_task.values() if tally.trials > 1]
    flipped = [tally for tally in repeated if 0 < tally.successes < tally.trials]
    return len(flipped) / len(repeated) if repeated else None


def nearest_rank(ordered: Sequence[float], share: float) -> float:
    """The smallest of the ordered values that at least this share of them does not exceed.

    No interpolation: the result was measured, and an infinite value stays one.
    """
    rank = ceil(round(share * len(ordered), 9))
    return ordered[max(rank, 1) - 1]


def mean(values: Sequence[float]) -> float | None:
    """The mean, or None of nothing."""
    return sum(values) / len(values) if values else None


@dataclass(slots=True)
class RunningMean:
    """A mean of values that come one after the other; None of nothing."""

    total: float = 0.0
    number: int = 0

    def add(self, value: float) -> None:
        self.total += value
        self.number += 1

    @property
    def value(self) -> float | None:
        return self.total / self.number if self.number else None
