"""What every skeleton has to be, whatever its motif."""

from collections.abc import Iterator

from evaluator.reference.rule_steps import looked_up_before
from evaluator.scoring.course.identifiers import identifiers
from evaluator.task.expected_course import ExpectedCourse, expected_course, whole_car
from evaluator.task.task import Action, Task
from evaluator.task_making.skeleton import Skeleton
from vehicle_bus.contract import Command
from vehicle_bus.tools import CHANGING
from vehicle_bus.world.world import World

AIDS = ("calculate_math", "calculate_datetime")


def flaws(skeleton: Skeleton, task: Task, world: World) -> Iterator[str]:
    """Why a skeleton is no good test: look-ups without effect, a careless course that does."""
    course = expected_course(task, world)
    for index in idle_look_ups(skeleton, course):
        yield f"{skeleton.actions[index].name} changes nothing"
    changes = any(action.name in CHANGING for action in skeleton.actions)
    if course.states[0] == course.states[-1] and not skeleton.says:
        yield "nothing changes and nothing has to be told"
    if changes and not skeleton.removed:
        if not skeleton.careless:
            yield "no careless course"
        elif ends_as(task, skeleton.careless, course, world):
            yield "the careless course ends as it should"


def idle_look_ups(skeleton: Skeleton, course: ExpectedCourse) -> Iterator[int]:
    """Look-ups whose results no call, no rule, no decision and no telling needs, by index."""
    actions = skeleton.actions
    told = " ".join(text for telling in skeleton.says for text in telling.any_of)
    for index, action in enumerate(actions):
        if action.name in CHANGING or action.name in (*AIDS, *skeleton.deciding):
            continue
        later = [identifiers(other.arguments) for other in actions[index + 1 :]]
        feeds = identifiers(course.result(index) or {}) & frozenset[str]().union(*later)
        ruled = any(action.name in looked_up_before(other) for other in actions[index + 1 :])
        if not (feeds or ruled or f"{action.name}." in told):
            yield index


def ends_as(task: Task, careless: tuple[Action, ...], course: ExpectedCourse, world: World) -> bool:
    """Whether these changes alone leave the car as the expected calls do."""
    car = whole_car(task, world)
    for action in careless:
        car.handle(action.name, Command(call_id="careless", arguments=action.arguments))
    return car.state == course.states[-1]
