"""All numbers of a run in one JSON object: the fields that scripts rely on.

Keys are always there; what could not be measured or is not built yet is null. Fields may be added,
never renamed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from math import inf, isinf
from pathlib import Path
from typing import Any

from assistant_gateway.timeline import MS
from evaluator.manifest import Manifest, manifest_key
from evaluator.scores import TurnScore
from evaluator.statistics import (
    Bootstrap,
    Estimate,
    Tally,
    flip_rate,
    mean,
    nearest_rank,
    pass_at,
    pass_hat,
    tallies,
)
from evaluator.store import UnitResult

REPLY_SPANS = ("upl", "upl_content", "turnaround")
SHARES = {"p50": 0.50, "p95": 0.95, "p99": 0.99}


def summary(
    manifest: Manifest,
    units: Sequence[UnitResult],
    *,
    wall_s: float | None = None,
    out: Path | str | None = None,
) -> dict[str, Any]:
    """Summarise the newest attempt at each unit.

    Rates and means are over units that count for the agent, intervals over tasks. `latency_ms` and
    `budget` leave out turns that the bench itself delayed; they are counted in `harness`.
    """
    key = manifest_key(manifest)
    wall_s = _span_s(units) if wall_s is None else wall_s
    evaluated = [unit for unit in units if unit.score.evaluated]
    turns = [turn for unit in evaluated for turn in unit.score.turns]
    return {
        "run_id": manifest.run_id,
        "pace": manifest.pace,
        "profile": manifest.profile,
        "compat": manifest.compat,
        "planned": manifest.planned,
        "unsupported": list(manifest.unsupported),
        **_row(units, key),
        "by_type": _rows_by(units, key, lambda unit: unit.family),
        "by_script": _rows_by(units, key, lambda unit: unit.script or "none"),
        "latency_ms": latency_ms(turns),
        "budget": _budget(turns),
        "policy_coverage": {"decided": None, "applicable": None},
        "harness": _harness(turns),
        "cost": {payer: _cost(units, payer) for payer in ("agent", "user", "judge")},
        "wall_s": wall_s,
        "episodes_per_s": len(units) / wall_s if wall_s else None,
        "out": str(out) if out else None,
    }


def _row(units: Sequence[UnitResult], key: str) -> dict[str, Any]:
    """What the whole run and each part of it have in common."""
    evaluated = [unit for unit in units if unit.score.evaluated]
    rewards = [unit.score.reward for unit in evaluated if unit.score.reward is not None]
    in_time = [unit.score.reward_in_time for unit in evaluated]
    solved = tallies((unit.task_id, unit.score.outcome == "success") for unit in evaluated)
    solved_in_time = tallies((unit.task_id, unit.score.in_time) for unit in evaluated)
    always, once = Bootstrap(solved, key), Bootstrap(solved_in_time, key)
    return {
        "evaluated": len(evaluated),
        "user_error": _count(units, "user_error"),
        "infra_error": _count(units, "infra_error"),
        "reward_mean": mean(rewards),
        "in_time_mean": mean([value for value in in_time if value is not None]),
        "pass_hat_k": _by_k(always, solved, pass_hat),
        "pass_at_k": _by_k(always, solved, pass_at),
        "pass_hat_k_in_time": _by_k(once, solved_in_time, pass_hat),
        "flip_rate": flip_rate(solved),
    }


def _count(units: Iterable[UnitResult], outcome: str) -> int:
    return sum(unit.score.outcome == outcome for unit in units)


def _by_k(
    bootstrap: Bootstrap, per_task: dict[str, Tally], statistic: Callable[[Tally, int], float]
) -> dict[str, Any]:
    def at(k: int) -> Estimate | None:
        return bootstrap.mean(lambda tally: statistic(tally, k), least_trials=k)

    most = max((tally.trials for tally in per_task.values()), default=0)
    estimates = {k: at(k) for k in range(1, most + 1)}
    return {str(k): _estimate(found) for k, found in estimates.items() if found is not None}


def _estimate(estimate: Estimate) -> dict[str, float | int]:
    return {
        "value": estimate.value,
        "lo": estimate.lo,
        "hi": estimate.hi,
        "tasks": estimate.tasks,
    }


def _rows_by(
    units: Sequence[UnitResult], key: str, group: Callable[[UnitResult], str]
) -> dict[str, Any]:
    """One row per group; written and derived scripts never share one."""
    groups: dict[str, dict[str | None, list[UnitResult]]] = defaultdict(lambda: defaultdict(list))
    for unit in units:
        groups[group(unit)][unit.script].append(unit)
    rows = {}
    for name, by_script in sorted(groups.items()):
        for script, members in sorted(by_script.items(), key=lambda item: item[0] or ""):
            alone = len(by_script) == 1
            label = name if alone else f"{name} ({script or 'no'} script)"
            turns = [turn for unit in members if unit.score.evaluated for turn in unit.score.turns]
            rows[label] = {"script": script, **_row(members, key), "budget": _budget(turns)}
    return rows


# --- latency


def latency_ms(turns: Iterable[TurnScore]) -> dict[str, dict[str, Any]]:
    """Percentiles per span by nearest rank, over turns the bench did not spoil.

    Where a reply was due and never came it counts as infinite and in `missing`: a percentile that
    falls there is null. Other spans that never happened, such as an effect, are not counted.
    """
    values: dict[str, list[float]] = defaultdict(list)
    for turn in turns:
        if turn.excluded:
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
    judged = [turn for turn in turns if not turn.excluded]
    return {
        "hard_miss_rate": mean([float(turn.hard_miss) for turn in judged]),
        "soft_miss_rate": mean([float(turn.soft_miss) for turn in judged]),
        "hard_misses": sum(turn.hard_miss for turn in judged),
        "turns": len(judged),
    }


def _harness(turns: Sequence[TurnScore]) -> dict[str, Any]:
    late = sorted(turn.late_ms for turn in turns)
    return {
        "error_ms_p99": nearest_rank(late, 0.99) if late else None,
        "degraded": sum(turn.degraded for turn in turns),
        "excluded": sum(turn.excluded for turn in turns),
    }


# --- what it took


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
