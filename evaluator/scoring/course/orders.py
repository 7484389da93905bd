"""The states that the expected changes of a task pass, in every order in which they can be made.

Of many changes, those of a later request come after those of the earlier ones: the number of orders
grows exponentially.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from evaluator.record.record import State
from evaluator.task.expected_course import expected_course
from evaluator.task.task import Task
from vehicle_bus.car.state import CarState
from vehicle_bus.tools import CHANGING
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

# Lists that only grow: the order of their entries does not matter.
SENT = ("email_addresses_sent_mail_to", "phone_numbers_called")
FEW = 8  # so many changes are tried in every order, whatever request they belong to


@dataclass(frozen=True)
class Stage:
    """The car after some of the expected actions (`done`, by index), in one of their orders."""

    done: frozenset[int]
    car: CarState

    @cached_property
    def state(self) -> State:
        return in_any_order(self.car.model_dump(mode="json"))


@dataclass(frozen=True)
class Orders:
    """All stages of the right orders, and those of them in which the task may end."""

    stages: tuple[Stage, ...]
    ends: tuple[Stage, ...]


def in_any_order(state: State) -> State:
    """The state with what was sent and called in alphabetical order."""
    return {name: sorted(value) if name in SENT else value for name, value in state.items()}


def changes_of(task: Task) -> frozenset[int]:
    """Which of the expected actions are changes, by index."""
    return frozenset(i for i, a in enumerate(task.expect.actions) if a.name in CHANGING)


def right_orders(
    task: Task, world: World, by_hand: Sequence[State] = (), only: Sequence[int] | None = None
) -> Orders:
    """In a right order each call works, and all of them lead to where the listed order leads.

    What was set `by_hand` counts as set before. Of all orders, or `only` of that one.
    """
    course = expected_course(task, world, by_hand)
    changes = frozenset(i for i in changes_of(task) if course.answers[i].status == "SUCCESS")
    goal = Stage(changes, course.states[-1]).state
    return orders(
        task,
        world,
        course.states[0],
        changes,
        lambda stage: stage.done == changes and stage.state == goal,
        only,
    )


def orders(
    task: Task,
    world: World,
    start: CarState,
    changes: frozenset[int],
    is_end: Callable[[Stage], bool],
    only: Sequence[int] | None = None,
) -> Orders:
    """The orders of `changes` that begin at `start` and can still come to an end.

    `only` that one, without what fails in it, takes as many calls as there are changes.
    """
    if only is None:
        return _all_orders(task, world, start, changes, is_end)
    car = car_at(task, world, start)
    stages = [Stage(frozenset(), start)]
    for index in only:
        if index in _possible(task, stages[-1].done, changes):
            stages += _next(task, car, stages[-1], index)
    ends = tuple(filter(is_end, stages))
    return Orders(tuple(stages[: stages.index(ends[-1]) + 1]) if ends else (), ends)


def _all_orders(
    task: Task,
    world: World,
    start: CarState,
    changes: frozenset[int],
    is_end: Callable[[Stage], bool],
) -> Orders:
    car = car_at(task, world, start)
    reached: dict[Stage, None] = {Stage(frozenset(), start): None}
    steps: list[tuple[Stage, Stage]] = []
    latest = list(reached)
    while latest:
        new = [
            (stage, after)
            for stage in latest
            for index in sorted(_possible(task, stage.done, changes))
            for after in _next(task, car, stage, index)
        ]
        latest = list(dict.fromkeys(after for _, after in new if after not in reached))
        steps += new
        reached |= dict.fromkeys(latest)
    ends = tuple(filter(is_end, reached))
    leading = set(ends)
    for stage, after in reversed(steps):
        leading |= {stage} if after in leading else set()
    return Orders(tuple(stage for stage in reached if stage in leading), ends)


def _next(task: Task, car: Vehicle, stage: Stage, index: int) -> Iterator[Stage]:
    """The stage that one more call leads to, if it works."""
    action = task.expect.actions[index]
    state = car.after(stage.car, action.name, action.arguments)
    if state is not None:
        yield Stage(stage.done | {index}, state)


def _possible(task: Task, done: frozenset[int], changes: frozenset[int]) -> frozenset[int]:
    left = changes - done
    if len(changes) <= FEW or not left:
        return left
    ends = accumulate(request.actions for request in task.expect.requests)
    end = next((end for end in ends if min(left) < end), len(task.expect.actions))
    return frozenset(index for index in left if index < end)


def car_at(task: Task, world: World, state: CarState) -> Vehicle:
    """The car of a task in some state, with what it lacks, and where nothing fails or happens."""
    still = {"happenings": (), "faults": (), "motion": False}
    return Vehicle(task.car.model_copy(update=still), world).in_state(state)
