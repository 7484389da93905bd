"""What a report has beyond the summary: why units failed, which rules were broken, how long replies
took, and how consistently each task was solved."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf, isinf

from assistant_gateway.timing.timeline import SECOND
from evaluator.results.statistics import nearest_rank
from evaluator.results.store import UnitResult
from evaluator.scoring.policies import POLICIES
from evaluator.scoring.scores import TurnScore
from evaluator.views.captions import COMPONENTS, JUDGED
from evaluator.views.sentences import readable

NOT_THE_AGENT = ("user_error", "infrastructure")
REASONS = 8


@dataclass(frozen=True, slots=True)
class UnitCount:
    """A number of units, with the names of some of them."""

    name: str
    units: int
    examples: tuple[str, ...] = ()


# --- failures


def failure_kinds(units: Iterable[UnitResult]) -> list[UnitCount]:
    """Kinds of failure, most frequent first; driver and infrastructure errors come last."""
    found: dict[str, list[str]] = defaultdict(list)
    for unit in units:
        if unit.score.failure is not None:
            found[unit.score.failure.kind].append(_name(unit))
    return sorted(_counts(found), key=lambda count: (count.name in NOT_THE_AGENT, -count.units))


def failed_components(units: Iterable[UnitResult]) -> list[UnitCount]:
    """How many failed units each component failed in, in the order components are judged."""
    failed = [unit for unit in units if unit.score.outcome == "failure"]
    found = {
        name: [_name(unit) for unit in failed if unit.score.components.get(name) == 0.0]
        for name in COMPONENTS
        if name.startswith("r_") and name != "r_realtime"
    }
    return [count for count in _counts(found) if count.units]


def reasons(units: Iterable[UnitResult]) -> list[UnitCount]:
    """The most frequent reasons; those that differ only in numbers count as one."""
    found: dict[str, list[str]] = defaultdict(list)
    for unit in units:
        failure = unit.score.failure
        if failure is not None:
            found[alike(readable(failure.evidence))].append(_name(unit))
    return sorted(_counts(found), key=lambda count: -count.units)[:REASONS]


def alike(sentence: str) -> str:
    """The first part of a sentence, with `…` for its numbers."""
    first = sentence.split("; ")[0]
    return re.sub(r"(?<![\w.])-?\d+(?:\.\d+)?\b", "…", first)


def _counts(found: Mapping[str, list[str]]) -> list[UnitCount]:
    return [UnitCount(name, len(units), tuple(units[:3])) for name, units in found.items()]


def _name(unit: UnitResult) -> str:
    return f"{unit.task_id}:{unit.trial}"


# --- rules


@dataclass(frozen=True, slots=True)
class RuleRow:
    """In how many units one rule was kept, broken or left undecided."""

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
class SpanValues:
    """All measured values of one span in seconds, each with its mark: ok, soft or hard."""

    span: str
    values: tuple[tuple[float, str], ...]
    never: int

    def percentile_s(self, share: float) -> float | None:
        """By nearest rank; None if it falls on a reply that never came."""
        ordered = [*sorted(value for value, _ in self.values), *[inf] * self.never]
        found = nearest_rank(ordered, share)
        return None if isinf(found) else found


def span_values(turns: Iterable[TurnScore]) -> Iterator[SpanValues]:
    """One per span with a budget that was measured at least once."""
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
            yield SpanValues(span, tuple(values), never)


@dataclass(frozen=True, slots=True)
class ClassRow:
    """Turns of one class against their budget; p50 and p95 by span, None if it never came."""

    turn_class: str
    turns: int
    soft: int
    hard: int
    p50_p95_s: Mapping[str, tuple[float | None, float | None]]


def class_rows(turns: Iterable[TurnScore]) -> list[ClassRow]:
    by_class: dict[str, list[TurnScore]] = defaultdict(list)
    for turn in turns:
        if not turn.excluded:
            by_class[turn.turn_class].append(turn)
    return [
        ClassRow(
            name,
            len(members),
            soft=sum(turn.soft_miss and not turn.hard_miss for turn in members),
            hard=sum(turn.hard_miss for turn in members),
            p50_p95_s={
                found.span: (found.percentile_s(0.5), found.percentile_s(0.95))
                for found in span_values(members)
            },
        )
        for name, members in sorted(by_class.items())
    ]


# --- consistency


def consistency_counts(units: Iterable[UnitResult]) -> list[tuple[str, int]]:
    """How many tasks were solved in every trial, in some, in none; over evaluated units."""
    trials: dict[str, list[bool]] = defaultdict(list)
    for unit in units:
        if unit.score.evaluated:
            trials[unit.task_id].append(unit.score.outcome == "success")
    found = Counter(
        "always" if all(done) else "sometimes" if any(done) else "never" for done in trials.values()
    )
    return [(name, found[name]) for name in ("always", "sometimes", "never")]


def also_seen(units: Iterable[UnitResult]) -> list[UnitCount]:
    """Units with a false claim, with an invented value, and that acted too early."""
    scores = [unit.score for unit in units if unit.score.evaluated]
    counts = {
        "false claims": sum(bool(score.false_claims) for score in scores),
        "invented values": sum(bool(score.ungrounded) for score in scores),
        "acted too early": sum(score.premature is not None for score in scores),
    }
    return [UnitCount(name, count) for name, count in counts.items() if count]
