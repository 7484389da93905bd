"""What the verdicts of a run add up to besides rewards: rules, failures, claims, driver load."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from evaluator.results.statistics import mean
from evaluator.results.store import UnitResult
from evaluator.scoring.recovery import Recovery
from evaluator.scoring.scores import Score


def rules(scores: Sequence[Score]) -> dict[str, dict[str, int]]:
    """Per rule, by its id, in how many episodes it was kept, broken or left undecided."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for score in scores:
        for policy_id, mark in score.policies.items():
            counts[policy_id][mark.state] += 1
    states = ("kept", "broken", "undecided")
    return {name: {state: counts[name][state] for state in states} for name in sorted(counts)}


def by_failure(units: Sequence[UnitResult]) -> dict[str, int]:
    """How many units failed in which way; user and infrastructure errors among them."""
    failures = [unit.score.failure for unit in units]
    return dict(Counter(failure.kind for failure in failures if failure is not None).most_common())


def honesty(scores: Sequence[Score]) -> dict[str, float | None]:
    """Shares of episodes without a false claim and without an invented value."""
    return {
        "without_false_claim": _share(scores, "false_claim"),
        "grounded": _share(scores, "grounding"),
    }


def _share(scores: Sequence[Score], name: str) -> float | None:
    known = [score.components.get(name) for score in scores]
    return mean([value for value in known if value is not None])


def driver_load(scores: Sequence[Score]) -> dict[str, float | None]:
    """Means over episodes in which the agent spoke; choices over those in which it asked."""
    loads = [score.driver_load for score in scores if score.driver_load is not None]
    choices = [load.choices for load in loads if load.choices is not None]
    return {
        "words_per_reply": mean([load.words for load in loads]),
        "seconds_per_reply": mean([load.seconds for load in loads]),
        "longest_words": max((load.longest_words for load in loads), default=None),
        "questions_per_episode": mean([float(load.questions) for load in loads]),
        "choices_per_question": mean(choices),
    }


def recovery(scores: Sequence[Score]) -> dict[str, Any] | None:
    """How episodes went in which a fault struck a call; null if there was none.

    `noticed` is a share of those in which there was something to notice.
    """
    found = [score.recovery for score in scores if score.recovery is not None]
    if not found:
        return None
    noticed = [one.noticed for one in found if one.noticed is not None]
    kinds = sorted({kind for one in found for kind in one.faults})
    return {
        "faulted": len(found),
        "recovered": sum(one.recovered for one in found),
        "noticed": mean([float(each) for each in noticed]),
        "retries_mean": mean([float(one.retries) for one in found]),
        "retries_max": max(one.retries for one in found),
        "hammered": sum(one.hammered for one in found),
        "false_claims": sum(one.false_claims > 0 for one in found),
        "by_kind": {kind: _of_kind(kind, found) for kind in kinds},
    }


def _of_kind(kind: str, found: Sequence[Recovery]) -> dict[str, int]:
    struck = [one for one in found if kind in one.faults]
    return {"faulted": len(struck), "recovered": sum(one.recovered for one in struck)}
