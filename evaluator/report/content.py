"""What a report tells beyond the summary: why units failed, which rules were broken, how long
replies took, and how steady each task is."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isinf
from typing import Any

from assistant_gateway.timing.timeline import SECOND
from evaluator.results.statistics import nearest_rank
from evaluator.results.store import UnitResult
from evaluator.scoring.policies import POLICIES
from evaluator.scoring.scores import TurnScore
from evaluator.views.captions import COMPONENTS, JUDGED, caption

KINDS = {
    "premature_action": "acted too early",
    "policy_violation": "broke a rule of the car",
    "active_fabrication": "claimed what never happened",
    "implicit_concealment": "kept quiet about a limit",
    "execution_error": "call refused or agent broke down",
    "logical_error": "did something else than wanted",
    "user_error": "the driver broke its script",
    "infrastructure": "the bench failed",
}
NOT_THE_AGENT = ("user_error", "infrastructure")
REASONS = 8


@dataclass(frozen=True, slots=True)
class Share:
    """How many units something holds for, and some of them by name."""

    name: str
    units: int
    examples: tuple[str, ...] = ()


# --- failures


def failure_kinds(units: Iterable[UnitResult]) -> list[Share]:
    """Kinds of failure, most frequent first; what is not the agent's comes last."""
    found: dict[str, list[str]] = defaultdict(list)
    for unit in units:
        if unit.score.failure is not None:
            found[unit.score.failure.kind].append(_name(unit))
    return sorted(_shares(found), key=lambda share: (share.name in NOT_THE_AGENT, -share.units))


def failed_components(units: Iterable[UnitResult]) -> list[Share]:
    """How many failed units each component failed in, in the order components are judged."""
    failed = [unit for unit in units if unit.score.outcome == "failure"]
    found = {
        name: [_name(unit) for unit in failed if unit.score.components.get(name) == 0.0]
        for name in COMPONENTS
        if name.startswith("r_") and name != "r_realtime"
    }
    return [share for share in _shares(found) if share.units]


def reasons(units: Iterable[UnitResult]) -> list[Share]:
    """The most frequent evidence, numbers and names in quotes set aside."""
    found: dict[str, list[str]] = defaultdict(list)
    for unit in units:
        failure = unit.score.failure
        if failure is not None:
            found[alike(failure.evidence)].append(_name(unit))
    return sorted(_shares(found), key=lambda share: -share.units)[:REASONS]


def alike(sentence: str) -> str:
    """A sentence without what differs between equal reasons."""
    first = sentence.split("; ")[0]
    return re.sub(r"(?<![\w.])-?\d+(?:\.\d+)?\b", "…", first)


def _shares(found: Mapping[str, list[str]]) -> list[Share]:
    return [Share(name, len(units), tuple(units[:3])) for name, units in found.items()]


def _name(unit: UnitResult) -> str:
    return f"{unit.task_id}:{unit.trial}"


# --- rules


@dataclass(frozen=True, slots=True)
class RuleRow:
    """What became of one rule in all units it applied to."""

    policy_id: str
    rule: str
    kept: int
    broken: int
    undecided: int
    by_judge: int
    examples: tuple[str, ...]

    @property
    def applied(self) -> int:
        return self.kept + self.broken + self.undecided


def rule_rows(units: Iterable[UnitResult]) -> list[RuleRow]:
    """A row for each rule that applied anywhere, in the order of the rules."""
    states: dict[str, Counter[str]] = defaultdict(Counter)
    by_judge: Counter[str] = Counter()
    broken: dict[str, list[str]] = defaultdict(list)
    for unit in units:
        if not unit.score.evaluated:
            continue
        for policy_id, mark in unit.score.policies.items():
            states[policy_id][mark.state] += 1
            by_judge[policy_id] += mark.by == "judge"
            if mark.state == "broken":
                broken[policy_id].append(_name(unit))
    return [
        RuleRow(
            policy_id,
            POLICIES[policy_id].rule if policy_id in POLICIES else "",
            kept=found["kept"],
            broken=found["broken"],
            undecided=found["undecided"],
            by_judge=by_judge[policy_id],
            examples=tuple(broken[policy_id][:3]),
        )
        for policy_id, found in sorted(states.items())
    ]


# --- time


@dataclass(frozen=True, slots=True)
class SpanStory:
    """All measured values of one span in seconds, each with the mark of its budget."""

    span: str
    values: tuple[tuple[float, str], ...]
    never: int

    def percentile_s(self, share: float) -> float | None:
        """By nearest rank; what never came is slower than any, and is null."""
        return _percentile(sorted(value for value, _ in self.values), self.never, share)


def span_stories(turns: Iterable[TurnScore]) -> Iterator[SpanStory]:
    """One per judged span that was measured at least once."""
    turns = [turn for turn in turns if turn.counts_for_latency]
    for name, span in JUDGED.items():
        values, never = [], 0
        for turn in turns:
            mark, took_ns = turn.verdict.mark(name), turn.spans.get(span)
            if mark == "missing":
                never += 1
            elif took_ns is not None:
                values.append((took_ns / SECOND, str(mark)))
        if values:
            yield SpanStory(span, tuple(values), never)


@dataclass(frozen=True, slots=True)
class ClassRow:
    """Turns of one class against their budget; `p50_s` and `p95_s` by span, null = never came."""

    turn_class: str
    turns: int
    soft: int
    hard: int
    p50_s: Mapping[str, float | None]
    p95_s: Mapping[str, float | None]


def class_rows(turns: Iterable[TurnScore]) -> list[ClassRow]:
    by_class: dict[str, list[TurnScore]] = defaultdict(list)
    for turn in turns:
        if not turn.excluded:
            by_class[turn.turn_class].append(turn)
    return [_class_row(name, members) for name, members in sorted(by_class.items())]


def _class_row(name: str, turns: Sequence[TurnScore]) -> ClassRow:
    p50_s: dict[str, float | None] = {}
    p95_s: dict[str, float | None] = {}
    for story in span_stories(turns):
        p50_s[story.span], p95_s[story.span] = (story.percentile_s(at) for at in (0.5, 0.95))
    return ClassRow(
        name,
        len(turns),
        soft=sum(turn.soft_miss and not turn.hard_miss for turn in turns),
        hard=sum(turn.hard_miss for turn in turns),
        p50_s=p50_s,
        p95_s=p95_s,
    )


def _percentile(ordered: Sequence[float], never: int, share: float) -> float | None:
    found = nearest_rank([*ordered, *[inf] * never], share)
    return None if isinf(found) else found


# --- steadiness


def steadiness(units: Iterable[UnitResult]) -> list[tuple[str, int]]:
    """How many tasks were solved in every trial, in some, in none; over evaluated units."""
    trials: dict[str, list[bool]] = defaultdict(list)
    for unit in units:
        if unit.score.evaluated:
            trials[unit.task_id].append(unit.score.outcome == "success")
    found = Counter(
        "always" if all(done) else "sometimes" if any(done) else "never" for done in trials.values()
    )
    return [(name, found[name]) for name in ("always", "sometimes", "never")]


def kind_caption(kind: str) -> str:
    return caption(KINDS, kind)


def notes(units: Iterable[UnitResult]) -> dict[str, Any]:
    """Units with a false claim, with invented values, and with acting too early."""
    evaluated = [unit.score for unit in units if unit.score.evaluated]
    return {
        "false claims": sum(bool(score.false_claims) for score in evaluated),
        "invented values": sum(bool(score.ungrounded) for score in evaluated),
        "acted too early": sum(score.premature is not None for score in evaluated),
    }
