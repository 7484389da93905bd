"""Declared differences: where this car answers otherwise than recorded, and is meant to.

Ids, decisions and reasons stand in docs/compatibility.md; here stands, for each, the exact
condition under which it explains a call. What no row explains is a fault of ours.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.car_bench.same_answer import EXCEPTION, said, same_answer
from vehicle_bus.car.tool import INVALID
from vehicle_bus.contract import Reply
from vehicle_bus.tools import CHANGING

LONGEST_SUM = 400
WHOLE_FRACTION = re.compile(r"(?<![\d.])(\d+)\.0+(?!\d)")


@dataclass(frozen=True, slots=True)
class ComparedCall:
    """A call as it was recorded and as this car answered it.

    `difference` is the id of the declared difference that explains it; None if the answers are
    equal, or if nothing explains what differs.
    """

    tool: str
    arguments: dict[str, Any]
    recorded: str
    reply: Reply
    difference: str | None = None

    @property
    def equal(self) -> bool:
        return same_answer(self.tool, self.reply.output, self.recorded)

    @property
    def changed_nothing(self) -> bool:
        return self.reply.revision_before == self.reply.revision_after

    @property
    def refused_uncounted(self) -> bool:
        """Refused without being counted as a tool error, and without a trace in the car."""
        return self.reply.status == "FAILURE" and not self.reply.logged and self.changed_nothing


Earlier = Sequence[ComparedCall]


@dataclass(frozen=True, slots=True)
class DeclaredDifference:
    """One declared difference.

    `explains` decides by a call and the earlier calls of its run; `tools` None is any tool.
    `rewards` are the reward components that it may change in that run.
    """

    id: str
    what: str
    explains: Callable[[ComparedCall, Earlier], bool]
    tools: frozenset[str] | None = None
    rewards: frozenset[str] = frozenset()


def explanation(call: ComparedCall, earlier: Earlier) -> str | None:
    """The id of the first declared difference that explains why two answers differ."""
    for difference in DECLARED:
        concerned = difference.tools is None or call.tool in difference.tools
        if concerned and difference.explains(call, earlier):
            return difference.id
    return None


def may_change(component: str, ids: set[str]) -> bool:
    """Whether one of these differences can make a reward component differ."""
    return any(component in difference.rewards for difference in DECLARED if difference.id in ids)


def declared(difference_id: str) -> str:
    """What a difference is about, in a few words."""
    return "; ".join(one.what for one in DECLARED if one.id == difference_id)


# --- conditions


def _refused_instead_of_raised(call: ComparedCall, earlier: Earlier) -> bool:
    known = call.reply.error != "UNKNOWN_TOOL"
    return call.recorded.startswith(EXCEPTION) and call.refused_uncounted and known


def _done_before_the_exception(call: ComparedCall, earlier: Earlier) -> bool:
    """What a call that raised had set by then stays set, there and here."""
    refused = call.reply.error == INVALID and not call.changed_nothing
    return call.recorded.startswith(EXCEPTION) and refused


def _number_that_is_no_text(call: ComparedCall, earlier: Earlier) -> bool:
    given = call.arguments.get("phone_number", "")
    return not isinstance(given, str) and _refused_instead_of_raised(call, earlier)


def _after_a_number_that_is_no_text(call: ComparedCall, earlier: Earlier) -> bool:
    """There it stays in the list, and what changes the car raises from then on."""
    raised = call.recorded.startswith(EXCEPTION) and call.tool in CHANGING
    return raised and any(one.difference == "Q58" for one in earlier)


def _number_written_otherwise(call: ComparedCall, earlier: Earlier) -> bool:
    """An argument such as 50.0 is quoted in the answer, in one of them as 50."""
    if not any(value.is_integer() for value in _fractions(call.arguments)):
        return False
    ours, recorded = (
        WHOLE_FRACTION.sub(r"\1", text) for text in (call.reply.output, call.recorded)
    )
    return same_answer(call.tool, ours, recorded)


def _fractions(node: Any) -> Iterator[float]:
    if isinstance(node, float):
        yield node
    elif isinstance(node, dict | list):
        for item in node.values() if isinstance(node, dict) else node:
            yield from _fractions(item)


def _sum_too_long(call: ComparedCall, earlier: Earlier) -> bool:
    expression = str(call.arguments.get("expression", ""))
    return call.refused_uncounted and ("**" in expression or len(expression) > LONGEST_SUM)


def _plans_of_other_runs(call: ComparedCall, earlier: Earlier) -> bool:
    """The recorded answer knows a plan that its own run never made."""
    plans = [one for one in earlier if one.tool == call.tool]
    if any(one.difference == "Q61" for one in plans):
        return True
    created = (one.arguments for one in plans if one.arguments.get("command") == "create")
    made = {arguments.get("plan_id") for arguments in created}
    if said(call.tool, call.recorded).kind == "failure":
        return (
            call.arguments.get("command") == "create"
            and call.arguments.get("plan_id") not in made
            and call.reply.status == "SUCCESS"
        )
    return not set(_values(_parsed(call.recorded), "plan_id")) <= made | _plan_made_by(call)


def _plan_made_by(call: ComparedCall) -> set[Any]:
    return {call.arguments.get("plan_id")} if call.arguments.get("command") == "create" else set()


def _step_on_a_later_step(call: ComparedCall, earlier: Earlier) -> bool:
    """A plan was recorded in which a step waits for one that does not come before it."""
    steps = call.arguments.get("steps")
    return (
        call.refused_uncounted
        and isinstance(steps, list)
        and any(
            isinstance(other, int) and not 0 <= other < index
            for index, step in enumerate(steps)
            if isinstance(step, dict)
            for other in step.get("step_dependent_on") or ()
        )
    )


def _duration_as_number(call: ComparedCall, earlier: Earlier) -> bool:
    """Older calendars have the minutes of a meeting as a number, newer ones as `60min`."""
    recorded = json.dumps(_with_units(_parsed(call.recorded)))
    return same_answer(call.tool, call.reply.output, recorded)


def _with_units(node: Any) -> Any:
    if isinstance(node, list):
        return [_with_units(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        name: f"{value:g}min" if _is_number(value) and name == "duration" else _with_units(value)
        for name, value in node.items()
    }


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


def _values(node: Any, name: str) -> Iterator[Any]:
    """All values under a name, at any depth."""
    if isinstance(node, list):
        for item in node:
            yield from _values(item, name)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key == name:
                yield value
            else:
                yield from _values(value, name)


def _refused_what_is_removed(call: ComparedCall, earlier: Earlier) -> bool:
    """A removed tool or argument was carried out there; here it is not, and leaves no trace."""
    return call.reply.status == "REMOVED"


def _after_a_removed_part(call: ComparedCall, earlier: Earlier) -> bool:
    """What a removed tool changed there is seen in later answers."""
    return any(one.difference == "R01" and one.tool in CHANGING for one in earlier)


STATES = frozenset({"r_actions_final", "r_actions_intermediate", "r_actions", "reward"})
PLANNING = frozenset({"planning_tool"})
DECLARED: tuple[DeclaredDifference, ...] = (
    DeclaredDifference(
        "R01",
        "a removed tool or argument is refused instead of carried out",
        _refused_what_is_removed,
        rewards=frozenset({"r_tool_execution", "reward"}),
    ),
    DeclaredDifference(
        "Q18",
        "an empty navigation is refused, uncounted and active as there",
        _done_before_the_exception,
        frozenset({"set_new_navigation"}),
    ),
    DeclaredDifference(
        "Q57",
        "a bad address is refused, uncounted, after the e-mails before it as there",
        _done_before_the_exception,
        frozenset({"send_email"}),
    ),
    DeclaredDifference(
        "Q58",
        "a phone number that is no text is not kept",
        _number_that_is_no_text,
        frozenset({"call_phone_by_number"}),
        rewards=STATES,
    ),
    DeclaredDifference(
        "Q58",
        "calls after such a number are carried out",
        _after_a_number_that_is_no_text,
        rewards=STATES,
    ),
    DeclaredDifference(
        "Q04",
        "a call that raised an exception is refused, uncounted as there",
        _refused_instead_of_raised,
    ),
    DeclaredDifference(
        "Q06",
        "whole numbers given as 50.0 are quoted in another way",
        _number_written_otherwise,
    ),
    DeclaredDifference(
        "Q60",
        "sums of more than 400 characters and huge powers are refused",
        _sum_too_long,
        frozenset({"calculate_math"}),
    ),
    DeclaredDifference(
        "Q61",
        "the store of plans is not shared with other runs",
        _plans_of_other_runs,
        PLANNING,
    ),
    DeclaredDifference(
        "Q61",
        "a step depends on earlier steps only",
        _step_on_a_later_step,
        PLANNING,
    ),
    DeclaredDifference(
        "D01",
        "calendars of 2025 have durations as numbers",
        _duration_as_number,
        frozenset({"get_entries_from_calendar"}),
    ),
    DeclaredDifference(
        "R02",
        "an answer after a removed part was carried out there",
        _after_a_removed_part,
    ),
)
