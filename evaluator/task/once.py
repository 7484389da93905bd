"""What is worked out of a task and its world once, not for every episode and every question."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar, TypeVarTuple

from evaluator.task.task import Task
from vehicle_bus.world.world import World

# More than a set has: trials go through all tasks in turn, and one too few would remember none.
MOST = 1024

Thing = TypeVar("Thing")
Found = TypeVar("Found")
More = TypeVarTuple("More")


@dataclass(frozen=True, slots=True, eq=False)
class _Same(Generic[Thing]):
    """Stands for this very object: quick to find, and alive for as long as it is remembered."""

    thing: Thing

    def __hash__(self) -> int:
        return id(self.thing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.thing is self.thing


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
    def kept(task: _Same[Task], world: _Same[World], *more: *More) -> Found:
        return function(task.thing, world.thing, *more)

    return lambda task, world, *more: kept(_Same(task), _Same(world), *more)


def once_in_any_words(
    function: Callable[[Task, World, *More], Found],
) -> Callable[[Task, World, *More], Found]:
    """The same of a function that looks at no driver, and finds no task, which would have one."""

    @lru_cache(maxsize=MOST)
    def kept(task: _InAnyWords, world: _Same[World], *more: *More) -> Found:
        return function(task.thing, world.thing, *more)

    return lambda task, world, *more: kept(_InAnyWords(task), _Same(world), *more)
