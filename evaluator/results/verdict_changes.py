"""What is decided otherwise when a run is scored again: components by unit, rules by kind."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rich.table import Table

from evaluator.results.store import UnitResult
from evaluator.scoring.rules_kept import PolicyMark, rules_count
from evaluator.scoring.scores import Score

Pair = tuple[UnitResult, UnitResult]


def differing(before: Score, after: Score) -> list[str]:
    """Per part of the verdict that changed a phrase such as `r_policy none, now 1`."""
    was, now = _verdict(before), _verdict(after)
    return [
        f"{name} {_shown(was.get(name))}, now {_shown(now.get(name))}"
        for name in was | now
        if was.get(name) != now.get(name)
    ]


def changed_unit(before: UnitResult, after: UnitResult) -> dict[str, Any]:
    """The whole verdict of a unit that came out differently, before and after."""
    return {
        "task_id": after.task_id,
        "trial": after.trial,
        "before": _verdict(before.score),
        "after": _verdict(after.score),
        "reason": after.score.reason,
    }


class ChangedRules:
    """How often a rule that counts either way was decided otherwise."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def add(self, before: UnitResult, after: UnitResult) -> None:
        if all(rules_count(one.task_type, one.score.profile) for one in (before, after)):
            self._counts.update(_otherwise(before.score.policies, after.score.policies))

    def rows(self) -> list[dict[str, Any]]:
        """Each is `{rule, before, after, units}`."""
        return [
            {"rule": rule, "before": was, "after": now, "units": units}
            for (rule, was, now), units in sorted(self._counts.items())
        ]


def rules_table(rules: Sequence[dict[str, Any]]) -> Table:
    """The same for a terminal."""
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("rule", "before", "after", "units"):
        shown.add_column(name, justify="right" if name == "units" else "left")
    for row in rules:
        shown.add_row(*(str(row[name]) for name in ("rule", "before", "after", "units")))
    return shown


def _otherwise(
    before: dict[str, PolicyMark], after: dict[str, PolicyMark]
) -> Iterator[tuple[str, str, str]]:
    for rule in before.keys() | after.keys():
        was, now = _decided(before.get(rule)), _decided(after.get(rule))
        if was != now:
            yield rule, was, now


def _decided(mark: PolicyMark | None) -> str:
    if mark is None:
        return "does not apply"
    return f"{mark.state} by {mark.by}" if mark.by else "open"


def _verdict(judged: Score) -> dict[str, Any]:
    rewards = {"outcome": judged.outcome, "reward": judged.reward}
    return {**rewards, "reward_coded": judged.reward_coded, **judged.components}


def _shown(mark: Any) -> str:
    return "none" if mark is None else f"{mark:g}" if isinstance(mark, float) else str(mark)
