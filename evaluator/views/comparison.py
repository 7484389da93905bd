"""Two runs compared, for people: a headline, tables, and the turns that came to be late."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from rich.table import Table
from rich.text import Text

from assistant_gateway.wording.spoken import counted
from evaluator.results.comparison import (
    FIRST,
    SECOND,
    Comparison,
    Side,
    SlowerTask,
    TaskChange,
)
from evaluator.results.differences import Difference, LateDifference, LatencyDifference, Verdict
from evaluator.results.manifest import paced
from evaluator.results.slow_turns import LateInOne
from evaluator.results.turn_figures import FEWEST_TURNS
from evaluator.results.unpaired import Unpaired, UnpairedDifference
from evaluator.views.captions import MAIN_TYPES, SPANS, caption, percent
from evaluator.views.row_table import RowTable
from evaluator.views.sentences import missed_limit, readable, untrusted_latencies

STYLE: Mapping[Verdict, str] = {"better": "bold green", "worse": "bold red"}
IN_TIME = "solved in time"
TOO_LATE = "turns too late"
BY_TURN = "see first and later turns"
TOO_SLOW = "the bench was too slow to tell"
NO_MORE_THAN_CHANCE = "no difference that is more than chance"
MOST_LISTED = 5
MOST_LATE = 10
Finding = tuple[Verdict, str]
AnyShare = Difference | UnpairedDifference
Row = TypeVar("Row", Difference, UnpairedDifference)


# --- the headline


def comparison_headline(found: Comparison, others: Unpaired | None) -> str:
    """Over which tasks, what got worse, what else differs, by how much, and how sure that is."""
    return f"{headline_of(found, others)}: {'; '.join(findings(found, others))}"


def headline_of(found: Comparison, others: Unpaired | None) -> str:
    """Which run is compared with which, over which tasks."""
    one, two = found.names
    labelled = f"{in_run(two).removeprefix('the ')} against {in_run(one)}"
    return f"{_scope(found, others)}{'second run' if two == SECOND else labelled}"


def in_run(name: str) -> str:
    """A run in a sentence: its label, or which of the two it is."""
    return f"the {name} run" if name in (FIRST, SECOND) else name


def _scope(found: Comparison, others: Unpaired | None) -> str:
    """Which tasks are compared, unless both runs played the same ones."""
    if others is not None:
        return "no task is in both runs; over other tasks of the same kind, "
    if found.only_first or found.only_second or found.reworded:
        return f"over the {counted(len(found.tasks), 'task')} that both runs played, "
    return ""


def findings(found: Comparison, others: Unpaired | None) -> list[str]:
    """What got worse, the gravest first, and then everything else."""
    solved, in_time = (others or found).solved, (others or found).in_time
    shares = [] if solved is None else [(solved.verdict, _share_sentence("solved", solved))]
    late: list[Finding] = []
    if in_time and not found.untrusted:
        shares.append((in_time.verdict, _share_sentence(IN_TIME, in_time)))
        if found.late_share and found.late_share.differing:
            late.append((found.late_share.verdict, _share_sentence(TOO_LATE, found.late_share)))
    waited = list(_waited(found))
    worse = [text for verdict, text in (*shares, *late, *waited) if verdict == "worse"]
    rest = [text for verdict, text in (*waited, *shares, *late) if verdict != "worse"]
    if found.untrusted:
        return [f"{TOO_SLOW} how fast it was", *worse, *rest]
    if found.by_person and "upl" in found.latencies:
        rest.append(f"a person played the assistant in {' and '.join(found.by_person)}")
    return ["latencies are not compared", *worse, *rest] if found.not_judged else [*worse, *rest]


def _waited(found: Comparison) -> Iterator[Finding]:
    """First speech, of first and later turns where they changed differently; others if worse."""
    if found.untrusted:
        return
    for span, row in found.latencies.items():
        if span not in found.apart and (span == "upl" or row.verdict == "worse"):
            yield row.verdict, _first_speech(row) if span == "upl" else _longer(span, row)
    for name, row in found.apart.get("upl", {}).items():
        late = found.late_apart.get(name)
        too_late = late is not None and late.verdict == "worse"
        shares = f", {percent(late.second)} too late" if late and late.differing else ""
        before = f" ({percent(late.first)} before)" if late and shares else ""
        verdict = "worse" if too_late else row.verdict
        yield verdict, f"{name}: {_first_speech(row)}{shares}{before}"
    if "upl" not in found.apart:  # else the turns in which it got worse are told
        for span, rows in found.apart.items():
            for name, row in rows.items():
                if row.verdict == "worse":
                    yield row.verdict, f"{name}: {_longer(span, row)}"


def _first_speech(row: LatencyDifference) -> str:
    by, interval = _amounts(row)
    changed = f"{by} {'later' if row.difference > 0 else 'earlier'}"
    over = f"p50 of {counted(row.turns, 'paired turn')}"
    match row.verdict:
        case "better" | "worse":
            return f"speaks first {changed} ({over}, {interval})"
        case "within_error":
            return f"first speech: any difference is {_within_error(row)}"
        case "equal":
            return "first speech: equal"
    return f"first speech: {NO_MORE_THAN_CHANCE} ({changed}, {over})"


def _longer(span: str, row: LatencyDifference) -> str:
    by, interval = _amounts(row)
    return f"{caption(SPANS, span)} takes {by} longer ({interval})"


def _amounts(row: LatencyDifference) -> tuple[str, str]:
    """By how much a latency changed, and the interval of that, without their signs."""
    lo, hi = sorted((abs(row.lo), abs(row.hi)))
    in_ms = hi < 100
    by, least, most = (
        f"{ms:.0f}" if in_ms else f"{ms / 1000:.2f}" for ms in (abs(row.difference), lo, hi)
    )
    unit = "ms" if in_ms else "s"
    return f"{by} {unit}", f"95 % {least} to {most} {unit}"


def _share_sentence(name: str, row: AnyShare) -> str:
    first, second = map(percent, (row.first, row.second))
    points = counted(round(abs(row.difference) * 100), "point")
    match row.verdict:
        case "better" | "worse":
            more = "more" if row.difference > 0 else "less"
            interval = f"95 % {row.lo * 100:+.0f} to {row.hi * 100:+.0f}"
            return f"{name} {points} {more} ({first}, now {second}, {interval})"
        case "equal":
            return f"{name}: equal ({first})"
    return f"{name}: {NO_MORE_THAN_CHANCE} ({first} and {second})"


def _within_error(row: LatencyDifference) -> str:
    return f"within the measurement error of {row.error_ms:.0f} ms"


def verdict_text(row: AnyShare) -> str:
    """What the interval says of a difference."""
    if isinstance(row, LatencyDifference) and row.verdict == "within_error":
        return _within_error(row)
    return {"undecided": "may be chance", "untrusted": TOO_SLOW}.get(row.verdict, row.verdict)


def _verdict(row: AnyShare) -> Text:
    return Text(verdict_text(row), STYLE.get(row.verdict, ""))


# --- all of it


def comparison_lines(
    found: Comparison, others: Unpaired | None, sides: tuple[Side, Side]
) -> Iterator[Any]:
    """What `compare` prints, the most important first."""
    yield Text(comparison_headline(found, others), "bold")
    wide = max(map(len, found.names))
    for name, side in zip(found.names, sides, strict=True):
        yield f"{name:{wide}}  {_named(name, side)}"
    if text := simulated(sides):
        yield text
    yield from (Text(warning, "yellow") for warning in warnings(found, sides))
    if others is not None:
        yield from ("", _unpaired_shares(found, others), "")
        yield (
            "these are different tasks: compared are those of one main type and band of calls, and "
            "weighted as in the first run"
        )
        return
    yield from ("", _shares(found))
    if found.latencies:
        yield from ("", _latencies(found))
    if others_left := [*left_out(found)]:
        yield from ("", *others_left)
    if found.late:
        yield from ("", *_late(found))
    listed = {late.task_id for late in found.late}
    if slower := [task for task in found.slower if task.task_id not in listed]:
        yield from ("", _slower(found, slower[:MOST_LISTED], bool(listed)))
    if found.changes:
        yield from ("", _changes(found))


def _named(name: str, side: Side) -> str:
    """Label, folder, run id and agent."""
    known = dict.fromkeys([side.name, side.folder, side.manifest.run_id])
    names = [each for each in known if each != name]
    return f"{'  '.join(names)}  agent {side.manifest.described_agent}"


def simulated(sides: Iterable[Side]) -> str:
    """Which latencies come from a profile and not from a model; empty if none does."""
    manifests = [side.manifest for side in sides if paced(side.manifest.agent)]
    names = dict.fromkeys(each.latency_profile for each in manifests)
    return f"latencies are simulated: {', '.join(names)}" if names else ""


def warnings(found: Comparison, sides: Iterable[Side]) -> Iterator[str]:
    """What to know before believing a comparison."""
    if found.mixed:
        yield f"forced, although they differ in {', '.join(found.mixed)}"
    for name in found.not_judged:
        yield (
            f"{name}: latencies are not judged, because this run used --patience; neither they nor "
            "what was solved in time are compared"
        )
    for name in found.by_person:
        yield f"{name}: a person played the assistant, so its latencies are those of a person"
    if found.conditions:
        yield f"played under different conditions: {', '.join(found.conditions)}"
    for side in sides:
        if not side.turns.trusted and side.manifest.latencies_judged:
            yield f"{side.name}: {untrusted_latencies(side.turns.harness())}"


def left_out(found: Comparison) -> Iterator[str]:
    """Tasks that only one run has, or that changed between them."""
    for names, text in (
        (found.only_first, f"only in {in_run(found.names[0])}"),
        (found.only_second, f"only in {in_run(found.names[1])}"),
        (found.reworded, "changed between the runs and left out"),
    ):
        if names:
            more = ", …" if len(names) > MOST_LISTED else ""
            yield f"{counted(len(names), 'task')} {text}: {', '.join(names[:MOST_LISTED])}{more}"


# --- tables


def _table(*columns: str) -> Table:
    """All but the first column are numbers, and the verdict in words that follows them."""
    lines = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, name in enumerate(columns):
        lines.add_column(name, justify="right" if number else "left", no_wrap=True)
    lines.add_column("")
    return lines


def _shares(found: Comparison) -> Table:
    lines = _table("", *found.names, "change", "95 % interval", "tasks")
    for name, row in named_shares(found):
        verdict = Text(TOO_SLOW) if untrusted_share(found, name, row) else _verdict(row)
        tasks = str(row.tasks) if isinstance(row, Difference) else ""
        lines.add_row(name, *_share_cells(row), tasks, verdict)
    return lines


def _unpaired_shares(both: Comparison, found: Unpaired) -> Table:
    lines = _table("", *both.names, "change", "95 % interval", "tasks", "tasks")
    for name, row in _rows(found.solved, found.by_type, found.in_time):
        numbers = map(str, (row.first_tasks, row.second_tasks))
        lines.add_row(name, *_share_cells(row), *numbers, _verdict(row))
    return lines


def untrusted_share(found: Comparison, name: str, row: AnyShare) -> bool:
    """Whether a row is about what was in time, which the bench was too slow to tell."""
    return bool(found.untrusted) and (name == IN_TIME or isinstance(row, LateDifference))


def named_shares(found: Comparison | Unpaired) -> Iterator[tuple[str, AnyShare]]:
    """What was solved, and in time, and the turns too late; parts with a space before the name."""
    if isinstance(found, Unpaired):
        yield from _rows(found.solved, found.by_type, found.in_time)
        return
    yield from _rows(found.solved, found.by_type, found.in_time)
    if found.late_share:
        yield TOO_LATE, found.late_share
        yield from ((f"  {name}", row) for name, row in found.late_apart.items())


def named_latencies(
    found: Comparison, rows: Mapping[str, LatencyDifference]
) -> Iterator[tuple[str, LatencyDifference, str]]:
    """Latencies with what the interval says; parts with a space before the name."""
    for span, row in rows.items():
        apart = found.apart.get(span, {})
        yield caption(SPANS, span), row, BY_TURN if apart else verdict_text(row)
        yield from ((f"  {name}", each, verdict_text(each)) for name, each in apart.items())


def _rows(
    solved: Row | None, by_type: Mapping[str, Row], in_time: Row | None
) -> Iterator[tuple[str, Row]]:
    named: dict[str, Row | None] = {"tasks solved": solved}
    named |= {f"  {caption(MAIN_TYPES, name)}": row for name, row in by_type.items()}
    named[IN_TIME] = in_time
    yield from ((name, row) for name, row in named.items() if row)


def _share_cells(row: AnyShare) -> tuple[Text, ...]:
    lo, difference, hi = (f"{each * 100:+.1f}" for each in (row.lo, row.difference, row.hi))
    return (
        Text(percent(row.first)),
        Text(percent(row.second)),
        Text(difference, STYLE.get(row.verdict, "")),
        Text(f"{lo} to {hi}"),
    )


def _latencies(found: Comparison) -> Table:
    """The p50 with its interval, and below it the p95; of few turns the p50 only."""
    lines = _table("paired turns, ms", *found.names, "change", "95 % interval", "turns")
    for name, row, said in named_latencies(found, found.latencies):
        style = STYLE.get(row.verdict, "") if said != BY_TURN else ""
        lines.add_row(
            f"{name}, p50",
            *(f"{each:.0f}" for each in (row.first, row.second)),
            Text(f"{row.difference:+.0f}", style),
            "" if row.turns < FEWEST_TURNS else f"{row.lo:+.0f} to {row.hi:+.0f}",
            str(row.turns),
            Text(said, style),
        )
        if row.turns < FEWEST_TURNS or name.startswith(" "):
            continue
        lines.add_row(
            "  p95",
            *(f"{each:.0f}" for each in (row.first_p95, row.second_p95)),
            f"{row.second_p95 - row.first_p95:+.0f}",
            "" if row.p95_lo is None else f"{row.p95_lo:+.0f} to {row.p95_hi:+.0f}",
        )
    return lines


def _late(found: Comparison) -> Iterator[Any]:
    number = counted(len(found.late), "turn")
    more = f", the worst {MOST_LATE} of them (all: --json)" if len(found.late) > MOST_LATE else ""
    yield (
        f"{number} too late only in {in_run(found.names[1])} ({len(found.late_first)} only in "
        f"{in_run(found.names[0]).removesuffix(' run')}){more}:"
    )
    first, second = found.names
    header = (
        "task:trial",
        "#turn",
        f"#{first}",
        f"#{second}",
        "#limit",
        "missed",
        "what took most",
    )
    yield RowTable(header, [_late_cells(late) for late in found.late[:MOST_LATE]])


def _late_cells(late: LateInOne) -> list[Text]:
    first = _took(late.other_ms) if late.in_other else "no such turn"
    return [
        Text(f"{late.task_id}:{late.trial}"),
        Text(str(late.turn)),
        Text(first),
        Text(_took(late.took_ms), "red"),
        Text(_took(late.limit_ms)),
        Text(missed_limit(late)),
        Text(_longest(late)),
    ]


def _longest(late: LateInOne) -> str:
    return f"{late.longest.name} {_took(late.longest.took_ms)}" if late.longest else ""


def _took(ms: float | None) -> str:
    return "never" if ms is None else f"{ms / 1000:.2f} s"


def _slower(found: Comparison, tasks: Iterable[SlowerTask], more: bool) -> RowTable:
    first, second = found.names
    slower = f"{'also ' if more else ''}slower in {in_run(second)}"
    header = (slower, f"#{first} ms", f"#{second} ms", "")
    rows = [
        (task.task_id, f"{task.first_ms:.0f}", f"{task.second_ms:.0f}", caption(SPANS, task.span))
        for task in tasks
    ]
    return RowTable(header, [[*map(Text, row)] for row in rows])


def _changes(found: Comparison) -> RowTable:
    first, second = found.names
    header = ("task", f"#{first}", f"#{second}", "", f"why {in_run(second)} failed")
    return RowTable(header, [_change_cells(change) for change in found.changes])


def _change_cells(change: TaskChange) -> list[Text]:
    lost = change.change < 0
    return [
        Text(change.task_id),
        *(Text(f"{one.successes} of {one.trials}") for one in (change.first, change.second)),
        Text("lost" if lost else "won", "red" if lost else "green"),
        Text(readable(change.reason) if lost else ""),
    ]
