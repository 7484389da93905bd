"""`codriver compare`: is the second run better than the first?"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluator.problems import GateFailed, InfraProblem, UsageProblem
from evaluator.results.comparison import Comparison, Side, compare
from evaluator.results.slow_turns import LateInOne
from evaluator.results.store import open_store
from evaluator.results.turn_figures import evaluated_turns, harness, latency_ms
from evaluator.results.unpaired import Unpaired, unpaired
from evaluator.views.comparison import comparison_headline, comparison_lines
from evaluator.views.gates import USUAL, Tolerance, worse_latencies, worse_shares
from evaluator.views.printing import print_json, print_rich
from evaluator.views.sentences import untrusted_latencies


def compare_runs(
    first: Path,
    second: Path,
    *,
    force: bool,
    as_json: bool,
    gate: bool = False,
    tolerance: Tolerance = USUAL,
) -> None:
    """Print a comparison; raises `UsageProblem` for runs of different kinds.

    Runs that share no task are compared unpaired, but for a gate.

    With `gate` it raises `GateFailed` if the second run is worse than tolerated, and not by chance,
    and `InfraProblem` if the bench kept that from being known.
    """
    one, two = asyncio.run(_sides(first, second))
    found = compare(one, two)
    others = unpaired(one, two) if found.solved is None and not gate else None
    if others is not None:  # other tasks may well play in another world
        found = replace(found, mixed=tuple(name for name in found.mixed if name != "world"))
    if found.mixed and not force:
        raise UsageProblem(
            f"these runs cannot be compared: they differ in {', '.join(found.mixed)}; "
            "--force compares them anyway"
        )
    if found.solved is None and others is None:
        raise UsageProblem(
            "these runs cannot be compared: no task is in both with the same wording"
        )
    if as_json:
        print_json(_fields(found, others, one, two))
    else:
        print_rich(*comparison_lines(found, others, (one, two)))
    if gate:
        _check(found, (one, two), tolerance)


def _check(found: Comparison, sides: Sequence[Side], tolerance: Tolerance) -> None:
    """What was solved is known whatever the bench delayed; how long it took is not."""
    known = replace(found, in_time=None, latencies={}) if found.untrusted else found
    if worse := [*worse_shares(known, tolerance), *worse_latencies(known, tolerance)]:
        raise GateFailed(
            f"{sides[1].name} is worse than {sides[0].name}, and not by chance: {'; '.join(worse)}"
        )
    for side in sides:
        if side.name in found.untrusted:
            exact = harness(evaluated_turns(side.units))
            raise InfraProblem(f"{side.name}: {untrusted_latencies(exact)}")


async def _sides(*folders: Path) -> list[Side]:
    sides = []
    for folder in folders:
        async with open_store(folder) as store:
            judged = await store.judged(store.manifest.profile)
            sides.append(Side(store.manifest, await store.units(), judged, str(folder)))
    return sides


# --- for scripts


def _fields(found: Comparison, others: Unpaired | None, one: Side, two: Side) -> dict[str, Any]:
    turns = [evaluated_turns(side.units) for side in (one, two)]
    return {
        "headline": comparison_headline(found, others),
        "first": one.manifest.run_id,
        "second": two.manifest.run_id,
        "runs": [_about(side) for side in (one, two)],
        "mixed": found.mixed,
        "conditions": found.conditions,
        "latencies_not_judged": found.not_judged,
        "latencies_not_trusted": found.untrusted,
        "unpaired": others,
        "latencies_of_persons": found.by_person,
        "solved": found.solved,
        "in_time": found.in_time,
        "by_type": found.by_type,
        "latency_difference_ms": found.latencies,
        "slower": found.slower,
        "late_only_in_second": [_late_fields(late) for late in found.late],
        "late_only_in_first": [_late_fields(late) for late in found.late_first],
        "latency_ms": dict(zip(("first", "second"), map(latency_ms, turns), strict=True)),
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
