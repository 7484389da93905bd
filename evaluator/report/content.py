"""What a report has beyond the summary: reasons, examples, measured values, and consistency."""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, isinf

from assistant_gateway.timing.timeline import SECOND
from evaluator.report.charts import MARKS
from evaluator.results.rows.unit_row import UnitRow
from evaluator.results.slow_turns import SlowTurns
from evaluator.results.statistics import nearest_rank
from evaluator.results.store import UnitResult
from evaluator.scoring.scores import TurnScore
from evaluator.views.captions import COMPONENTS, JUDGED
from evaluator.views.sentences import readable

REASONS = 8
EXAMPLES = 3
SLOW_OF_A_CLASS = 15
SCORED = tuple(name for name in COMPONENTS if name.startswith("r_") and name != "r_realtime")
Counts = Mapping[str, int]


class Examples:
    """How many units there are of each kind, and the first of them."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.first: dict[str, list[str]] = defaultdict(list)

    def add(self, kind: str, unit: str) -> None:
        self.counts[kind] += 1
        if len(self.first[kind]) < EXAMPLES:
            self.first[kind].append(unit)


class RunContent:
    """Gathered from units that come one after the other, diagnosed."""

    def __init__(self) -> None:
        self.reasons = Examples()
        self.broken_rules = Examples()
        self.latencies = Latencies()
        self.slow = SlowTurns(SLOW_OF_A_CLASS)
        self._failed: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()

    @classmethod
    def of(cls, units: Iterable[UnitResult]) -> "RunContent":
        content = cls()
        for unit in units:
            content.add(unit)
        return content

    def add(self, unit: UnitResult) -> None:
        score = unit.score
        if score.failure is not None:
            self.reasons.add(alike(readable(score.failure.evidence)), unit.name)
        if score.outcome == "failure":
            self._failed.update(name for name in SCORED if score.components.get(name) == 0.0)
        if not score.evaluated:
            return
        for policy_id, mark in score.policies.items():
            if mark.state == "broken":
                self.broken_rules.add(policy_id, unit.name)
        self._seen["false claims"] += bool(score.false_claims)
        self._seen["invented values"] += bool(score.ungrounded)
        self._seen["acted too early"] += score.premature is not None
        self.slow.add(unit)
        for turn in score.turns:
            self.latencies.add(turn)

    @property
    def failed_components(self) -> Counts:
        """How many failed units each component failed in, in the order components are judged."""
        return {name: self._failed[name] for name in SCORED if self._failed[name]}

    @property
    def also_seen(self) -> Counts:
        """Units with a false claim, with an invented value, and that acted too early."""
        return {name: count for name, count in self._seen.items() if count}

    def most_frequent_reasons(self) -> list[tuple[str, int, Sequence[str]]]:
        """With their number and first units; those that differ only in numbers are one."""
        most = self.reasons.counts.most_common(REASONS)
        return [(reason, count, self.reasons.first[reason]) for reason, count in most]

    @property
    def named(self) -> set[str]:
        """The units that the page has links to."""
        worst = [turn for found in self.slow.worst().values() for turn in found]
        return {
            *(name for _, _, names in self.most_frequent_reasons() for name in names),
            *(name for names in self.broken_rules.first.values() for name in names),
            *(f"{turn.task_id}:{turn.trial}" for turn in worst),
        }


def alike(sentence: str) -> str:
    """The first part of a sentence, with `…` for its numbers."""
    first = sentence.split("; ")[0]
    return re.sub(r"(?<![\w.])-?\d+(?:\.\d+)?\b", "…", first)


def consistency_counts(units: Iterable[UnitRow]) -> list[tuple[str, int]]:
    """How many tasks were solved in every trial, in time or not, in some, in none."""
    trials: dict[str, list[UnitRow]] = defaultdict(list)
    for unit in units:
        if unit.verdict.evaluated:
            trials[unit.task.task_id].append(unit)
    found = Counter(map(_consistency, trials.values()))
    return [(name, found[name]) for name in ("always", "late", "sometimes", "never")]


def _consistency(trials: Sequence[UnitRow]) -> str:
    solved = [unit for unit in trials if unit.solved]
    if len(solved) < len(trials):
        return "sometimes" if solved else "never"
    return "late" if any(unit.verdict.late for unit in solved) else "always"


# --- time


class SpanValues:
    """All measured values of one span in seconds, each with its mark: ok, soft or hard."""

    def __init__(self, span: str) -> None:
        self.span = span
        self.never = 0
        self._seconds = array("d")
        self._marks = bytearray()

    def __iter__(self) -> Iterator[tuple[float, str]]:
        for value, mark in zip(self._seconds, self._marks, strict=True):
            yield value, MARKS[mark]

    def __len__(self) -> int:
        return len(self._seconds)

    def add(self, taken_s: float, mark: str) -> None:
        self._seconds.append(taken_s)
        self._marks.append(MARKS.index(mark) if mark in MARKS else 0)

    def extend(self, other: "SpanValues") -> None:
        self._seconds.extend(other._seconds)
        self._marks.extend(other._marks)
        self.never += other.never

    def percentile_s(self, share: float) -> float | None:
        """By nearest rank; None if it falls on a reply that never came."""
        ordered = [*sorted(self._seconds), *[inf] * self.never]
        found = nearest_rank(ordered, share)
        return None if isinf(found) else found


class ClassTurns:
    """The turns of one class that are not excluded."""

    def __init__(self) -> None:
        self.turns = self.hard = self.soft = 0
        self._spans = {name: SpanValues(span) for name, span in JUDGED.items()}

    def add(self, turn: TurnScore) -> None:
        self.turns += 1
        self.hard += turn.hard_miss
        self.soft += turn.soft_miss and not turn.hard_miss
        if not turn.counts_for_latency:
            return
        for name, values in self._spans.items():
            mark, took_ns = turn.verdict.mark(name), turn.spans.get(values.span)
            if mark == "missing":
                values.never += 1
            elif took_ns is not None:
                values.add(took_ns / SECOND, str(mark))

    def spans(self) -> Iterator[SpanValues]:
        """One per span with a budget that was measured at least once."""
        return (values for values in self._spans.values() if len(values))

    def extend(self, other: "ClassTurns") -> None:
        for name, values in self._spans.items():
            values.extend(other._spans[name])


class Latencies:
    """How long the driver waited, by turn class."""

    def __init__(self) -> None:
        self._classes: dict[str, ClassTurns] = {}

    @classmethod
    def of(cls, turns: Iterable[TurnScore]) -> "Latencies":
        latencies = cls()
        for turn in turns:
            latencies.add(turn)
        return latencies

    def add(self, turn: TurnScore) -> None:
        if not turn.excluded:
            self._classes.setdefault(turn.turn_class, ClassTurns()).add(turn)

    def by_class(self) -> Mapping[str, ClassTurns]:
        return dict(sorted(self._classes.items()))

    def spans(self) -> Sequence[SpanValues]:
        """Of all classes."""
        whole = ClassTurns()
        for one in self._classes.values():
            whole.extend(one)
        return list(whole.spans())
