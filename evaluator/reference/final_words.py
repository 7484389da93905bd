"""What the reference agent says in the end: what it found out and what it did."""

from collections.abc import Sequence

from assistant_gateway.wording.changes import done, phrase
from assistant_gateway.wording.findings import NOTHING_TO_TELL, found, found_beside_changes
from assistant_gateway.wording.trip import legs_in_words
from evaluator.reference.changes import lasting
from evaluator.reference.rule_steps import new_legs, zones_apart
from evaluator.task.expected_course import ExpectedCourse
from evaluator.task.task import Action, Task
from vehicle_bus.tools import CHANGING
from vehicle_bus.world.world import World


def summary(task: Task, course: ExpectedCourse, world: World) -> str:
    """The findings of the look-ups, then the changes."""
    changes = [action for action in task.expect.actions if action.name in CHANGING]
    tell = found_beside_changes if changes else found
    findings = [
        tell(action.name, result, world)
        for index, action in enumerate(task.expect.actions)
        if action.name not in CHANGING and (result := course.result(index)) is not None
    ]
    sentences = " ".join(filter(None, [*findings, _changed(changes, course, world)]))
    return sentences or NOTHING_TO_TELL


def _changed(changes: Sequence[Action], course: ExpectedCourse, world: World) -> str:
    """What was done, with the remarks that the rules of the car want."""
    if not changes:
        return ""
    before, after = course.states[0], course.states[-1]
    changed = done([phrase(action.name, action.arguments, world) for action in lasting(changes)])
    remarks = [zones_apart(changes, after), legs_in_words(new_legs(before, after), world)]
    return " ".join(filter(None, [changed, *remarks]))
