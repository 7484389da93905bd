"""When two answers of a tool are equal.

Same status; of failures the same error keys, whatever their texts say; of successes the same JSON
by value, so that 50 is 50.0 but true is not 1. What is no JSON is equal letter by letter.
"""

import json
from dataclasses import dataclass
from typing import Any, Literal

from vehicle_bus.car.tool import is_failure

# Their results carry a constant caption, which is a text of the public benchmark.
CAPTIONED = frozenset({"get_vehicle_window_positions", "get_sunroof_and_sunshade_position"})
CAPTION = "description"
EXCEPTION = "Error: "
NO_SUCH_TOOL = "Unknown action "

Kind = Literal["success", "failure", "exception", "no_such_tool", "text"]


@dataclass(frozen=True, slots=True)
class Said:
    """An answer taken apart; kind and `value` have to be equal."""

    kind: Kind
    value: Any


def same_answer(tool: str, ours: str, recorded: str) -> bool:
    """Whether two exact texts of one tool say the same."""
    one, other = said(tool, ours), said(tool, recorded)
    return one.kind == other.kind and same_value(one.value, other.value)


def said(tool: str, output: str) -> Said:
    """Take the exact text of a tool apart.

    A failure keeps its error keys only; an exception and an unknown tool are failures that the
    public benchmark tells in plain text.
    """
    if output.startswith(EXCEPTION):
        return Said("exception", None)
    if output.startswith(NO_SUCH_TOOL):
        return Said("no_such_tool", None)
    try:
        answer = json.loads(output)
    except json.JSONDecodeError:
        return Said("text", output)
    if isinstance(answer, dict) and is_failure(output):
        return Said("failure", sorted(map(str, answer.get("errors") or ())))
    return Said("success", _without_caption(answer) if tool in CAPTIONED else answer)


def same_value(one: Any, other: Any) -> bool:
    """Equality of JSON values: numbers by value, everything else by kind and content."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_value(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_value, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)


def _without_caption(answer: Any) -> Any:
    result = answer.get("result") if isinstance(answer, dict) else None
    if not isinstance(result, dict):
        return answer
    kept = {name: value for name, value in result.items() if name != CAPTION}
    return answer | {"result": kept}
