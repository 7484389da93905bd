"""Two runs compared task by task: what differs, and whether it may be chance.

Only tasks that both runs played in the same wording count. The difference is the mean over tasks
of the difference of their shares of successes; its interval comes from resampling tasks in pairs.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, computed_field

from evaluator.results.manifest import Manifest, checksum, manifest_key
from evaluator.results.statistics import CONFIDENCE, RESAMPLES, Tally, nearest_rank, tallies
from evaluator.results.store import UnitResult
from evaluator.scoring.judgements import Judged

# Runs that differ in one of these do not compare.
SAME = ("user", "pace", "profile", "compat", "max_steps")


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs."""

    manifest: Manifest
    units: Sequence[UnitResult]
    judged: Sequence[Judged] = ()

    @property
    def judge(self) -> str | None:
        return self.judged[-1].judge if self.judged else None


class Difference(BaseModel, frozen=True):
    """Second run minus first, with its 95 % interval, over `tasks` played by both."""

    first: float
    second: float
    difference: float
    lo: float
    hi: float
    tasks: int

    @computed_field  # type: ignore[prop-decorator]  # mypy knows no decorated property
    @property
    def verdict(self) -> Literal["better", "worse", "undecided", "equal"]:
        """Undecided while the interval holds zero, equal if no task differs."""
        if self.lo == self.difference == self.hi == 0:
            return "equal"
        return "better" if self.lo > 0 else "worse" if self.hi < 0 else "undecided"


@dataclass(frozen=True, slots=True)
class TaskChange:
    """A task that went differently; successes and trials in each run."""

    task_id: str
    first: Tally
    second: Tally
    reason: str

    @property
    def change(self) -> float:
        return _share(self.second) - _share(self.first)


@dataclass(frozen=True, slots=True)
class Comparison:
    """`solved` and `in_time` are None when the runs share no task.

    `mixed` are differences that forbid a comparison, `conditions` those that only have to be known.
    `not_judged` are runs whose latencies are not judged; then `in_time` is None as well.
    """

    mixed: tuple[str, ...]
    conditions: tuple[str, ...]
    not_judged: tuple[str, ...]
    solved: Difference | None
    in_time: Difference | None
    by_type: Mapping[str, Difference]
    changes: tuple[TaskChange, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    reworded: tuple[str, ...]


def compare(first: Side, second: Side) -> Comparison:
    """Compare the tasks that both runs played in the same wording."""
    one, two = first.manifest.tasks, second.manifest.tasks
    shared = [name for name in one if two.get(name) == one[name]]
    seed = checksum([manifest_key(first.manifest), manifest_key(second.manifest)])
    pairs = _pairs(first, second, shared, _solved)
    timed = _pairs(first, second, shared, _in_time)
    runs = (first.manifest, second.manifest)
    not_judged = [run.run_id for run in runs if run.patience_s is not None]
    families = _families(first.units)
    by_type = {
        family: _difference({n: p for n, p in pairs.items() if families[n] == family}, seed)
        for family in sorted({families[name] for name in pairs})
    }
    return Comparison(
        mixed=tuple(mixed(first, second)),
        conditions=tuple(other_conditions(first.manifest, second.manifest)),
        not_judged=tuple(not_judged),
        solved=_difference(pairs, seed),
        in_time=None if not_judged else _difference(timed, seed),
        by_type={family: found for family, found in by_type.items() if found is not None},
        changes=tuple(_changes(pairs, second.units)),
        only_first=tuple(name for name in one if name not in two),
        only_second=tuple(name for name in two if name not in one),
        reworded=tuple(name for name in one if name in two and name not in shared),
    )


def mixed(first: Side, second: Side) -> list[str]:
    """A phrase such as `pace (fast, live)` per field in which the runs differ and must not."""
    one, two = first.manifest, second.manifest
    found = [
        f"{name} ({getattr(one, name)}, {getattr(two, name)})"
        for name in SAME
        if getattr(one, name) != getattr(two, name)
    ]
    prompts = [
        f"{name} prompt"
        for name in sorted(one.prompts.keys() & two.prompts.keys())
        if one.prompts[name] != two.prompts[name]
    ]
    worlds = one.world and two.world and one.world != two.world
    judges = [] if first.judge == second.judge else [f"judge ({first.judge}, {second.judge})"]
    return [*found, *prompts, *judges, *(["world"] if worlds else [])]


def other_conditions(one: Manifest, two: Manifest) -> list[str]:
    """The same for conditions of the sessions that both manifests have."""
    return [
        f"{name} ({here}, {there})" if isinstance(here, str) else name
        for name, here in one.conditions.items()
        if name in two.conditions and here != (there := two.conditions[name])
    ]


Pairs = dict[str, tuple[Tally, Tally]]


def _pairs(
    first: Side, second: Side, shared: Sequence[str], success: Callable[[UnitResult], bool]
) -> Pairs:
    one, two = (
        tallies((unit.task_id, success(unit)) for unit in side.units if unit.score.evaluated)
        for side in (first, second)
    )
    return {name: (one[name], two[name]) for name in shared if name in one and name in two}


def _solved(unit: UnitResult) -> bool:
    return unit.score.outcome == "success"


def _in_time(unit: UnitResult) -> bool:
    return unit.score.in_time


def _difference(pairs: Pairs, seed: str) -> Difference | None:
    if not pairs:
        return None
    changes = sorted(_share(two) - _share(one) for one, two in pairs.values())
    size, chance = len(changes), random.Random(seed)
    means = sorted(sum(chance.choices(changes, k=size)) / size for _ in range(RESAMPLES))
    tail = (1 - CONFIDENCE) / 2
    first, second = (sum(_share(pair[side]) for pair in pairs.values()) / size for side in (0, 1))
    return Difference(
        first=first,
        second=second,
        difference=second - first,
        lo=nearest_rank(means, tail),
        hi=nearest_rank(means, 1 - tail),
        tasks=size,
    )


def _changes(pairs: Pairs, units: Sequence[UnitResult]) -> list[TaskChange]:
    """Tasks whose share of successes differs, the greatest loss first."""
    reasons: dict[str, str] = {}
    for unit in units:
        if unit.score.outcome == "failure":
            reasons.setdefault(unit.task_id, unit.score.reason)
    changed = [
        TaskChange(name, one, two, reasons.get(name, ""))
        for name, (one, two) in pairs.items()
        if _share(one) != _share(two)
    ]
    return sorted(changed, key=lambda change: (change.change, change.task_id))


def _families(units: Sequence[UnitResult]) -> dict[str, str]:
    return {unit.task_id: unit.family for unit in units}


def _share(tally: Tally) -> float:
    return tally.successes / tally.trials
