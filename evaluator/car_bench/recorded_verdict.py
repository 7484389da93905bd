"""What a public result file says about an episode, and the same episode scored by us.

What code decides is worked out anew. The driver's last word and the verdicts of the judge are taken
from the file, since nobody can work them out again.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import sqrt

from evaluator.car_bench.recordings import RecordedRun
from evaluator.record.episode import Episode
from evaluator.record.record import Record
from evaluator.scoring.imported_runs import RECORDED, untimed
from evaluator.scoring.judgements import Judged, judgements
from evaluator.scoring.policies import Policy, Profile, is_published
from evaluator.scoring.rules_kept import undecided
from evaluator.scoring.scores import Score, score
from evaluator.task.task import Task
from vehicle_bus.world.world import World

PUBLISHED: Profile = "car-bench"
RULE_ID = re.compile(r"POL\W*(\d{3})|\bpolicy (\d{3})\b", re.IGNORECASE)
# The car's own refusal counts as a breach of this rule, and its text names none.
NAVIGATION_IS_ACTIVE = re.compile(r"SetNewNavigation_001\b")


def scored_record(
    run: RecordedRun, record: Record, task: Task, world: World, profile: Profile, trial: int = 0
) -> tuple[Score, tuple[Judged, ...]]:
    """Score a recording that was played again, and what the recorded judge decided.

    The recorded judge counts in published profiles only.
    """
    asked = profile if is_published(profile) else PUBLISHED
    judged = tuple(recorded_judgements(run, Episode(record, task), asked, trial))
    decided = judgements(judged).get((run.task_id, trial), {}) if asked == profile else {}
    return untimed(score(record, task, world, profile, judgements=decided)), judged


def recorded_reward(run: RecordedRun) -> float | None:
    """The reward in the file; None if the run was not scored."""
    scored = run.info.get("reward_info")
    found = scored.get("reward") if isinstance(scored, dict) else None
    return None if found is None else float(found)


def coded_errors(run: RecordedRun) -> frozenset[str]:
    """The ids of the rules that published code found broken; texts without an id as they are."""
    return frozenset(map(_rule_id, _listed(run, "policy_aut_errors")))


def _rule_id(text: str) -> str:
    if NAVIGATION_IS_ACTIVE.search(text):
        return "018"
    named = RULE_ID.search(text)
    return (named.group(1) or named.group(2)) if named else text


def _listed(run: RecordedRun, name: str) -> list[str]:
    scored = run.info.get("reward_info") or {}
    found = (scored.get("info") or {}).get(name)
    return list(map(str, found)) if isinstance(found, list) else []


# --- what the recorded judge said


def recorded_judgements(
    run: RecordedRun, episode: Episode, profile: Profile, trial: int
) -> Iterator[Judged]:
    """A verdict for each rule the published judge is asked about, if it was asked at all.

    The file gives the reasons of violated rules without their ids; a reason is put down to the
    rule it shares most words with.
    """
    noted = run.rewards or {}
    if noted.get("r_policy") is None:
        return
    asked = list(undecided(episode, profile))
    blamed = blame(_listed(run, "policy_llm_errors"), asked)
    for policy in asked:
        yield Judged(
            judge=RECORDED,
            profile=profile,
            task_id=run.task_id,
            trial=trial,
            policy=policy.id,
            followed=policy.id not in blamed,
            reason=blamed.get(policy.id, "no violation was recorded"),
        )


def blame(reasons: Sequence[str], asked: Sequence[Policy]) -> dict[str, str]:
    """Per rule that was broken the reason; no rule is blamed twice while others are left."""
    left = {policy.id: _words(policy.rule) for policy in asked}
    blamed: dict[str, str] = {}
    for reason in reasons:
        named = RULE_ID.search(reason)
        policy_id = (named.group(1) or named.group(2)) if named else None
        if policy_id not in left:
            policy_id = max(left, key=partial(_likeness, left, _words(reason)), default=None)
        if policy_id is not None:
            blamed[policy_id] = reason
            del left[policy_id]
    return blamed


def _likeness(rules: Mapping[str, set[str]], words: set[str], policy_id: str) -> float:
    """How many words they share; long rules share some with everything."""
    return len(rules[policy_id] & words) / sqrt(len(rules[policy_id]) or 1)


def _words(text: str) -> set[str]:
    """Beginnings of words that mean something, and numbers."""
    return {word[:4] for word in re.findall(r"\d{2,}|[a-z]{4,}", text.lower())}
