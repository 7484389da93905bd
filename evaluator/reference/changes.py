"""Which of the expected calls change something, and which of those have the last word."""

from collections.abc import Sequence
from typing import Any

from assistant_gateway.agents.agent import Call
from evaluator.task.task import Action
from vehicle_bus.tools import BY_NAME


def is_change(action: Action | Call) -> bool:
    """Whether a call may change the car; anything unknown does not."""
    tool = BY_NAME.get(action.name)
    return tool is not None and tool.kind == "set"


def lasting(changes: Sequence[Action]) -> list[Action]:
    """The changes without those that a later one has overridden."""
    last = {(action.name, *_target(action)): action for action in changes}
    return [action for action in changes if any(action is kept for kept in last.values())]


def _target(action: Action) -> tuple[Any, ...]:
    names = (
        "window",
        "position",
        "seat_zone",
        "defrost_window",
        "email_addresses",
        "waypoint_id_to_add",
        "waypoint_id_to_replace",
        "waypoint_id_to_delete",
        "destination_id_to_delete",
    )
    return tuple(str(action.arguments.get(name)) for name in names)
