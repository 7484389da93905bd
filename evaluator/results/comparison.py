"""Two runs compared task by task: what differs, and whether it may be chance.

Only tasks that both runs played in the same wording count. A difference is the mean over tasks of
the difference of their shares of successes, or of their latencies turn by turn. Its interval comes
from resampling tasks in pairs, with two made-up tasks among them, one better and one worse: few
tasks, or tasks that all differ alike, never look certain.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, median
from typing import ClassVar, Literal

from pydantic import BaseModel, computed_field

from assistant_gateway.timing.timeline import MS
from evaluator.results.manifest import Manifest, checksum, manifest_key
from evaluator.results.statistics import CONFIDENCE, RESAMPLES, Tally, nearest_rank, tallies
from evaluator.results.store import UnitResult
from evaluator.scoring.judgements import Judged

# Runs that differ in one of these do not compare.
SAME = ("user", "pace", "profile", "compat", "max_steps")
WAITS = ("upl", "upl_content", "effect_latency")  # what a driver waits for
Verdict = Literal["better", "worse", "undecided", "equal"]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs, stored in `folder`."""

    manifest: Manifest
    units: Sequence[UnitResult]
    judged: Sequence[Judged] = ()
    folder: str = ""

    @property
    def name(self) -> str:
        """Its label, else its folder, else its id."""
        return self.manifest.label or self.folder or self.manifest.run_id

    @property
    def judge(self) -> str | None:
        return self.judged[-1].judge if self.judged else None


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
        if not self.differing:
            return "equal"
        if self.lo <= 0 <= self.hi:
            return "undecided"
        return "better" if (self.lo > 0) == self.more_is_better else "worse"


class LatencyDifference(Difference, frozen=True):
    """The same in ms, over turns of one number and class; replies that never came are left out."""

    more_is_better: ClassVar[bool] = False


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
class SlowerTask:
    """A task whose turns took longer in the second run, in ms of one span."""

    task_id: str
    span: str
    first_ms: float
    second_ms: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """`solved` and `in_time` are None when the runs share no task.

    `mixed` are differences that forbid a comparison, `conditions` those that only have to be known.
    `not_judged` are runs with --patience. If latencies are not judged in one of the runs, `in_time`
    is None, and `latencies` by span and the tasks that got `slower` are empty.
    """

    mixed: tuple[str, ...]
    conditions: tuple[str, ...]
    not_judged: tuple[str, ...]
    solved: Difference | None
    in_time: Difference | None
    by_type: Mapping[str, Difference]
    latencies: Mapping[str, LatencyDifference]
    slower: tuple[SlowerTask, ...]
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
    sides = (first, second)
    judged = all(side.manifest.latencies_judged for side in sides)
    waits = {span: _waits(first, second, shared, span) for span in WAITS} if judged else {}
    main_types = _main_types(first.units)
    return Comparison(
        mixed=tuple(mixed(first, second)),
        conditions=tuple(other_conditions(first.manifest, second.manifest)),
        not_judged=tuple(side.name for side in sides if side.manifest.patience_s is not None),
        solved=_share_difference(pairs, seed),
        in_time=_share_difference(timed, seed) if judged else None,
        by_type={
            main_type: found
            for main_type in sorted({main_types[name] for name in pairs})
            if (found := _share_difference(_of_type(pairs, main_types, main_type), seed))
        },
        latencies={
            span: LatencyDifference(**_difference(found, seed, None))
            for span, found in waits.items()
            if found
        },
        slower=tuple(_slower(waits)),
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
Numbers = Mapping[str, tuple[float, float]]
Turn = tuple[str, int, str]  # task id, number, class


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


def _waits(first: Side, second: Side, shared: Sequence[str], span: str) -> Numbers:
    """Per task the mean of a span in ms over the turns that both runs had; medians of trials."""
    one, two = (_span_ms(side.units, span) for side in (first, second))
    turns: dict[str, list[Turn]] = defaultdict(list)
    for turn in sorted(one.keys() & two.keys()):
        turns[turn[0]].append(turn)
    return {
        name: (fmean(one[turn] for turn in turns[name]), fmean(two[turn] for turn in turns[name]))
        for name in shared
        if name in turns
    }


def _span_ms(units: Sequence[UnitResult], span: str) -> dict[Turn, float]:
    """By turn the median over trials, where neither bench nor fault delayed it."""
    values: dict[Turn, list[float]] = defaultdict(list)
    for unit in units:
        for turn in unit.score.turns if unit.score.evaluated else ():
            took_ns = turn.spans.get(span)
            if turn.counts_for_latency and took_ns is not None:
                values[unit.task_id, turn.turn, turn.turn_class].append(took_ns / MS)
    return {turn: median(measured) for turn, measured in values.items()}


def _share_difference(pairs: Pairs, seed: str) -> Difference | None:
    if not pairs:
        return None
    shares = {name: (_share(one), _share(two)) for name, (one, two) in pairs.items()}
    return Difference(**_difference(shares, seed, 1.0))


def _difference(pairs: Numbers, seed: str, extreme: float | None) -> dict[str, float]:
    """The fields of a difference.

    The made-up tasks differ by `extreme`; by default by the root of the mean square.
    """
    changes = sorted(two - one for one, two in pairs.values())
    size, chance = len(changes), random.Random(seed)
    if extreme is None:
        extreme = sqrt(fmean(change * change for change in changes))
    drawn = [*changes, -extreme, extreme]
    means = sorted(fmean(chance.choices(drawn, k=size + 2)) for _ in range(RESAMPLES))
    tail = (1 - CONFIDENCE) / 2
    first, second = (fmean(pair[side] for pair in pairs.values()) for side in (0, 1))
    return {
        "first": first,
        "second": second,
        "difference": second - first,
        "lo": min(second - first, nearest_rank(means, tail)),
        "hi": max(second - first, nearest_rank(means, 1 - tail)),
        "tasks": size,
        "differing": sum(change != 0 for change in changes),
    }


def _slower(waits: Mapping[str, Numbers]) -> Iterator[SlowerTask]:
    """Each task once, with the span that grew most; the greatest growth first."""
    grown = sorted(
        (one - two, name, span, one, two)
        for span, pairs in waits.items()
        for name, (one, two) in pairs.items()
        if two > one
    )
    seen: set[str] = set()
    for _, name, span, one, two in grown:
        if name not in seen:
            seen.add(name)
            yield SlowerTask(name, span, one, two)


def _of_type(pairs: Pairs, main_types: Mapping[str, str], main_type: str) -> Pairs:
    return {name: pair for name, pair in pairs.items() if main_types[name] == main_type}


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


def _main_types(units: Sequence[UnitResult]) -> dict[str, str]:
    return {unit.task_id: unit.main_type for unit in units}


def _share(tally: Tally) -> float:
    return tally.successes / tally.trials
