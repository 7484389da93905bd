"""What is worked out of a task and its world once, not for every episode and every question."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from evaluator.task.task import Task
from vehicle_bus.world.world import World

Thing = TypeVar("Thing")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, eq=False)
class _Same(Generic[Thing]):
    """Stands for this very object: quick to find, and alive for as long as it is remembered."""

    thing: Thing

    def __hash__(self) -> int:
        return id(self.thing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.thing is self.thing


def once_per_task(
    most: int,
) -> Callable[[Callable[[Task, World], Found]], Callable[[Task, World], Found]]:
    """Remember what a pure function found for the last so many tasks."""

    def remembering(function: Callable[[Task, World], Found]) -> Callable[[Task, World], Found]:
        @lru_cache(maxsize=most)
        def kept(task: _Same[Task], world: _Same[World]) -> Found:
            return function(task.thing, world.thing)

        return lambda task, world: kept(_Same(task), _Same(world))

    return remembering
