"""Latency budgets by turn class, and the verdict over one turn.

Seconds count from the true end of user speech. `target` is a median goal, `soft` full credit up to
here, `hard` no credit and a recorded miss. The class comes from the task, never from the agent.
Sources and reasons: `docs/timing.md`, budgets.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_serializer

from assistant_gateway.timing.profiles import Profiles
from assistant_gateway.timing.timeline import MS, SECOND

TurnClass = Literal["A", "B", "C", "D", "E", "F", "G", "H"]
Mark = Literal["ok", "soft", "hard", "missing", "n/a"]
Measured = Literal["first_speech", "content", "effect", "max_gap"]
MEASURED: tuple[Measured, ...] = get_args(Measured)


@dataclass(frozen=True, slots=True)
class Limit:
    """Seconds; `hard_s` is later than `soft_s`."""

    soft_s: float
    hard_s: float
    target_s: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.soft_s < self.hard_s:
            raise ValueError("a limit needs 0 < soft_s < hard_s")

    def mark(self, latency_ns: int | None) -> Mark:
        if latency_ns is None:
            return "missing"
        if latency_ns > self.hard_s * SECOND:
            return "hard"
        return "soft" if latency_ns > self.soft_s * SECOND else "ok"

    def credit(self, latency_ns: int | None) -> float:
        """1 up to the soft limit, 0 from the hard one on, a straight line in between."""
        if latency_ns is None:
            return 0.0
        left_s = self.hard_s - latency_ns / SECOND
        return min(1.0, max(0.0, left_s / (self.hard_s - self.soft_s)))

    def scaled(self, factor: float) -> "Limit":
        """Rounded to nanoseconds, so that 0.8 of 3 s is 2.4 s."""
        target_s = None if self.target_s is None else round(self.target_s * factor, 9)
        return Limit(round(self.soft_s * factor, 9), round(self.hard_s * factor, 9), target_s)


@dataclass(frozen=True, slots=True)
class Budget:
    """What one class of turn may take."""

    first_speech: Limit
    content: Limit | None = None
    effect: Limit | None = None
    max_gap: Limit = Limit(2.0, 4.0)
    no_reply_s: float = 10.0

    @property
    def limits(self) -> dict[Measured, Limit]:
        """Those there are, by name."""
        found = {name: getattr(self, name) for name in MEASURED}
        return {name: limit for name, limit in found.items() if limit is not None}

    def scaled(self, factor: float) -> "Budget":
        """All limits but the patience with somebody who never replies."""
        scaled = {name: limit.scaled(factor) for name, limit in self.limits.items()}
        return self.with_limits(scaled)

    def with_limits(self, limits: Mapping[Measured, Limit]) -> "Budget":
        """The same budget with other limits for what they name."""
        return replace(self, **dict(limits)) if limits else self  # type: ignore[arg-type]  # `Measured` names fields


_FIRST = Limit(1.5, 3.0, 0.8)
_PROMPT = Limit(1.2, 2.5, 0.7)

BUDGETS: Mapping[TurnClass, Budget] = {
    "A": Budget(_FIRST),
    "B": Budget(_FIRST, content=Limit(2.0, 3.5), effect=Limit(1.5, 3.0)),
    "C": Budget(_FIRST, content=Limit(3.0, 5.0)),
    "D": Budget(
        Limit(1.5, 3.0, 1.0),
        content=Limit(5.0, 8.0),
        effect=Limit(8.0, 12.0),
        max_gap=Limit(3.0, 5.0),
        no_reply_s=15.0,
    ),
    "E": Budget(_PROMPT, content=Limit(1.2, 2.5)),
    "F": Budget(_PROMPT, content=Limit(2.0, 3.5), effect=Limit(1.5, 3.0)),
    "G": Budget(_FIRST, content=Limit(2.0, 3.5)),
    "H": Budget(_PROMPT, content=Limit(1.5, 2.5), effect=Limit(1.0, 2.0)),
}


class BudgetProfile(BaseModel):
    """Budgets of a whole run; fields as in `budget_profiles.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    source: str
    scale: float = Field(default=1.0, gt=0, le=1000)
    limits: dict[Measured, Limit] = {}
    classes: dict[TurnClass, dict[Measured, Limit]] = {}

    def of(self, turn_class: TurnClass) -> Budget:
        return self._budgets[turn_class]

    @cached_property
    def _budgets(self) -> Mapping[TurnClass, Budget]:
        return {name: self._changed(budget, name) for name, budget in BUDGETS.items()}

    def _changed(self, usual: Budget, turn_class: TurnClass) -> Budget:
        """A class that has no limit for something gets none from `limits`, only from `classes`."""
        scaled = usual.scaled(self.scale)
        everywhere = {name: limit for name, limit in self.limits.items() if getattr(scaled, name)}
        return scaled.with_limits({**everywhere, **self.classes.get(turn_class, {})})


BUDGET_PROFILES = Profiles(BudgetProfile, Path(__file__).with_name("budget_profiles.yaml"))


def budget_profile(name: str) -> BudgetProfile:
    """A shipped profile by name, or the one in a YAML file; raises `BadProfile`."""
    return BUDGET_PROFILES.named(name)


@dataclass(frozen=True, slots=True)
class Budgets:
    """The budgets of a session: a profile changes them all, a task may set limits of its own.

    With `patience_s` the driver waits that long for a word, whatever the kind of turn. Turns that
    are not `judged` are measured, and no limit is held against them.
    """

    profile: BudgetProfile = field(default_factory=lambda: budget_profile("default"))
    own: Mapping[Measured, Limit] = field(default_factory=dict)
    patience_s: float | None = None
    judged: bool = True

    def of(self, turn_class: TurnClass) -> Budget:
        return self.profile.of(turn_class).with_limits(self.own)

    def no_reply_ns(self, turn_class: TurnClass) -> int:
        no_reply_s = BUDGETS[turn_class].no_reply_s if self.patience_s is None else self.patience_s
        return int(no_reply_s * 1000) * MS

    def for_agents(self) -> dict[str, Any]:
        """What an agent may know of them, in seconds by class, without the class of a turn."""
        if not self.judged:
            return {}
        return {
            turn_class: {
                name: {"soft_s": limit.soft_s, "hard_s": limit.hard_s}
                for name, limit in self.of(turn_class).limits.items()
                if name != "max_gap"
            }
            for turn_class in BUDGETS
        }

    def not_due(
        self, turn_class: TurnClass, spans: Mapping[str, int | None], waited_ns: int
    ) -> set[str]:
        """Spans of a reply that had not come, and did not have to be there after so long."""
        budget = self.of(turn_class)
        content = budget.content or budget.first_speech
        first = ("ttft_text", "upl", "turnaround", "first_delta", "first_sound")
        limits = dict.fromkeys(first, budget.first_speech)
        return {
            name
            for name, limit in {**limits, "upl_content": content}.items()
            if name in spans and spans[name] is None and waited_ns <= limit.hard_s * SECOND
        }

    def undecided(
        self, turn_class: TurnClass, spans: Mapping[str, int | None], error_ns: int
    ) -> bool:
        """Whether a judged latency is nearer to its hard limit than the bench is exact."""
        return self.judged and any(
            limit is not None
            and latency_ns is not None
            and abs(latency_ns - limit.hard_s * SECOND) < error_ns
            for limit, latency_ns in _judged(self.of(turn_class), spans).values()
        )


DEFAULT_BUDGETS = Budgets()


@cache
def _shared_names(names: frozenset[str]) -> set[str]:
    return set(names)


class TurnVerdict(BaseModel):
    """How a turn kept its budget: a mark per measured latency, `n/a` where there is no limit.

    `score` is the least credit of what was judged, null if nothing was. `limits` has soft and hard
    seconds by name where they are not the usual ones of the class. `undecided` says that a hard
    limit was nearer than the bench is exact. A turn of a run with --patience is not `judged`. It
    is dumped with the fields that were given.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    turn_class: str = Field("", alias="class")
    first_speech: Mark = "n/a"
    content: Mark = "n/a"
    effect: Mark = "n/a"
    max_gap: Mark = "n/a"
    hard_miss: bool = False
    soft_miss: bool = False
    score: float | None = None
    limits: dict[str, list[float]] = {}
    undecided: bool = False
    judged: bool = True

    def model_post_init(self, context: Any) -> None:
        # A run keeps all its verdicts: each set of names would be larger than the verdict itself.
        names = _shared_names(frozenset(self.model_fields_set))
        object.__setattr__(self, "__pydantic_fields_set__", names)

    @model_serializer
    def fields_given(self) -> dict[str, Any]:
        return {
            field.alias or name: getattr(self, name)
            for name, field in type(self).model_fields.items()
            if name in self.model_fields_set
        }

    def mark(self, name: str) -> Mark:
        mark: Mark = getattr(self, name)
        return mark


def verdict(
    turn_class: TurnClass, spans: Mapping[str, int | None], budgets: Budgets = DEFAULT_BUDGETS
) -> TurnVerdict:
    """Judge one turn by `upl`, `upl_content`, `effect_latency` and `max_gap`.

    A reply that never came is a miss, unless its span is left out: then it was not due. An effect
    that never came is the task's business, not the clock's, so it is not applicable here.
    """
    if not budgets.judged:
        return TurnVerdict.model_validate({"class": turn_class, "judged": False})
    budget = budgets.of(turn_class)
    judged = _judged(budget, spans)
    marks: dict[str, Mark] = {
        name: limit.mark(latency_ns) if limit else "n/a"
        for name, (limit, latency_ns) in judged.items()
    }
    hard = any(mark in ("hard", "missing") for mark in marks.values())
    credits = [limit.credit(latency_ns) for limit, latency_ns in judged.values() if limit]
    found: dict[str, Any] = {
        "class": turn_class,
        **marks,
        "max_gap": budget.max_gap.mark(spans.get("max_gap")),
        "hard_miss": hard,
        "soft_miss": hard or "soft" in marks.values(),
        "score": min(credits, default=None),
    }
    if budget != BUDGETS[turn_class]:
        found["limits"] = {name: [each.soft_s, each.hard_s] for name, each in budget.limits.items()}
    return TurnVerdict.model_validate(found)


def limits_of(turn_class: str, judged: TurnVerdict) -> dict[str, Limit]:
    """The limits by which a verdict was made; none for a class nobody knows."""
    if judged.limits:
        return {name: Limit(*seconds) for name, seconds in judged.limits.items()}
    usual = [budget.limits for name, budget in BUDGETS.items() if name == turn_class]
    return {name: limit for limits in usual for name, limit in limits.items()}


def _judged(
    budget: Budget, spans: Mapping[str, int | None]
) -> dict[str, tuple[Limit | None, int | None]]:
    """Limit and latency by what is measured; no limit where it does not apply."""
    upl, content, effect = (spans.get(n) for n in ("upl", "upl_content", "effect_latency"))
    return {
        "first_speech": (budget.first_speech if "upl" in spans else None, upl),
        "content": (budget.content if "upl_content" in spans else None, content),
        "effect": (budget.effect if effect is not None else None, effect),
    }
