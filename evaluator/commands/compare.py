"""`codriver compare`: is the second run better than the first? `baseline`: what it starts from."""

import asyncio
import sys
from pathlib import Path
from typing import Any

from assistant_gateway.wording.spoken import counted
from evaluator.problems import GateFailed, InfraProblem, UsageProblem
from evaluator.report.single_page import comparison_page
from evaluator.report.written import write_page
from evaluator.results.baseline import write_baseline
from evaluator.results.compared import Compared, baseline_of, compared, stored_sides
from evaluator.results.comparison import Side
from evaluator.results.slow_turns import LateInOne
from evaluator.views.captions import SPANS
from evaluator.views.ci_files import comparison_junit, comparison_markdown
from evaluator.views.comparison import comparison_headline, comparison_lines
from evaluator.views.gates import LEAST_TASKS, USUAL, Tolerance, gate_checks
from evaluator.views.printing import print_json, print_rich
from evaluator.views.sentences import untrusted_latencies


def keep_baseline(folder: Path, out: Path, *, as_json: bool) -> None:
    """Write what later runs are compared with; a run that lacks units is refused."""
    found = asyncio.run(baseline_of(folder))
    played = sum(unit.score.outcome != "infra_error" for unit in found.units)
    if played < found.manifest.planned:
        raise UsageProblem(
            f"{folder} has {played} of {found.manifest.planned} units; finish it first with "
            f"codriver run --out {folder} --resume"
        )
    write_baseline(out, found)
    if as_json:
        print_json({"file": str(out), "units": played, "tasks": len(found.manifest.tasks)})
    else:
        print_rich(
            f"{out}: {counted(played, 'unit')} of {found.manifest.described_agent}; compare with",
            f"codriver compare {out} RUN --gate",
        )
    _warn_of_few(len(found.manifest.tasks))


def compare_runs(
    first: Path,
    second: Path,
    *,
    force: bool,
    as_json: bool,
    gate: bool = False,
    html: Path | None = None,
    summary: Path | None = None,
    junit: Path | None = None,
    tolerance: Tolerance = USUAL,
) -> None:
    """Print a comparison, with `html` also to a page there.

    Raises `UsageProblem` for runs of different kinds. Runs that share no task are compared
    unpaired, but for a gate. `junit` gets the checks of the gate as test cases.

    With `gate` it raises `GateFailed` if the second run is worse than tolerated, and not by chance,
    and `InfraProblem` if the bench kept that from being known.
    """
    if junit is not None and not gate:
        raise UsageProblem("--junit writes what --gate checks; add --gate")
    sides = asyncio.run(stored_sides(first, second))
    both = compared(sides, force=force, paired_only=gate, more_spans=SPANS if html else ())
    if html is not None:
        write_page(html, comparison_page(both), "--html")
    checked = list(gate_checks(both.found, tolerance)) if gate else []
    worse = [str(check) for check in checked if check.worse]
    problem = _bench_problem(both)
    if summary is not None:
        _add(summary, comparison_markdown(both.found, both.others, sides, worse))
    if junit is not None:
        write_page(junit, comparison_junit(both.found, sides, checked, problem), "--junit")
    if as_json:
        print_json(_fields(both))
    else:
        print_rich(*comparison_lines(both.found, both.others, sides))
    if gate:
        _warn_of_few(len(both.found.tasks))
        if worse:
            one, two = (side.name for side in sides)
            raise GateFailed(f"{two} is worse than {one}, and not by chance: {'; '.join(worse)}")
        if problem:
            raise problem


def _warn_of_few(tasks: int) -> None:
    if tasks < LEAST_TASKS:
        sys.stderr.write(
            f"warning: {counted(tasks, 'task')} cannot show that a run is worse, however many "
            f"trials it has: nothing fails --gate with fewer than {LEAST_TASKS} tasks; twenty or "
            "more show smaller drops\n"
        )


def _bench_problem(both: Compared) -> InfraProblem | None:
    """Why the latencies of one of the runs say nothing."""
    for side in both.sides:
        if side.name in both.found.untrusted:
            return InfraProblem(f"{side.name}: {untrusted_latencies(side.turns.harness())}")
    return None


def _add(file: Path, text: str) -> None:
    try:
        with file.open("a", encoding="utf-8") as opened:
            opened.write(text)
    except OSError as error:
        raise UsageProblem(f"cannot write {file}: {error.strerror}") from error


# --- for scripts


def _fields(both: Compared) -> dict[str, Any]:
    found, others, (one, two) = both.found, both.others, both.sides
    latencies = [side.turns.latency_ms() for side in both.sides]
    return {
        "headline": comparison_headline(found, others),
        "first": one.manifest.run_id,
        "second": two.manifest.run_id,
        "runs": [_about(side) for side in both.sides],
        "mixed": found.mixed,
        "conditions": found.conditions,
        "latencies_not_judged": found.not_judged,
        "latencies_not_trusted": found.untrusted,
        "unpaired": others,
        "latencies_of_persons": found.by_person,
        "solved": found.solved,
        "in_time": found.in_time,
        "by_type": found.by_type,
        "turns_too_late": found.late_share,
        "turns_too_late_apart": found.late_apart,
        "latency_difference_apart_ms": found.apart,
        "latency_difference_ms": found.latencies,
        "slower": found.slower,
        "slower_turns": found.slower_turns,
        "tasks": found.tasks,
        "late_only_in_second": [_late_fields(late) for late in found.late],
        "late_only_in_first": [_late_fields(late) for late in found.late_first],
        "latency_ms": dict(zip(("first", "second"), latencies, strict=True)),
        "changes": [
            {
                "task_id": change.task_id,
                "first": (change.first.successes, change.first.trials),
                "second": (change.second.successes, change.second.trials),
                "change": change.change,
                "reason": change.reason,
            }
            for change in found.changes
        ],
        "only_first": found.only_first,
        "only_second": found.only_second,
        "reworded": found.reworded,
    }


def _late_fields(late: LateInOne) -> dict[str, Any]:
    return {**late.model_dump(), "parts": dict(late.parts)}


def _about(side: Side) -> dict[str, Any]:
    manifest = side.manifest
    return {
        "run_id": manifest.run_id,
        "folder": side.folder,
        "label": manifest.label or None,
        "agent": manifest.described_agent,
    }
