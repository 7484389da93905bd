"""A run for people: a headline and one line per unit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assistant_gateway.timing.timeline import SECOND
from evaluator.results.manifest import Manifest
from evaluator.results.statistics import nearest_rank
from evaluator.results.store import UnitResult
from evaluator.results.summary import Summary
from evaluator.results.verdict_figures import RecoveryFigures
from evaluator.scoring.failure_kinds import KINDS
from evaluator.views.captions import OUTCOMES, caption
from evaluator.views.sentences import (
    broken_agent_sentence,
    driver_sentences,
    judging_sentence,
    readable,
    untrusted_latencies,
)

TYPE = {"base": "base", "hallucination": "limit", "disambiguation": "ambig."}
BESIDE = 40  # columns of type and figures
SHORTEST_NAME = 16
LEAST_ROOM = 24
OUTCOME = {"success": "green", "failure": "red", "user_error": "yellow", "infra_error": "yellow"}


def headline(run: Summary) -> str:
    """One sentence: how much was solved, how much in time, and what was decided."""
    parts = [
        f"{run.evaluated} of {run.planned} episodes evaluated",
        *_latencies(run),
        *([broken_agent_sentence(run.broken_agent, run.evaluated)] if run.broken_agent else []),
        *_spoilt(run),
        *([f"{run.played_again} played again"] if run.played_again else []),
        *([_recovered(run.recovery)] if run.recovery else []),
        *driver_sentences(run),
        *([f"{len(run.unsupported)} tasks unsupported"] if run.unsupported else []),
        judging_sentence(run),
        *_measurement_error(run),
    ]
    latency = f", {run.latency_profile} latency" if run.latency_profile else ""
    usual = run.budget_profile in (None, "default")
    budgets = "" if usual else f"{run.budget_profile} budgets, "
    return f"{run.pace} pace{latency}, {budgets}profile {run.profile}: {'; '.join(parts)}"


def _spoilt(run: Summary) -> Iterator[str]:
    for name, number in (("user_error", run.user_error), ("infra_error", run.infra_error)):
        why = f" ({run.infra_example})" if name == "infra_error" else ""
        if number:
            yield f"{number} {caption(OUTCOMES, name)}{'s' if number > 1 else ''}{why}"


def _latencies(run: Summary) -> Iterator[str]:
    if run.patience_s is not None:
        yield f"{_solved(run)}, latencies not judged, because this run used --patience"
        return
    yield f"{_solved(run)}, in time {_share(run.in_time_mean)}"
    yield f"{run.budget.hard_misses} of {run.budget.turns} turns too late"


def _recovered(recovery: RecoveryFigures) -> str:
    text = f"recovered in {recovery.recovered} of {recovery.faulted} episodes with faults"
    return text + (
        f", repeated a call too often in {recovery.hammered}" if recovery.hammered else ""
    )


def _measurement_error(run: Summary) -> Iterator[str]:
    """In real time only: virtual time measures exactly."""
    harness = run.harness
    if run.pace == "virtual" or harness.error_ms_p99 is None or run.patience_s is not None:
        return
    text = f"measurement error ≤ {harness.error_ms_p99:.0f} ms in 99 % of turns"
    if not harness.trusted:
        yield f"{text}; {untrusted_latencies(harness)}"
    else:
        yield text + (f", {harness.excluded} turns excluded" if harness.excluded else "")


def _solved(run: Summary) -> str:
    """The reward, or as much of it as code can decide without a judge."""
    if run.reward_mean is None and run.reward_coded_mean is not None:
        share = _share(run.reward_coded_mean)
        return f"reward not final without the judge; {share} by the rules that code decides"
    return f"reward {_share(run.reward_mean)}"


@dataclass(frozen=True, slots=True)
class UnitTable:
    """Task, type, reward, reward in time, first speech, late turns and reason; from 60 columns on.

    Reasons that do not fit beside the numbers are listed below the table.
    """

    units: Sequence[UnitResult]
    several_trials: bool

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        reasons = {self._name(unit): _reason(unit) for unit in self.units}
        words = [word for reason in reasons.values() for word in reason.split()]
        room = options.max_width - BESIDE - max([SHORTEST_NAME, *map(len, reasons)])
        beside = max(map(len, words), default=0) <= room and room >= LEAST_ROOM
        yield self._lines(with_reasons=beside)
        if not beside:
            for name, reason in reasons.items():
                if reason:
                    yield Padding(Text.assemble((name, "bold"), f"  {reason}"), (0, 0, 0, 2))

    def _lines(self, *, with_reasons: bool) -> Table:
        lines = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
        lines.add_column("task", min_width=SHORTEST_NAME, overflow="fold")
        lines.add_column("type", no_wrap=True)
        for number in ("reward", "in time", "first speech", "too late"):
            lines.add_column(number, justify="right", no_wrap=True)
        if with_reasons:
            lines.add_column("reason")
        for unit in self.units:
            reason = (Text(_reason(unit)),) if with_reasons else ()
            lines.add_row(Text(self._name(unit)), *_cells(unit), *reason)
        return lines

    def _name(self, unit: UnitResult) -> str:
        return f"{unit.task_id}:{unit.trial}" if self.several_trials else unit.task_id


def table(manifest: Manifest, units: Sequence[UnitResult]) -> UnitTable:
    """One line per unit."""
    return UnitTable(units, several_trials=manifest.num_trials > 1)


def _cells(unit: UnitResult) -> tuple[Text, ...]:
    score = unit.score
    misses = sum(turn.hard_miss for turn in score.turns)
    judged = any(turn.verdict.judged for turn in score.turns) or not score.turns
    return (
        Text(TYPE.get(unit.main_type, unit.main_type)),
        Text(_number(score.reward), style=OUTCOME[score.outcome]),
        Text(_number(score.reward_in_time)),
        Text(_first_speech(unit)),
        Text(str(misses) if judged else "-", style="red" if misses else ""),
    )


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


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.0%}"
