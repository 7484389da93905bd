"""Two runs compared, as JSON that a page draws."""

from collections.abc import Iterable, Iterator
from typing import Any

from assistant_gateway.wording.spoken import counted
from evaluator.report.unit_content import Content
from evaluator.results.compared import Compared
from evaluator.results.comparison import Comparison, Side, TaskPair
from evaluator.results.differences import LatencyDifference
from evaluator.results.paired_turns import SlowerTurn
from evaluator.results.slow_turns import LateInOne
from evaluator.results.turn_figures import FEWEST_TURNS
from evaluator.results.unpaired import Unpaired
from evaluator.views.captions import SPANS, TASK_TYPES, TURN_CLASSES, caption
from evaluator.views.comparison import (
    BY_TURN,
    TOO_SLOW,
    AnyShare,
    findings,
    headline_of,
    in_run,
    left_out,
    named_latencies,
    named_shares,
    simulated,
    untrusted_share,
    verdict_text,
    warnings,
)
from evaluator.views.sentences import missed_limit, readable

UNPAIRED = (
    "These are different tasks, so this says little about the agents: compared are tasks of one "
    "main type and band of calls, weighted as in the first run."
)
PAIRED = "Over the tasks that both runs played in the same wording."


def comparison_content(both: Compared) -> Content:
    """Everything a page shows of a comparison, in texts and numbers."""
    found, others = both.found, both.others
    return {
        "headline": _headline(found, others),
        "findings": [] if others else findings(found, None)[1:],
        "names": found.names,
        "in_runs": [in_run(name) for name in found.names],
        "common": _common(both),
        "simulated": simulated(both.sides),
        "unrelated": others is not None,
        "runs": [_run(side) for side in both.sides],
        "warnings": list(warnings(found, both.sides)),
        "shares": [_share(found, name, row) for name, row in named_shares(others or found)],
        "share_note": UNPAIRED if others else PAIRED,
        "latencies": list(_latencies(found)),
        "latency_note": _latency_note(found),
        "slower_turns": [_slower(turn) for turn in found.slower_turns],
        "slower_note": _slower_note(found),
        "late": [_late(turn) for turn in found.late],
        "late_note": f"{counted(len(found.late), 'turn')}, the worst first; "
        f"{len(found.late_first)} only in {in_run(found.names[0])}.",
        "tasks": list(_tasks(found)),
        "left_out": [] if others else list(left_out(found)),
    }


def _headline(found: Comparison, others: Unpaired | None) -> str:
    """Without a common task a page does not put the difference of others above everything."""
    if others:
        return "these two runs have no task in common"
    return f"{headline_of(found, None)}: {findings(found, None)[0]}"


def _common(both: Compared) -> str:
    first, second = (len(side.manifest.tasks) for side in both.sides)
    common = counted(len(both.found.tasks), "task")
    one, two = map(in_run, both.found.names)
    return f"{common}, of {first} in {one} and {second} in {two}"


def _run(side: Side) -> Content:
    manifest = side.manifest
    parts = dict.fromkeys([manifest.described_agent, side.folder, manifest.run_id])
    return {"name": side.name, "about": ", ".join(part for part in parts if part != side.name)}


def _share(found: Comparison, name: str, row: AnyShare) -> Content:
    untrusted = untrusted_share(found, name, row)
    return {
        **_interval(row),
        "name": name.strip(),
        "part": name != name.strip(),
        "tasks": row.tasks if hasattr(row, "tasks") else f"{row.first_tasks}, {row.second_tasks}",
        "verdict": "untrusted" if untrusted else row.verdict,
        "said": TOO_SLOW if untrusted else verdict_text(row),
    }


def _interval(row: AnyShare) -> Content:
    names = ("first", "second", "difference", "lo", "hi")
    return {name: getattr(row, name) for name in names}


def _latencies(found: Comparison) -> Iterator[Content]:
    """All in their usual order."""
    rows = {**found.latencies, **found.more_latencies}
    names = (*(name for name in SPANS if name in rows), *(rows.keys() - SPANS.keys()))
    return (_latency(*row) for row in named_latencies(found, {name: rows[name] for name in names}))


def _latency(name: str, row: LatencyDifference, said: str) -> Content:
    return {
        **_interval(row),
        "name": name.strip(),
        "part": name.startswith(" "),
        "turns": row.turns,
        "few": row.turns < FEWEST_TURNS,
        "first_p95": row.first_p95,
        "second_p95": row.second_p95,
        "p95_lo": row.p95_lo,
        "p95_hi": row.p95_hi,
        "verdict": "undecided" if said == BY_TURN else row.verdict,
        "said": said,
    }


def _latency_note(found: Comparison) -> str:
    row = next(iter(found.latencies.values()), None)
    error = f" Below {row.error_ms:.0f} ms a change says nothing." if row and row.error_ms else ""
    return f"The p50 over the turns that both runs have; their p95 beside it.{error}"


def _slower(turn: SlowerTurn) -> Content:
    return {
        "task": turn.task_id,
        "turn": turn.turn,
        "class": caption(TURN_CLASSES, turn.turn_class),
        "span": caption(SPANS, turn.span),
        "first": turn.first_ms,
        "second": turn.second_ms,
    }


def _slower_note(found: Comparison) -> str:
    tasks = len({turn.task_id for turn in found.slower_turns})
    number = counted(len(found.slower_turns), "turn")
    return f"{number} of {counted(tasks, 'task')}, with the wait that grew most."


def _late(turn: LateInOne) -> Content:
    return {
        "task": turn.task_id,
        "trial": turn.trial,
        "turn": turn.turn,
        "missed": missed_limit(turn),
        "in_first": turn.in_other,
        "first": turn.other_ms,
        "second": turn.took_ms,
        "limit": turn.limit_ms,
        "longest": turn.longest.name if turn.longest else "",
    }


def _tasks(found: Comparison) -> Iterator[Content]:
    reasons = {change.task_id: change.reason for change in found.lost}
    row = next(iter(found.latencies.values()), None)
    error_ms = row.error_ms if row and row.trusted else float("inf")
    return (_task(task, reasons.get(task.task_id, ""), error_ms) for task in found.tasks)


def _task(task: TaskPair, reason: str, error_ms: float) -> Content:
    one, two = task.first_speech_ms or (0.0, 0.0)
    return {
        "task": task.task_id,
        "type": caption(TASK_TYPES, task.task_type),
        "title": task.title,
        "solved": _tallies(task.solved),
        "in_time": _tallies(task.in_time) if task.in_time else None,
        "first_speech": task.first_speech_ms,
        "slower": two - one > error_ms,
        "faster": one - two > error_ms,
        "reason": readable(reason),
    }


def _tallies(pair: Iterable[Any]) -> list[tuple[int, int]]:
    return [(each.successes, each.trials) for each in pair]
