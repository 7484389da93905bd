"""What a report has beyond the summary: reasons, examples, measured values, and consistency."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isinf

from assistant_gateway.timing.timeline import SECOND
from evaluator.results.statistics import nearest_rank
from evaluator.results.store import UnitResult
from evaluator.scoring.scores import TurnScore
from evaluator.views.captions import COMPONENTS, JUDGED
from evaluator.views.sentences import readable, solved_too_late

REASONS = 8
Counts = Mapping[str, int]


def failed_components(units: Iterable[UnitResult]) -> Counts:
    """How many failed units each component failed in, in the order components are judged."""
    failed = [unit.score.components for unit in units if unit.score.outcome == "failure"]
    scored = (name for name in COMPONENTS if name.startswith("r_") and name != "r_realtime")
    counts = {name: sum(marks.get(name) == 0.0 for marks in failed) for name in scored}
    return {name: count for name, count in counts.items() if count}


def reasons(units: Iterable[UnitResult]) -> list[tuple[str, list[str]]]:
    """The most frequent reasons with their units; those that differ only in numbers are one."""
    found: dict[str, list[str]] = defaultdict(list)
    for unit in units:
        failure = unit.score.failure
        if failure is not None:
            found[alike(readable(failure.evidence))].append(unit.name)
    return sorted(found.items(), key=lambda item: -len(item[1]))[:REASONS]


def alike(sentence: str) -> str:
    """The first part of a sentence, with `…` for its numbers."""
    first = sentence.split("; ")[0]
    return re.sub(r"(?<![\w.])-?\d+(?:\.\d+)?\b", "…", first)


def also_seen(units: Iterable[UnitResult]) -> Counts:
    """Units with a false claim, with an invented value, and that acted too early."""
    scores = [unit.score for unit in units if unit.score.evaluated]
    counts = {
        "false claims": sum(bool(score.false_claims) for score in scores),
        "invented values": sum(bool(score.ungrounded) for score in scores),
        "acted too early": sum(score.premature is not None for score in scores),
    }
    return {name: count for name, count in counts.items() if count}


def broken_in(units: Iterable[UnitResult]) -> Mapping[str, list[str]]:
    """The units in which a rule was broken, by the id of the rule."""
    found: dict[str, list[str]] = defaultdict(list)
    for unit in units:
        for policy_id, mark in unit.score.policies.items():
            if unit.score.evaluated and mark.state == "broken":
                found[policy_id].append(unit.name)
    return found


def consistency_counts(units: Iterable[UnitResult]) -> list[tuple[str, int]]:
    """How many tasks were solved in every trial, in time or not, in some, in none."""
    trials: dict[str, list[UnitResult]] = defaultdict(list)
    for unit in units:
        if unit.score.evaluated:
            trials[unit.task_id].append(unit)
    found = Counter(map(_consistency, trials.values()))
    return [(name, found[name]) for name in ("always", "late", "sometimes", "never")]


def _consistency(trials: Sequence[UnitResult]) -> str:
    solved = [unit for unit in trials if unit.score.outcome == "success"]
    if len(solved) < len(trials):
        return "sometimes" if solved else "never"
    return "late" if solved_too_late(solved) else "always"


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


def by_class(turns: Iterable[TurnScore]) -> Mapping[str, Sequence[TurnScore]]:
    """The turns that are not excluded, by turn class."""
    found: dict[str, list[TurnScore]] = defaultdict(list)
    for turn in turns:
        if not turn.excluded:
            found[turn.turn_class].append(turn)
    return dict(sorted(found.items()))
