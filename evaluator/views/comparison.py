"""Two runs compared, for people: a headline, tables, and the turns that came to be late."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from rich.table import Table
from rich.text import Text

from assistant_gateway.wording.spoken import counted
from evaluator.results.comparison import Comparison, Side, SlowerTask, TaskChange
from evaluator.results.differences import Difference, LatencyDifference, Verdict
from evaluator.results.slow_turns import LateInOne
from evaluator.results.turn_figures import FEWEST_TURNS
from evaluator.results.unpaired import Unpaired, UnpairedDifference
from evaluator.views.captions import MAIN_TYPES, SPANS, caption, percent
from evaluator.views.row_table import RowTable
from evaluator.views.sentences import missed_limit, readable, untrusted_latencies

STYLE: Mapping[Verdict, str] = {"better": "bold green", "worse": "bold red"}
IN_TIME = "solved in time"
TOO_SLOW = "the bench was too slow to tell"
NO_MORE_THAN_CHANCE = "no difference that is more than chance"
MOST_LISTED = 5
MOST_LATE = 10
AnyShare = Difference | UnpairedDifference
Row = TypeVar("Row", Difference, UnpairedDifference)


# --- the headline


def comparison_headline(found: Comparison, others: Unpaired | None) -> str:
    """Over which tasks, which run is faster and better, by how much, and how sure that is."""
    return f"{_scope(found, others)}second run: {'; '.join(_headline(found, others))}"


def _scope(found: Comparison, others: Unpaired | None) -> str:
    """Which tasks are compared, unless both runs played the same ones."""
    if others is not None:
        return "no task is in both runs; over other tasks of the same kind, "
    if found.only_first or found.only_second or found.reworded:
        return f"over the {counted(len(found.tasks), 'task')} that both runs played, "
    return ""


def _headline(found: Comparison, others: Unpaired | None) -> Iterator[str]:
    solved, in_time = (others or found).solved, (others or found).in_time
    if found.untrusted:
        yield f"{TOO_SLOW} how fast it was"
    elif found.not_judged:
        yield "latencies are not compared"
    elif "upl" in found.latencies:
        yield _first_speech(found.latencies["upl"])
        if found.by_person:
            yield f"a person played the assistant in {' and '.join(found.by_person)}"
    if solved:
        yield _share_sentence("solved", solved)
    if in_time and not found.untrusted:
        yield _share_sentence(IN_TIME, in_time)


def _first_speech(row: LatencyDifference) -> str:
    lo, hi = sorted((abs(row.lo), abs(row.hi)))
    in_ms = hi < 100
    by, least, most = (
        f"{ms:.0f}" if in_ms else f"{ms / 1000:.2f}" for ms in (abs(row.difference), lo, hi)
    )
    unit = "ms" if in_ms else "s"
    changed = f"{by} {unit} {'later' if row.difference > 0 else 'earlier'}"
    over = f"p50 of {counted(row.turns, 'paired turn')}"
    match row.verdict:
        case "better" | "worse":
            return f"speaks first {changed} ({over}, 95 % {least} to {most} {unit})"
        case "within_error":
            return f"first speech: any difference is {_within_error(row)}"
        case "equal":
            return "first speech: equal"
    return f"first speech: {NO_MORE_THAN_CHANCE} ({changed}, {over})"


def _share_sentence(name: str, row: AnyShare) -> str:
    first, second = map(percent, (row.first, row.second))
    points = counted(round(abs(row.difference) * 100), "point")
    match row.verdict:
        case "better" | "worse" as verdict:
            more = "more" if verdict == "better" else "less"
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
    for name, side in zip(("first", "second"), sides, strict=True):
        yield f"{name:6}  {_named(side)}"
    yield from (Text(warning, "yellow") for warning in warnings(found, sides))
    if others is not None:
        yield from ("", _unpaired_shares(others), "")
        yield (
            "these are different tasks: compared are those of one main type and band of calls, and "
            "weighted as in the first run"
        )
        return
    yield from ("", _shares(found))
    if found.latencies:
        yield from ("", _latencies(found.latencies))
    if others_left := [*left_out(found)]:
        yield from ("", *others_left)
    if found.late:
        yield from ("", *_late(found))
    if found.slower:
        yield from ("", _slower(found.slower[:MOST_LISTED]))
    if found.changes:
        yield from ("", _changes(found.changes))


def _named(side: Side) -> str:
    """Label, folder, run id and agent."""
    names = dict.fromkeys([side.name, side.folder, side.manifest.run_id])
    return f"{'  '.join(names)}  agent {side.manifest.described_agent}"


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
        (found.only_first, "only in the first run"),
        (found.only_second, "only in the second run"),
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
    lines = _table("", "first", "second", "change", "95 % interval", "tasks")
    for name, row in _rows(found.solved, found.by_type, found.in_time):
        verdict = Text(TOO_SLOW) if untrusted_in_time(found, name) else _verdict(row)
        lines.add_row(name, *_share_cells(row), str(row.tasks), verdict)
    return lines


def _unpaired_shares(found: Unpaired) -> Table:
    lines = _table("", "first", "second", "change", "95 % interval", "tasks", "tasks")
    for name, row in _rows(found.solved, found.by_type, found.in_time):
        numbers = map(str, (row.first_tasks, row.second_tasks))
        lines.add_row(name, *_share_cells(row), *numbers, _verdict(row))
    return lines


def untrusted_in_time(found: Comparison, name: str) -> bool:
    """Whether a row is about what was in time, which the bench was too slow to tell."""
    return name == IN_TIME and bool(found.untrusted)


def named_shares(found: Comparison | Unpaired) -> Iterator[tuple[str, AnyShare]]:
    """What was solved, also by main type (with a space before its name), and in time."""
    if isinstance(found, Unpaired):
        return _rows(found.solved, found.by_type, found.in_time)
    return _rows(found.solved, found.by_type, found.in_time)


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


def _latencies(found: Mapping[str, LatencyDifference]) -> Table:
    """The p50 with its interval, and below it the p95 as it is; of few turns the p50 only."""
    lines = _table("paired turns, ms", "first", "second", "change", "95 % interval", "turns")
    for span, row in found.items():
        lines.add_row(
            f"{caption(SPANS, span)}, p50",
            *(f"{each:.0f}" for each in (row.first, row.second)),
            Text(f"{row.difference:+.0f}", STYLE.get(row.verdict, "")),
            "" if row.turns < FEWEST_TURNS else f"{row.lo:+.0f} to {row.hi:+.0f}",
            str(row.turns),
            _verdict(row),
        )
        if row.turns < FEWEST_TURNS:
            continue
        tails = (row.first_p95, row.second_p95)
        lines.add_row(
            "  p95", *(f"{each:.0f}" for each in tails), f"{row.second_p95 - row.first_p95:+.0f}"
        )
    return lines


def _late(found: Comparison) -> Iterator[Any]:
    number = counted(len(found.late), "turn")
    more = f", the worst {MOST_LATE} of them (all: --json)" if len(found.late) > MOST_LATE else ""
    yield (
        f"{number} too late only in the second run ({len(found.late_first)} only in the first)"
        f"{more}:"
    )
    header = ("task:trial", "#turn", "#first", "#second", "#limit", "missed", "what took most")
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


def _slower(tasks: Iterable[SlowerTask]) -> RowTable:
    header = ("slower in the second run", "#first ms", "#second ms", "")
    rows = [
        (task.task_id, f"{task.first_ms:.0f}", f"{task.second_ms:.0f}", caption(SPANS, task.span))
        for task in tasks
    ]
    return RowTable(header, [[*map(Text, row)] for row in rows])


def _changes(changes: Iterable[TaskChange]) -> RowTable:
    header = ("task", "#first", "#second", "", "why the second failed")
    return RowTable(header, [_change_cells(change) for change in changes])


def _change_cells(change: TaskChange) -> list[Text]:
    lost = change.change < 0
    return [
        Text(change.task_id),
        *(Text(f"{one.successes} of {one.trials}") for one in (change.first, change.second)),
        Text("lost" if lost else "won", "red" if lost else "green"),
        Text(readable(change.reason) if lost else ""),
    ]
