"""A run as people read it: a headline and one line per unit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assistant_gateway.timing.timeline import MS
from evaluator.results.manifest import Manifest
from evaluator.results.statistics import nearest_rank
from evaluator.results.store import UnitResult
from evaluator.scoring.failure_kinds import KINDS

TYPE = {"base": "base", "hallucination": "limit", "disambiguation": "ambig."}
BESIDE = 36  # columns of type and figures
SHORTEST_NAME = 16
LEAST_ROOM = 24
TOO_BUSY = (
    "too many to trust the latencies, the machine was busy with something else; close what else "
    "runs and play again, or read only the rewards"
)
OUTCOME = {"success": "green", "failure": "red", "user_error": "yellow", "infra_error": "yellow"}


def headline(totals: dict[str, Any]) -> str:
    """One sentence from a `summary`: how much was solved, in time, and what was decided."""
    parts = [
        f"{totals['evaluated']} of {totals['planned']} episodes evaluated",
        f"{_solved(totals)}, in time {_share(totals['in_time_mean'])}",
        f"{totals['budget']['hard_misses']} of {totals['budget']['turns']} turns too slow",
    ]
    for outcome in ("user_error", "infra_error"):
        if totals[outcome]:
            parts.append(f"{totals[outcome]} {outcome}")
    if totals["played_again"]:
        parts.append(f"{totals['played_again']} played again")
    if totals["recovery"] is not None:
        parts.append(_coping(totals["recovery"]))
    if totals["unsupported"]:
        parts.append(f"{len(totals['unsupported'])} tasks unsupported")
    parts.append(_judging(totals))
    if totals["pace"] != "virtual" and totals["harness"]["error_ms_p99"] is not None:
        parts.append(_exactness(totals["harness"]))
    latency = f", {totals['latency_profile']} latency" if totals["latency_profile"] else ""
    scoring = f"{_budgets(totals)}profile {totals['profile']}"
    return f"{totals['pace']} pace{latency}, {scoring}: {'; '.join(parts)}"


def _budgets(totals: dict[str, Any]) -> str:
    """The latency budgets, if they are not the usual ones."""
    profile = totals["budget_profile"]
    return "" if profile in (None, "default") else f"{profile} budgets, "


def _coping(recovery: dict[str, Any]) -> str:
    """How many episodes with faults were got over, and what was done badly."""
    told = f"{recovery['recovered']} of {recovery['faulted']} with faults got over"
    if recovery["hammered"]:
        told += f", {recovery['hammered']} times by hammering"
    return told


def _exactness(harness: dict[str, Any]) -> str:
    """How far the bench itself was off, and whether its latencies can be used."""
    told = f"bench exact to {harness['error_ms_p99']:.0f} ms (99 % of turns)"
    if not harness["excluded"]:
        return told
    told += f", {harness['excluded']} turns left out"
    if harness["trusted"]:
        return told
    return f"{told}: {TOO_BUSY}"


def _solved(totals: dict[str, Any]) -> str:
    """The reward, or as much of it as code can tell while a judge has still to be heard."""
    if totals["reward_mean"] is None and totals["reward_coded_mean"] is not None:
        return f"reward open, coded part {_share(totals['reward_coded_mean'])}"
    return f"reward {_share(totals['reward_mean'])}"


def _judging(totals: dict[str, Any]) -> str:
    """Whether a judge was heard, and how many rules are left open without one."""
    coverage, judge = totals["policy_coverage"], totals["judge"]
    left = coverage["applicable"] - coverage["decided"]
    still_open = f", {left} of {coverage['applicable']} rules undecided" if left else ""
    if judge is None:
        named = totals["judge_named"]
        return f"judge {named}, nothing was left to it" if named else f"judge off{still_open}"
    return f"judge {judge['judge'].partition('@')[0]}{still_open}"


@dataclass(frozen=True, slots=True)
class UnitTable:
    """Task, type, reward, in-time, first text, hard misses and reason, from 60 columns on.

    Where the reasons have no room beside the figures they stand below, each behind its unit.
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
        for number in ("reward", "in time", "ttft ms", "slow"):
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
    return (
        Text(TYPE.get(unit.family, unit.family)),
        Text(_number(score.reward), style=OUTCOME[score.outcome]),
        Text(_number(score.reward_in_time)),
        Text(_ttft(unit)),
        Text(str(misses), style="red" if misses else ""),
    )


def _reason(unit: UnitResult) -> str:
    """Why not, beginning with whose doing it was unless it is the agent's."""
    score = unit.score
    if score.evaluated and score.failure is not None:
        return f"{KINDS[score.failure.kind]}: {score.failure.evidence}"
    return score.reason if score.evaluated else f"{score.outcome}: {score.reason}"


def _ttft(unit: UnitResult) -> str:
    """Median first text of the turns in which text was said; a dash if no turn can be used."""
    spans = [turn.spans.get("ttft_text") for turn in unit.score.turns if not turn.excluded]
    if not spans:
        return "-"
    said = sorted(span / MS for span in spans if span is not None)
    return f"{nearest_rank(said, 0.5):.0f}" if said else "never"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.0%}"
