"""Changes of public tasks that only a rule wants, made no further than it wants. Pure."""

from typing import Any

from evaluator.record.record import State
from evaluator.task.expected_course import expected_course
from evaluator.task.once import once_in_any_words
from evaluator.task.task import Action, Expectation, Task
from vehicle_bus.world.world import World

GLASS = "WINDSHIELD"


@once_in_any_words
def no_further_than_needed(task: Task, world: World) -> Expectation:
    """With the sunshade open only as far as the sunroof, and air where it went as well.

    No driver of a public task asks for either.
    """
    before = expected_course(task, world).snapshots
    actions = [
        action.model_copy(
            update={"arguments": {**action.arguments, **_needed(action, state, task)}}
        )
        for action, state in zip(task.expect.actions, before, strict=False)
    ]
    if actions == list(task.expect.actions):
        return task.expect
    return task.expect.model_copy(update={"actions": tuple(actions)})


def _needed(action: Action, before: State, task: Task) -> dict[str, Any]:
    """Arguments of an action that are enough for its rule, where they are not the expected ones."""
    expected = {each.name: each.arguments for each in task.expect.actions}
    match action.name:
        case "open_close_sunshade" if "open_close_sunroof" in expected:
            return {"percentage": expected["open_close_sunroof"]["percentage"]}
        case "set_fan_airflow_direction" if "set_window_defrost" in expected:
            direction = before["fan_airflow_direction"]
            if action.arguments["direction"] == GLASS and GLASS not in direction:
                return {"direction": f"{GLASS}_{direction}"}
    return {}
