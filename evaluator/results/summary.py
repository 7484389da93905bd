"""All numbers of a run in one JSON object: the fields that scripts rely on.

Keys are always there; what could not be measured or is not built yet is null. Fields may be added,
never renamed.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from math import inf, isinf, sqrt
from pathlib import Path
from typing import Any

from assistant_gateway.agents.agent import IN_PROCESS
from assistant_gateway.models.spending import Usage
from assistant_gateway.timing.timeline import MS
from evaluator.results.manifest import OFF, Manifest, manifest_key
from evaluator.results.statistics import (
    Bootstrap,
    Estimate,
    Tally,
    first_trials,
    flip_rate,
    mean,
    nearest_rank,
    pass_at,
    pass_hat,
    tallies,
)
from evaluator.results.store import UnitResult
from evaluator.results.verdict_figures import by_failure, driver_load, honesty, recovery, rules
from evaluator.scoring.judgements import Judged
from evaluator.scoring.judgements import figures as judge_figures
from evaluator.scoring.marks import rules_count
from evaluator.scoring.scores import TurnScore
from evaluator.scoring.untimed import RECORDED

Result = tuple[str, int, bool]  # task id, trial, success
PassK = Callable[[Tally, int], float]
PAYERS = ("agent", "user", "judge")
MOST_EXCLUDED = 0.02  # of the turns of a run whose latencies are to be trusted
REPLY_SPANS = ("upl", "upl_content", "turnaround")
SHARES = {"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99, "max": 1.0}


def summary(
    manifest: Manifest,
    units: Sequence[UnitResult],
    *,
    wall_s: float | None = None,
    out: Path | str | None = None,
    judged: Sequence[Judged] = (),
) -> dict[str, Any]:
    """Summarise the newest attempt at each unit; `judged` is what a judge said about them.

    Rates and means are over units that count for the agent, intervals over tasks. `latency_ms`
    leaves out turns that the bench itself delayed, and so does `budget` unless a hard limit was
    missed anyhow; they are counted in `harness`.
    """
    rows = _Rows(manifest)
    wall_s = _span_s(units) if wall_s is None else wall_s
    evaluated = [unit for unit in units if unit.score.evaluated]
    # What others planned and did not record, nobody knows.
    planned = len(units) if manifest.pace == RECORDED else manifest.planned
    scores = [unit.score for unit in evaluated]
    turns = [turn for score in scores for turn in score.turns]
    return {
        "run_id": manifest.run_id,
        "pace": manifest.pace,
        "latency_profile": manifest.latency_profile if _is_paced(manifest) else None,
        "budget_profile": manifest.conditions.get("budget_profile"),
        "profile": manifest.profile,
        "compat": manifest.compat,
        "planned": planned,
        "unsupported": list(manifest.unsupported),
        "coverage": len(evaluated) / planned if planned else None,
        "estimator": rows.estimator,
        **rows.row(units),
        "by_type": rows.by(units, lambda unit: unit.family),
        "by_subtype": rows.by(units, lambda unit: unit.task_type),
        "by_priority": rows.by(
            [unit for unit in units if unit.family == "disambiguation"],
            lambda unit: "unknown" if unit.settled_by is None else str(unit.settled_by),
        ),
        "by_persona": rows.by(units, lambda unit: unit.persona or "none"),
        "by_actions": rows.by(units, _number_of_actions),
        "by_script": rows.by(units, lambda unit: unit.script or "none"),
        "latency_ms": latency_ms(turns),
        "budget": _budget(turns),
        "policy_coverage": _policy_coverage(evaluated),
        "judge": judge_figures(judged),
        "judge_named": _named_judge(manifest),
        "rules": rules(scores),
        "by_failure": by_failure(units),
        "honesty": honesty(scores),
        "driver_load": driver_load(scores),
        "recovery": recovery(scores),
        "harness": _harness(turns),
        "cost": {payer: _cost(units, payer) for payer in PAYERS},
        "usage": {payer: _usage(units, payer) for payer in PAYERS},
        "wall_s": wall_s,
        "episodes_per_s": len(units) / wall_s if wall_s else None,
        "notes": notes(manifest),
        "out": str(out) if out else None,
    }


class _Rows:
    """Rows of figures: the whole run and each part of it have the same ones."""

    def __init__(self, manifest: Manifest) -> None:
        self._key = manifest_key(manifest)
        self.estimator = "first-k" if manifest.profile == "car-bench" else "unbiased"

    def row(self, units: Sequence[UnitResult]) -> dict[str, Any]:
        evaluated = [unit for unit in units if unit.score.evaluated]
        scores = [unit.score for unit in evaluated]
        solved = [(*unit.unit, unit.score.outcome == "success") for unit in evaluated]
        in_time = [(*unit.unit, unit.score.in_time) for unit in evaluated if _was_timed(unit)]
        return {
            "evaluated": len(evaluated),
            "user_error": _count(units, "user_error"),
            "infra_error": _count(units, "infra_error"),
            "played_again": sum(unit.attempt for unit in units),
            "reward_mean": _mean_if_all_known(score.reward for score in scores),
            "reward_coded_mean": _mean_if_all_known(score.reward_coded for score in scores),
            "in_time_mean": _mean_if_all_known(score.reward_in_time for score in scores),
            "pass_hat_k": self._by_k(solved, pass_hat),
            "pass_at_k": self._by_k(solved, pass_at),
            "pass_hat_k_in_time": self._by_k(in_time, pass_hat),
            "noise_floor": self._noise_floor(solved),
            "flip_rate": flip_rate(_tallies(solved)),
        }

    def by(self, units: Sequence[UnitResult], group: Callable[[UnitResult], str]) -> dict[str, Any]:
        """One row per group; written and derived scripts never share one."""
        groups: dict[str, dict[str | None, list[UnitResult]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for unit in units:
            groups[group(unit)][unit.script].append(unit)
        rows = {}
        for name, by_script in sorted(groups.items(), key=lambda item: _naturally(item[0])):
            for script, members in sorted(by_script.items(), key=lambda item: item[0] or ""):
                alone = len(by_script) == 1
                label = name if alone else f"{name} ({script or 'no'} script)"
                turns = [
                    turn for unit in members if unit.score.evaluated for turn in unit.score.turns
                ]
                rows[label] = {"script": script, **self.row(members), "budget": _budget(turns)}
        return rows

    def _by_k(self, results: list[Result], statistic: PassK) -> dict[str, Any]:
        unbiased = _tallies(results)
        most = max((tally.trials for tally in unbiased.values()), default=0)
        bootstrap = Bootstrap(unbiased, self._key)
        estimates = {}
        for k in range(1, most + 1):
            if self.estimator == "first-k":
                bootstrap = Bootstrap(first_trials(results, k), self._key)
            found = bootstrap.mean(_for_k(statistic, k), least_trials=k)
            if found is not None:
                estimates[str(k)] = _estimate(found)
        return estimates

    def _noise_floor(self, results: list[Result]) -> float | None:
        """Half the 95 % interval of the difference of two runs like this one.

        Two such runs that differ by less may be one and the same agent.
        """
        once = Bootstrap(_tallies(results), self._key).mean(_for_k(pass_hat, 1))
        return sqrt(2) * (once.hi - once.lo) / 2 if once else None


def _is_paced(manifest: Manifest) -> bool:
    """Whether a latency profile says how fast the agent is."""
    return manifest.agent in IN_PROCESS


def _named_judge(manifest: Manifest) -> str | None:
    """Who was asked to judge, whether or not anything was left to decide."""
    named = manifest.options.get("judge")
    return None if named in (None, OFF) else str(named)


def _was_timed(unit: UnitResult) -> bool:
    """Not so for runs that others recorded."""
    return unit.score.components.get("r_realtime") is not None


def _for_k(statistic: PassK, k: int) -> Callable[[Tally], float]:
    return lambda tally: statistic(tally, k)


def _tallies(results: Iterable[Result]) -> dict[str, Tally]:
    return tallies((task_id, success) for task_id, _, success in results)


def _mean_if_all_known(values: Iterable[float | None]) -> float | None:
    """Null as soon as one is: a mean over the rest would be that of another run."""
    found = list(values)
    known = [value for value in found if value is not None]
    return mean(known) if len(known) == len(found) else None


def _count(units: Iterable[UnitResult], outcome: str) -> int:
    return sum(unit.score.outcome == outcome for unit in units)


def _number_of_actions(unit: UnitResult) -> str:
    return "unknown" if unit.expected_actions is None else str(unit.expected_actions)


def _naturally(name: str) -> tuple[int, str]:
    """Numbers by value, before words."""
    return (int(name), "") if name.isdecimal() else (sys.maxsize, name)


def _estimate(estimate: Estimate) -> dict[str, float | int]:
    return {
        "value": estimate.value,
        "lo": estimate.lo,
        "hi": estimate.hi,
        "tasks": estimate.tasks,
    }


# --- latency


def latency_ms(turns: Iterable[TurnScore]) -> dict[str, dict[str, Any]]:
    """Percentiles per span by nearest rank, over turns that neither bench nor faults spoilt.

    Where a reply was due and never came it counts as infinite and in `missing`: a percentile that
    falls there is null. Other spans that never happened, such as an effect, are not counted.
    """
    values: dict[str, list[float]] = defaultdict(list)
    for turn in turns:
        if not turn.counts_for_latency:
            continue
        silent = turn.spans.get("upl") is None
        for name, span_ns in turn.spans.items():
            if span_ns is not None:
                values[name].append(span_ns / MS)
            elif name in REPLY_SPANS or (name == "ttft_text" and silent):
                values[name].append(inf)
    return {name: _percentiles(sorted(measured)) for name, measured in values.items()}


def _percentiles(ordered: list[float]) -> dict[str, Any]:
    found = {name: nearest_rank(ordered, share) for name, share in SHARES.items()}
    return {
        **{name: None if isinf(value) else value for name, value in found.items()},
        "n": len(ordered),
        "missing": sum(map(isinf, ordered)),
    }


def _budget(turns: Iterable[TurnScore]) -> dict[str, Any]:
    judged = [turn for turn in turns if turn.judged]
    return {
        "hard_miss_rate": mean([float(turn.hard_miss) for turn in judged]),
        "soft_miss_rate": mean([float(turn.soft_miss) for turn in judged]),
        "hard_misses": sum(turn.hard_miss for turn in judged),
        "score_mean": mean([turn.credit for turn in judged if turn.credit is not None]),
        "turns": len(judged),
    }


def _harness(turns: Sequence[TurnScore]) -> dict[str, Any]:
    errors_ms = sorted(turn.harness_error_ms for turn in turns)
    excluded = sum(turn.excluded for turn in turns)
    waited_ms = sorted(turn.cpu_wait_ms for turn in turns if turn.cpu_wait_ms is not None)
    return {
        "error_ms_p50": nearest_rank(errors_ms, 0.5) if turns else None,
        "error_ms_p99": nearest_rank(errors_ms, 0.99) if turns else None,
        "cpu_wait_ms_p50": nearest_rank(waited_ms, 0.5) if waited_ms else None,
        "cpu_wait_ms_p99": nearest_rank(waited_ms, 0.99) if waited_ms else None,
        "degraded": sum(turn.degraded for turn in turns),
        "excluded": excluded,
        "undecided": sum(turn.undecided for turn in turns),
        "trusted": excluded <= max(1, MOST_EXCLUDED * len(turns)),
    }


def _policy_coverage(evaluated: Iterable[UnitResult]) -> dict[str, int]:
    """How many rules applied where they count for the reward, and how many of them were decided."""
    marks = [
        mark
        for unit in evaluated if rules_count(unit.task_type)
        for mark in unit.score.policies.values()
    ]  # fmt: skip
    return {
        "decided": sum(mark.by is not None for mark in marks),
        "applicable": len(marks),
    }


# --- what it took


def _usage(units: Sequence[UnitResult], payer: str) -> dict[str, Any] | None:
    """Requests and tokens, or null if a unit does not know its own."""
    used = [unit.usage.get(payer) for unit in units]
    known = [usage for usage in used if usage is not None]
    if not known or len(known) < len(used):
        return None
    return sum(known, Usage()).model_dump(exclude={"cost_usd"})


def _cost(units: Iterable[UnitResult], payer: str) -> float | None:
    """The sum if every unit knows its cost, otherwise unknown: null is not zero."""
    costs = [unit.cost.get(payer) for unit in units]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


def _span_s(units: Sequence[UnitResult]) -> float | None:
    """From the first start to the last end; of a resumed run the pause is part of it."""
    if not units:
        return None
    started = min(datetime.fromisoformat(unit.started_at) for unit in units)
    finished = max(datetime.fromisoformat(unit.finished_at) for unit in units)
    return (finished - started).total_seconds()


def notes(manifest: Manifest) -> list[str]:
    """Sentences that stand below the figures and in the report."""
    if not manifest.agent.startswith("a2a:"):
        return []
    return [
        "Over A2A an answer arrives whole: the first text (ttft_text) is the end of the agent's "
        "work in a turn, and nothing can be said on the way."
    ]
