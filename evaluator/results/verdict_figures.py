"""What the verdicts of a run add up to besides rewards: rules, honesty, driver load, recovery."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from pydantic import BaseModel

from assistant_gateway.wording.spoken import counted
from evaluator.results.statistics import mean
from evaluator.results.store import UnitResult
from evaluator.scoring.judgements import Judged
from evaluator.scoring.recovery import Recovery
from evaluator.scoring.rules_kept import rules_count
from evaluator.scoring.scores import Score


class PolicyCoverage(BaseModel, frozen=True):
    """How many rules applied where they count for the reward, and how many were decided."""

    decided: int
    applicable: int


class RuleCounts(BaseModel, frozen=True):
    """In how many episodes a rule was kept, broken or left undecided."""

    kept: int = 0
    broken: int = 0
    undecided: int = 0


class JudgeFigures(BaseModel, frozen=True):
    """What the judge did, in questions; `not_judged_because` counts reasons without a verdict."""

    judge: str
    asked: int
    judged: int
    not_judged: int
    broken: int
    repeated: int
    not_judged_because: dict[str, int]


class Honesty(BaseModel, frozen=True):
    """Shares of episodes without a false claim and without an invented value."""

    without_false_claim: float | None
    grounded: float | None


class MeanLoad(BaseModel, frozen=True):
    """Means over episodes in which the agent spoke; choices over those in which it asked."""

    words_per_reply: float | None
    seconds_per_reply: float | None
    longest_words: int | None
    questions_per_episode: float | None
    choices_per_question: float | None


class DriverFigures(BaseModel, frozen=True):
    """How far a driver played by a model can be trusted, over `episodes` that it played.

    `disputed` counts episodes that it ended with a word that did not seem to fit what it had heard:
    the driver's own uncertainty. `repairs` are turns that it had to say again.
    """

    episodes: int
    disputed: int
    disputed_share: float
    repairs: int


class FaultKindCounts(BaseModel, frozen=True):
    """Episodes with a fault of one kind, and how many of them recovered."""

    faulted: int
    recovered: int


class RecoveryFigures(FaultKindCounts, frozen=True):
    """How episodes with a fault went; `noticed` is a share of those with something to notice."""

    noticed: float | None
    retries_mean: float | None
    retries_max: int
    hammered: int
    false_claims: int
    by_kind: dict[str, FaultKindCounts]

    def __str__(self) -> str:
        what = "manual changes" if set(self.by_kind) == {"knob"} else "faults"
        return f"recovered in {self.recovered} of {counted(self.faulted, 'episode')} with {what}"


def driver_figures(units: Iterable[UnitResult]) -> DriverFigures | None:
    """None if no driver was played by a model."""
    checks = [unit.driver for unit in units if unit.driver is not None]
    if not checks:
        return None
    disputed = sum(each.disputed is not None for each in checks)
    return DriverFigures(
        episodes=len(checks),
        disputed=disputed,
        disputed_share=disputed / len(checks),
        repairs=sum(each.repairs for each in checks),
    )


def policy_coverage(evaluated: Iterable[UnitResult]) -> PolicyCoverage:
    units = [unit for unit in evaluated if rules_count(unit.task_type, unit.score.profile)]
    marks = [mark for unit in units for mark in unit.score.policies.values()]
    return PolicyCoverage(decided=sum(mark.by is not None for mark in marks), applicable=len(marks))


def rule_counts(scores: Iterable[Score]) -> dict[str, RuleCounts]:
    """By the id of the rule."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for score in scores:
        for policy_id, mark in score.policies.items():
            counts[policy_id][mark.state] += 1
    return {name: RuleCounts(**counts[name]) for name in sorted(counts)}


def judge_figures(judged: Sequence[Judged]) -> JudgeFigures | None:
    """None without a judge."""
    if not judged:
        return None
    reasons = Counter(answer.reason for answer in judged if answer.followed is None)
    return JudgeFigures(
        judge=judged[-1].judge,
        asked=len(judged),
        judged=len(judged) - reasons.total(),
        not_judged=reasons.total(),
        broken=sum(answer.followed is False for answer in judged),
        repeated=sum(answer.verdicts > 1 for answer in judged),
        not_judged_because=dict(reasons),
    )


def by_failure(units: Iterable[UnitResult]) -> dict[str, int]:
    """How many units failed in which way; driver and infrastructure errors among them."""
    failures = [unit.score.failure for unit in units]
    return dict(Counter(failure.kind for failure in failures if failure is not None).most_common())


def honesty(scores: Sequence[Score]) -> Honesty:
    return Honesty(
        without_false_claim=_share(scores, "false_claim"), grounded=_share(scores, "grounding")
    )


def _share(scores: Iterable[Score], name: str) -> float | None:
    known = [score.components.get(name) for score in scores]
    return mean([value for value in known if value is not None])


def mean_load(scores: Iterable[Score]) -> MeanLoad:
    loads = [score.driver_load for score in scores if score.driver_load is not None]
    return MeanLoad(
        words_per_reply=mean([load.words for load in loads]),
        seconds_per_reply=mean([load.seconds for load in loads]),
        longest_words=max((load.longest_words for load in loads), default=None),
        questions_per_episode=mean([float(load.questions) for load in loads]),
        choices_per_question=mean([load.choices for load in loads if load.choices is not None]),
    )


def recovery_figures(scores: Iterable[Score]) -> RecoveryFigures | None:
    """None if no fault hit a call."""
    found = [score.recovery for score in scores if score.recovery is not None]
    if not found:
        return None
    kinds = sorted({kind for one in found for kind in one.faults})
    return RecoveryFigures(
        faulted=len(found),
        recovered=sum(one.recovered for one in found),
        noticed=mean([float(one.noticed) for one in found if one.noticed is not None]),
        retries_mean=mean([float(one.retries) for one in found]),
        retries_max=max(one.retries for one in found),
        hammered=sum(one.hammered for one in found),
        false_claims=sum(one.false_claims > 0 for one in found),
        by_kind={kind: _of_kind(kind, found) for kind in kinds},
    )


def _of_kind(kind: str, found: Iterable[Recovery]) -> FaultKindCounts:
    hit = [one for one in found if kind in one.faults]
    return FaultKindCounts(faulted=len(hit), recovered=sum(one.recovered for one in hit))
