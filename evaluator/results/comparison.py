"""Two runs compared task by task: what differs, and whether it may be chance.

Only tasks that both runs played in the same wording count: their shares of successes, and the
latencies of the turns that both runs have.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median

from evaluator.results.differences import (
    Difference,
    LateDifference,
    LatencyDifference,
    TaskTallies,
    late_difference,
    latency_difference,
    share,
    share_difference,
)
from evaluator.results.manifest import Manifest, checksum, manifest_key
from evaluator.results.paired_turns import (
    WAITS,
    PairedTurn,
    SlowerTurn,
    Waits,
    late_only_in,
    late_turns,
    paired_turns,
    slower_turns,
    waits,
)
from evaluator.results.rows.side_rows import SideRows
from evaluator.results.rows.unit_row import UnitRow
from evaluator.results.slow_turns import LateInOne
from evaluator.results.statistics import Tally, tallies
from evaluator.results.store import UnitResult
from evaluator.results.turn_figures import FEWEST_TURNS, TurnColumns

FIRST_TURN, LATER_TURNS = "first turn of a conversation", "later turns"
Chosen = Callable[[int], bool]  # by the number of a turn
CHOSEN: Mapping[str, Chosen] = {
    FIRST_TURN: lambda number: number == 1,
    LATER_TURNS: lambda number: number > 1,
}
FIRST, SECOND = "first", "second"
LONGEST_NAME = 24  # of a column
APART_MS = 500.0  # between the changes of first and of later turns that are told apart

# Runs that differ in one of these do not compare.
SAME = ("user", "pace", "profile", "compat", "max_steps")


@dataclass(frozen=True)
class Side:
    """One of the two runs, stored in `folder` or in a baseline file; `judge` judged its rules.

    A stored run has `read` rows instead of units.
    """

    manifest: Manifest
    units: Sequence[UnitResult] = ()
    judge: str | None = None
    folder: str = ""
    read: SideRows | None = None

    @property
    def name(self) -> str:
        """Its label, else its folder, else its id."""
        return self.manifest.label or self.folder or self.manifest.run_id

    @cached_property
    def rows(self) -> SideRows:
        return self.read or SideRows.of(self.units)

    @property
    def turns(self) -> TurnColumns:
        """What was measured in turns that count for the agent."""
        return self.rows.turns


@dataclass(frozen=True, slots=True)
class TaskChange:
    """A task that went differently; successes and trials in each run."""

    task_id: str
    first: Tally
    second: Tally
    reason: str

    @property
    def change(self) -> float:
        return share(self.second) - share(self.first)


@dataclass(frozen=True, slots=True)
class SlowerTask:
    """A task whose turns took longer in the second run, by more than the measurement error.

    Mean over the turns that both runs have, in ms of one span.
    """

    task_id: str
    span: str
    first_ms: float
    second_ms: float


@dataclass(frozen=True, slots=True)
class TaskPair:
    """A task in both runs: successes and trials, those in time, and the mean first speech in ms.

    `in_time` is None if latencies are not judged, `first_speech_ms` if no turn is in both runs.
    """

    task_id: str
    task_type: str
    title: str
    solved: tuple[Tally, Tally]
    in_time: tuple[Tally, Tally] | None
    first_speech_ms: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """`names` are the labels of the runs, where none was given first and second.

    `solved` and `in_time` are None when the runs share no task.

    `mixed` are differences that forbid a comparison, `conditions` those that only have to be known.
    `not_judged` are runs with --patience, `untrusted` those whose bench was too slow, `by_person`
    those whose assistant a person played. `late_share` is about all turns that both runs have;
    `apart` has the waits that changed in the first turn of conversations by far not as in later
    turns, each for both; `late_apart` then says how many of these turns were too late. `late` are
    the turns that are late only in the second run, `late_first` those only in the first; `tasks`
    are all that both runs played. `latencies` are what a driver waits for, `more_latencies` other
    spans that were asked for. If latencies are not judged in one of the runs, `in_time` and
    `late_share` are None, and all about latencies is empty.
    """

    names: tuple[str, str]
    mixed: tuple[str, ...]
    conditions: tuple[str, ...]
    not_judged: tuple[str, ...]
    untrusted: tuple[str, ...]
    by_person: tuple[str, ...]
    solved: Difference | None
    in_time: Difference | None
    by_type: Mapping[str, Difference]
    late_share: LateDifference | None
    late_apart: Mapping[str, LateDifference]
    apart: Mapping[str, Mapping[str, LatencyDifference]]
    latencies: Mapping[str, LatencyDifference]
    more_latencies: Mapping[str, LatencyDifference]
    slower: tuple[SlowerTask, ...]
    slower_turns: tuple[SlowerTurn, ...]
    tasks: tuple[TaskPair, ...]
    late: tuple[LateInOne, ...]
    late_first: tuple[LateInOne, ...]
    changes: tuple[TaskChange, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    reworded: tuple[str, ...]

    @property
    def lost(self) -> list[TaskChange]:
        """The tasks that were solved less often in the second run."""
        return [each for each in self.changes if each.change < 0]


def compare(first: Side, second: Side, *, more_spans: Iterable[str] = ()) -> Comparison:
    """Compare the tasks that both runs played in the same wording."""
    one, two = first.manifest.tasks, second.manifest.tasks
    shared = [name for name in one if two.get(name) == one[name]]
    seed = checksum([manifest_key(first.manifest), manifest_key(second.manifest)])
    pairs = _pairs(first, second, shared, _solved)
    timed = _pairs(first, second, shared, _in_time)
    sides = (first, second)
    judged = all(side.manifest.latencies_judged for side in sides)
    error_ms = max(side.turns.error_ms for side in sides)
    untrusted = tuple(side.name for side in sides if judged and not side.turns.trusted)
    played = first.rows.played, second.rows.played
    turns = paired_turns(*played, shared) if judged else []
    waited = {span: waits(turns, span) for span in dict.fromkeys([*WAITS, *more_spans])}
    latencies = _latencies(waited, seed, error_ms, trusted=not untrusted)
    apart = {
        span: rows
        for span in waited
        if (rows := _told_apart(turns, span, seed, error_ms, trusted=not untrusted))
    }

    differ = any(span in apart for span in WAITS)

    def late_share(chosen: Chosen) -> LateDifference | None:
        return late_difference(late_turns(*played, shared, chosen), seed) if judged else None

    late_apart = {name: late_share(chosen) for name, chosen in CHOSEN.items()}
    return Comparison(
        names=_names(first.manifest, second.manifest),
        mixed=tuple(mixed(first, second)),
        conditions=tuple(other_conditions(first.manifest, second.manifest)),
        not_judged=tuple(side.name for side in sides if side.manifest.patience_s is not None),
        untrusted=untrusted,
        by_person=tuple(side.name for side in sides if side.manifest.by_person),
        solved=share_difference(pairs, seed),
        in_time=share_difference(timed, seed) if judged else None,
        by_type=_by_type(pairs, first.rows.units, seed),
        late_share=late_share(lambda _: True),
        late_apart={name: row for name, row in late_apart.items() if row and differ},
        apart=apart,
        latencies={span: row for span, row in latencies.items() if span in WAITS},
        more_latencies={span: row for span, row in latencies.items() if span not in WAITS},
        slower=tuple(_slower({span: waited[span] for span in WAITS}, error_ms)),
        slower_turns=tuple(slower_turns(turns, error_ms)),
        late=tuple(late_only_in(played[1], played[0], shared)) if judged else (),
        late_first=tuple(late_only_in(played[0], played[1], shared)) if judged else (),
        tasks=tuple(_tasks(pairs, timed if judged else {}, waited["upl"], first.rows.units)),
        changes=tuple(_changes(pairs, second.rows.reasons)),
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
    """The same for conditions of the sessions that both manifests have, and what scored them."""
    versions = (one.codriver, two.codriver)
    scored = [] if len(set(versions)) == 1 else [f"version of codriver ({', '.join(versions)})"]
    return scored + [
        f"{name} ({here}, {there})" if isinstance(here, str) else name
        for name, here in one.conditions.items()
        if name in two.conditions and here != (there := two.conditions[name])
    ]


def _pairs(
    first: Side, second: Side, shared: Sequence[str], success: Callable[[UnitRow], bool]
) -> TaskTallies:
    one, two = (
        tallies(
            (row.task.task_id, success(row)) for row in side.rows.units if row.verdict.evaluated
        )
        for side in (first, second)
    )
    return {name: (one[name], two[name]) for name in shared if name in one and name in two}


def _solved(row: UnitRow) -> bool:
    return row.solved


def _in_time(row: UnitRow) -> bool:
    return row.verdict.in_time


def _latencies(
    waited: Mapping[str, Waits], seed: str, error_ms: float, *, trusted: bool
) -> dict[str, LatencyDifference]:
    return {
        span: row
        for span, found in waited.items()
        if (row := latency_difference(found, seed, error_ms=error_ms, trusted=trusted))
    }


def _told_apart(
    turns: Sequence[PairedTurn], span: str, seed: str, error_ms: float, *, trusted: bool
) -> dict[str, LatencyDifference]:
    """First and later turns if they changed so differently that one p50 over both says little."""
    waited = {
        name: waits((turn for turn in turns if chosen(turn.turn)), span)
        for name, chosen in CHOSEN.items()
    }
    medians = []
    for tasks in waited.values():
        pairs = [pair for each in tasks.values() for pair in each]
        if len(pairs) < FEWEST_TURNS:
            return {}
        medians.append(median(two for _, two in pairs) - median(one for one, _ in pairs))
    if abs(medians[1] - medians[0]) < APART_MS:
        return {}
    rows = _latencies(waited, seed, error_ms, trusted=trusted)
    less, more = sorted(rows.values(), key=lambda row: row.difference)
    return rows if less.hi < more.lo else {}


def _names(one: Manifest, two: Manifest) -> tuple[str, str]:
    labels = one.label, two.label
    if one.label == two.label or max(map(len, labels)) > LONGEST_NAME:
        return FIRST, SECOND
    return one.label or FIRST, two.label or SECOND


def _slower(found: Mapping[str, Waits], error_ms: float) -> Iterator[SlowerTask]:
    """Each task once, with the span that grew most; the greatest growth first."""
    grown: list[tuple[float, str, str, float, float]] = []
    for span, tasks in found.items():
        for name, pairs in tasks.items():
            one, two = (fmean(pair[side] for pair in pairs) for side in (0, 1))
            if two - one > error_ms:
                grown.append((one - two, name, span, one, two))
    seen: set[str] = set()
    for _, name, span, one, two in sorted(grown):
        if name not in seen:
            seen.add(name)
            yield SlowerTask(name, span, one, two)


def _tasks(
    pairs: TaskTallies, timed: TaskTallies, heard: Waits, units: Iterable[UnitRow]
) -> Iterator[TaskPair]:
    known = {unit.task.task_id: unit.task for unit in units}
    for name, solved in pairs.items():
        turns = heard.get(name)
        spoken = (fmean(one for one, _ in turns), fmean(two for _, two in turns)) if turns else None
        task = known[name]
        yield TaskPair(name, task.task_type, task.title, solved, timed.get(name), spoken)


def _by_type(pairs: TaskTallies, units: Iterable[UnitRow], seed: str) -> dict[str, Difference]:
    main_types = {unit.task.task_id: unit.task.main_type for unit in units}
    grouped: dict[str, dict[str, tuple[Tally, Tally]]] = defaultdict(dict)
    for name, pair in pairs.items():
        grouped[main_types[name]][name] = pair
    return {
        main_type: found
        for main_type, of_type in sorted(grouped.items())
        if (found := share_difference(of_type, seed))
    }


def _changes(pairs: TaskTallies, reasons: Mapping[str, str]) -> list[TaskChange]:
    """Tasks whose share of successes differs, the greatest loss first."""
    changed = [
        TaskChange(name, one, two, reasons.get(name, ""))
        for name, (one, two) in pairs.items()
        if share(one) != share(two)
    ]
    return sorted(changed, key=lambda change: (change.change, change.task_id))
