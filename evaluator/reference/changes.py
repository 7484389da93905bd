"""Which of the changes are still in place at the end."""

from collections.abc import Sequence
from typing import Any

from evaluator.task.task import Action


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
