"""Verdicts of recorded runs against ours under the published rules, from the answers of our car.

The judge's verdicts and the driver's last word come from the recording on both sides, so that they
agree proves nothing; every other part is worked out anew.
"""

from collections.abc import Iterator

from evaluator.car_bench.conformance_figures import RULE, ComparedReward
from evaluator.car_bench.declared_differences import may_change
from evaluator.car_bench.recorded_verdict import (
    coded_errors,
    recorded_reward,
    scored_record,
)
from evaluator.car_bench.recordings import RecordedRun
from evaluator.car_bench.replay_over_bus import Replayed
from evaluator.scoring.policies import POLICIES, Profile
from evaluator.scoring.scores import Score
from evaluator.task.task import Task
from vehicle_bus.world.world import World

REWARD = "reward"
COMPONENTS = ("r_actions", "r_policy", "r_user_end_conversation", REWARD)
TAKEN_FROM_RECORDING = (
    "r_policy: verdicts of the judge",
    "r_user_end_conversation: last word of the driver",
)
CODED = tuple(policy.id for policy in POLICIES.values() if policy.decided_by == "code")


def compared_verdict(
    replayed: Replayed, task: Task, world: World, profile: Profile
) -> tuple[ComparedReward, ...]:
    """What follows from car, calls and coded rules in the record of a replay."""
    run = replayed.recording
    if run.rewards is None:
        return ()
    ours, _ = scored_record(run, replayed.record, task, world, profile)
    return tuple(_compared(run, ours, replayed.differences))


def _compared(run: RecordedRun, ours: Score, ids: set[str]) -> Iterator[ComparedReward]:
    recorded = {**(run.rewards or {}), REWARD: recorded_reward(run)}
    found = _found(ours)
    for name in COMPONENTS:
        was = recorded.get(name)
        if was is not None:
            why = ours.reason if name == REWARD else ours.why.get(name, "")
            yield ComparedReward(name, was, found[name], why, may_change(name, ids))
    if recorded.get("r_policy") is not None:
        yield from _rules(run, ours)


def _found(ours: Score) -> dict[str, float | None]:
    parts = ours.components
    states = [parts["r_actions_final"], parts["r_actions_intermediate"]]
    known = [state for state in states if state is not None]
    return {**parts, REWARD: ours.reward, "r_actions": min(known, default=None)}


def _rules(run: RecordedRun, ours: Score) -> Iterator[ComparedReward]:
    """1.0 for each rule that was kept or did not apply, there and here."""
    broken = coded_errors(run)
    for rule in sorted({*CODED, *broken}):
        mark = ours.policies.get(rule)
        by_code = mark is not None and mark.state == "broken" and mark.by == "code"
        why = "; ".join(mark.sentences) if mark is not None and by_code else ""
        yield ComparedReward(
            f"{RULE}{rule}", float(rule not in broken), float(not by_code), why, explained=False
        )
