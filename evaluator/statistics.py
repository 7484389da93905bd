"""How good, how consistently, and how sure: statistics over tasks and trials.

A task stands for itself: means and intervals are over tasks, not over episodes, because trials of
one task are alike. Pass^k is the share of tasks solved k times out of k, Pass@k at least once out
of k, both estimated without bias from c successes in n >= k trials.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, comb

RESAMPLES = 2000
CONFIDENCE = 0.95


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


class Bootstrap:
    """Cluster bootstrap by task: 2,000 samples of as many tasks, drawn with replacement.

    Every statistic asked of one bootstrap sees the same samples. The seed has to come from what
    was measured, never from a run id or the time, so that equal results have equal intervals.
    """

    def __init__(
        self, per_task: Mapping[str, Tally], seed: str, resamples: int = RESAMPLES
    ) -> None:
        self._tallies = sorted(per_task.values())
        self._kinds = sorted(set(self._tallies))
        self._samples = self._draw(random.Random(seed), resamples)

    def _draw(self, chance: random.Random, resamples: int) -> list[list[int]]:
        """Per sample how many tasks of each kind it holds: tasks with equal tallies are alike."""
        size = len(self._tallies)
        number = {kind: index for index, kind in enumerate(self._kinds)}
        population = [number[tally] for tally in self._tallies]
        samples = []
        for _ in range(resamples if size else 0):
            drawn = chance.choices(population, k=size)
            samples.append([drawn.count(index) for index in range(len(self._kinds))])
        return samples

    def mean(self, statistic: Statistic, least_trials: int = 1) -> Estimate | None:
        """Mean over the tasks with at least `least_trials` trials; None if there is none."""
        usable = [
            (index, statistic(kind))
            for index, kind in enumerate(self._kinds)
            if kind.trials >= least_trials
        ]
        counts = [self._tallies.count(self._kinds[index]) for index, _ in usable]
        values = [value for _, value in usable]
        tasks = sum(counts)
        if not tasks:
            return None
        means = []
        for sample in self._samples:
            drawn = [sample[index] for index, _ in usable]
            if total := sum(drawn):
                means.append(_weighted(values, drawn) / total)
        means.sort()
        tail = (1 - CONFIDENCE) / 2
        return Estimate(
            value=_weighted(values, counts) / tasks,
            lo=nearest_rank(means, tail),
            hi=nearest_rank(means, 1 - tail),
            tasks=tasks,
        )


def _weighted(values: Sequence[float], weights: Sequence[int]) -> float:
    return sum(value * weight for value, weight in zip(values, weights, strict=True))


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
