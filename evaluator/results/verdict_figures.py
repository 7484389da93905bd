"""What the verdicts of a run add up to besides rewards: rules, honesty, driver load, recovery."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from pydantic import BaseModel

from assistant_gateway.wording.spoken import counted
from evaluator.results.broken_agent import BrokenAgent
from evaluator.results.statistics import RunningMean
from evaluator.results.store import UnitResult
from evaluator.scoring.driver_load import DriverLoad
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


class VerdictCounts:
    """Counts what the units of a run came to; they come one after the other, diagnosed."""

    def __init__(self) -> None:
        self._failures: Counter[str] = Counter()
        self._broken_how = ""
        self._rules: dict[str, Counter[str]] = defaultdict(Counter)
        self._decided = self._applicable = 0
        self._without_false_claim, self._grounded = RunningMean(), RunningMean()
        self._load = _Load()
        self._recovery = _Recovery()
        self._episodes = self._disputed = self._repairs = 0

    @classmethod
    def of(cls, units: Iterable[UnitResult]) -> "VerdictCounts":
        counts = cls()
        for unit in units:
            counts.add(unit)
        return counts

    def add(self, unit: UnitResult) -> None:
        score = unit.score
        if score.failure is not None:
            self._failures[score.failure.kind] += 1
            if score.failure.kind == "broken_agent":
                self._broken_how = self._broken_how or score.failure.evidence
        if unit.driver is not None:
            self._episodes += 1
            self._disputed += unit.driver.disputed is not None
            self._repairs += unit.driver.repairs
        if score.evaluated:
            self._add_evaluated(score, rules_count(unit.task_type, score.profile))

    def _add_evaluated(self, score: Score, rules_counted: bool) -> None:
        for policy_id, mark in score.policies.items():
            self._rules[policy_id][mark.state] += 1
            if rules_counted:
                self._applicable += 1
                self._decided += mark.by is not None
        if (claims := score.components.get("false_claim")) is not None:
            self._without_false_claim.add(claims)
        if (grounding := score.components.get("grounding")) is not None:
            self._grounded.add(grounding)
        if score.driver_load is not None:
            self._load.add(score.driver_load)
        if score.recovery is not None:
            self._recovery.add(score.recovery)

    def failures(self) -> dict[str, int]:
        """How many units failed in which way; driver and infrastructure errors among them."""
        return dict(self._failures.most_common())

    def broken(self) -> BrokenAgent | None:
        """None if in no failed episode the agent looks broken."""
        episodes = self._failures["broken_agent"]
        return BrokenAgent(episodes=episodes, example=self._broken_how) if episodes else None

    def coverage(self) -> PolicyCoverage:
        return PolicyCoverage(decided=self._decided, applicable=self._applicable)

    def rules(self) -> dict[str, RuleCounts]:
        """By the id of the rule."""
        return {name: RuleCounts(**self._rules[name]) for name in sorted(self._rules)}

    def honesty(self) -> Honesty:
        return Honesty(
            without_false_claim=self._without_false_claim.value, grounded=self._grounded.value
        )

    def load(self) -> MeanLoad:
        return self._load.means()

    def recovery(self) -> RecoveryFigures | None:
        """None if no fault hit a call."""
        return self._recovery.figures()

    def driver(self) -> DriverFigures | None:
        """None if no driver was played by a model."""
        if not self._episodes:
            return None
        return DriverFigures(
            episodes=self._episodes,
            disputed=self._disputed,
            disputed_share=self._disputed / self._episodes,
            repairs=self._repairs,
        )


class _Load:
    def __init__(self) -> None:
        self._words, self._seconds = RunningMean(), RunningMean()
        self._questions, self._choices = RunningMean(), RunningMean()
        self._longest: int | None = None

    def add(self, load: DriverLoad) -> None:
        self._words.add(load.words)
        self._seconds.add(load.seconds)
        self._questions.add(load.questions)
        if load.choices is not None:
            self._choices.add(load.choices)
        longest = self._longest
        self._longest = load.longest_words if longest is None else max(longest, load.longest_words)

    def means(self) -> MeanLoad:
        return MeanLoad(
            words_per_reply=self._words.value,
            seconds_per_reply=self._seconds.value,
            longest_words=self._longest,
            questions_per_episode=self._questions.value,
            choices_per_question=self._choices.value,
        )


class _Recovery:
    def __init__(self) -> None:
        self._faulted = self._recovered = self._hammered = self._false_claims = 0
        self._noticed, self._retries, self._most_retries = RunningMean(), RunningMean(), 0
        self._by_kind: dict[str, list[int]] = defaultdict(lambda: [0, 0])

    def add(self, one: Recovery) -> None:
        self._faulted += 1
        self._recovered += one.recovered
        self._hammered += one.hammered
        self._false_claims += one.false_claims > 0
        self._retries.add(one.retries)
        self._most_retries = max(self._most_retries, one.retries)
        if one.noticed is not None:
            self._noticed.add(one.noticed)
        for kind in set(one.faults):
            self._by_kind[kind][0] += 1
            self._by_kind[kind][1] += one.recovered

    def figures(self) -> RecoveryFigures | None:
        if not self._faulted:
            return None
        return RecoveryFigures(
            faulted=self._faulted,
            recovered=self._recovered,
            noticed=self._noticed.value,
            retries_mean=self._retries.value,
            retries_max=self._most_retries,
            hammered=self._hammered,
            false_claims=self._false_claims,
            by_kind={
                kind: FaultKindCounts(faulted=hit, recovered=recovered)
                for kind, (hit, recovered) in sorted(self._by_kind.items())
            },
        )


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
