"""Why the car did not end as expected: each variable with who set it, and who should have."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, ConfigDict

from evaluator.record.record import Call, Record, State
from evaluator.task.task import Action


class OffTarget(BaseModel):
    """A variable that ended otherwise than expected.

    `set_by` is the last call that changed it, `t_ns` after the session began; `expected_by` the
    expected call that changes it last. Both are None where nobody does.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    variable: str
    value: Any
    expected: Any
    set_by: str | None = None
    t_ns: int | None = None
    expected_by: str | None = None


def off_target(
    record: Record,
    final: State,
    goal: State,
    expected: Sequence[State],
    actions: Sequence[Action],
) -> Iterator[OffTarget]:
    """How the final state differs from the goal; `expected` are those before and after actions."""
    for name in sorted(final.keys() | goal.keys()):
        if final.get(name, ...) != goal.get(name, ...):
            call = _last_change(record, name)
            yield OffTarget(
                variable=name,
                value=final.get(name),
                expected=goal.get(name),
                set_by=None if call is None else call.tool,
                t_ns=None if call is None else call.command.t_ns or call.command.at_ns,
                expected_by=_last_expected(expected, actions, name),
            )


def _last_change(record: Record, name: str) -> Call | None:
    changing = [call for call in record.calls if _changed(record, call, name)]
    return changing[-1] if changing else None


def _changed(record: Record, call: Call, name: str) -> bool:
    if call.revision_before is None or call.revision_after is None:
        return False
    before, after = (
        record.state_at(revision) or {} for revision in (call.revision_before, call.revision_after)
    )
    return before.get(name) != after.get(name)


def _last_expected(expected: Sequence[State], actions: Sequence[Action], name: str) -> str | None:
    for action, (before, after) in reversed(list(zip(actions, pairwise(expected), strict=True))):
        if before.get(name) != after.get(name):
            given = ", ".join(f"{key}={value!r}" for key, value in action.arguments.items())
            return f"{action.name}({given})"
    return None
