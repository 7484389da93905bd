"""A run for people: a headline and one row per unit."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from assistant_gateway.timing.timeline import SECOND
from assistant_gateway.wording.spoken import counted
from evaluator.results.manifest import Manifest
from evaluator.results.statistics import Estimate, nearest_rank
from evaluator.results.store import UnitResult
from evaluator.results.summary import Summary
from evaluator.results.verdict_figures import RecoveryFigures
from evaluator.scoring.failure_kinds import KINDS
from evaluator.views.captions import OUTCOMES, percent
from evaluator.views.row_table import RowTable
from evaluator.views.sentences import (
    broken_agent_sentence,
    driver_sentences,
    judging_sentence,
    readable,
    untrusted_latencies,
)

HEADER = ("task", "#reward", "#in\ntime", "#p50 first\nspeech", "#too\nlate", "reason")
OUTCOME = {"success": "green", "failure": "red", "user_error": "yellow", "infra_error": "yellow"}


def headline(run: Summary) -> str:
    """What came out, in one line, and how it was measured in another.

    If the bench was too slow to trust latencies, a line before says so.
    """
    lines = [", ".join(_shares(run)), *_counts(run)], list(_conditions(run))
    warning = [untrusted_latencies(run.harness)] if _untrusted(run) else []
    return "\n".join([*warning, *map("; ".join, lines)])


def _untrusted(run: Summary) -> bool:
    return run.patience_s is None and not run.harness.trusted


def _shares(run: Summary) -> Iterator[str]:
    if run.reward_mean is None and run.reward_coded_mean is not None:
        share = percent(run.reward_coded_mean)
        yield f"reward not final without the judge; {share} by the rules that code decides"
    else:
        yield f"solved {_estimate(run.solved)}"
    if run.patience_s is not None:
        yield "latencies not judged, because this run used --patience"
    else:
        yield f"in time {_estimate(run.solved_in_time)}"


def _counts(run: Summary) -> Iterator[str]:
    if run.patience_s is None and run.budget.turns:
        yield f"{run.budget.hard_misses} of {counted(run.budget.turns, 'turn')} too late"
    if (upl := run.latency_ms.get("upl")) and upl.p50 is not None:
        yield f"first speech p50 {_seconds(upl.p50)}, p95 {_seconds(upl.p95)}"
    yield f"{run.evaluated} of {counted(run.planned, 'episode')} evaluated"
    if run.broken_agent:
        yield broken_agent_sentence(run.broken_agent, run.evaluated)
    if run.user_error:
        yield counted(run.user_error, OUTCOMES["user_error"])
    if run.infra_error:
        yield f"{counted(run.infra_error, OUTCOMES['infra_error'])} ({run.infra_example})"
    if run.played_again:
        yield f"{run.played_again} played again"
    if run.recovery:
        yield _recovered(run.recovery)
    if run.unsupported:
        yield f"{counted(len(run.unsupported), 'task')} unsupported"


def _conditions(run: Summary) -> Iterator[str]:
    latency = f", {run.latency_profile} latency" if run.latency_profile else ""
    usual = run.budget_profile in (None, "default")
    budgets = "" if usual else f", {run.budget_profile} budgets"
    yield f"{run.pace} pace{latency}{budgets}, profile {run.profile}"
    yield from driver_sentences(run)
    yield judging_sentence(run)
    yield from _measurement_error(run)


def _seconds(ms: float | None) -> str:
    return "never" if ms is None else f"{ms / 1000:.2f} s"


def _recovered(recovery: RecoveryFigures) -> str:
    return str(recovery) + (
        f", repeated a call too often in {recovery.hammered}" if recovery.hammered else ""
    )


def _measurement_error(run: Summary) -> Iterator[str]:
    """In real time only: virtual time measures exactly."""
    harness = run.harness
    if run.pace == "virtual" or harness.error_ms_p99 is None or run.patience_s is not None:
        return
    left_out = f", {counted(harness.excluded, 'turn')} left out" if harness.excluded else ""
    yield f"measurement error ≤ {harness.error_ms_p99:.0f} ms in 99 % of turns{left_out}"


def table(manifest: Manifest, units: Sequence[UnitResult]) -> RowTable:
    """One row per unit: reward, in time, p50 of the first speech, turns too late, and why."""
    several_trials = manifest.num_trials > 1
    return RowTable(HEADER, [list(_cells(unit, several_trials)) for unit in units])


def _cells(unit: UnitResult, several_trials: bool) -> Iterator[Text]:
    score = unit.score
    misses = sum(turn.hard_miss for turn in score.turns)
    judged = any(turn.verdict.judged for turn in score.turns) or not score.turns
    yield Text(unit.name if several_trials else unit.task_id)
    yield Text(_number(score.reward), style=OUTCOME[score.outcome])
    yield Text(_number(score.reward_in_time))
    yield Text(_first_speech(unit))
    yield Text(str(misses) if judged else "-", style="red" if misses else "")
    yield Text(_reason(unit))


def _reason(unit: UnitResult) -> str:
    """Why it failed, after the kind of failure; or what went wrong outside the agent."""
    score = unit.score
    if score.evaluated and score.failure is not None:
        return f"{KINDS[score.failure.kind]}: {readable(score.failure.evidence)}"
    return (
        readable(score.reason) if score.evaluated else f"{OUTCOMES[score.outcome]}: {score.reason}"
    )


def _first_speech(unit: UnitResult) -> str:
    """Median time to the first speech; a dash if no turn can be used."""
    spans = [turn.spans.get("upl") for turn in unit.score.turns if not turn.excluded]
    if not spans:
        return "-"
    measured = sorted(span / SECOND for span in spans if span is not None)
    return f"{nearest_rank(measured, 0.5):.2f} s" if measured else "never"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _estimate(found: Estimate | None) -> str:
    return percent(found.value) if found else "unknown"
