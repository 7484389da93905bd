"""What is worked out of a task and its world once, not for every episode and every question."""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar, TypeVarTuple

from evaluator.task.task import Task
from vehicle_bus.same_object import SameObject
from vehicle_bus.world.world import World

# More than a set has: trials go through all tasks in turn, and one too few would remember none.
MOST = 1024

Found = TypeVar("Found")
More = TypeVarTuple("More")


class _InAnyWords:
    """Stands for a task whatever its driver says: a copy with other words shares all its parts."""

    __slots__ = ("parts", "thing")

    def __init__(self, task: Task) -> None:
        self.thing = task
        self.parts = tuple(id(part) for name, part in task.__dict__.items() if name != "driver")

    def __hash__(self) -> int:
        return hash(self.parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InAnyWords) and other.parts == self.parts


def once_per_task(
    function: Callable[[Task, World, *More], Found],
) -> Callable[[Task, World, *More], Found]:
    """Remember what a pure function found for the last `MOST` questions.

    What it is given besides task and world has to be hashable.
    """

    @lru_cache(maxsize=MOST)
    def kept(task: SameObject[Task], world: SameObject[World], *more: *More) -> Found:
        return function(task.thing, world.thing, *more)

    return lambda task, world, *more: kept(SameObject(task), SameObject(world), *more)


def once_in_any_words(
    function: Callable[[Task, World, *More], Found],
) -> Callable[[Task, World, *More], Found]:
    """The same of a function that looks at no driver, and finds no task, which would have one."""

    @lru_cache(maxsize=MOST)
    def kept(task: _InAnyWords, world: SameObject[World], *more: *More) -> Found:
        return function(task.thing, world.thing, *more)

    return lambda task, world, *more: kept(_InAnyWords(task), SameObject(world), *more)
