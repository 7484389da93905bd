"""How the car of a task may stand on the way and at the end, whatever the order of the changes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate
from typing import TypeVar, overload

from orjson import dumps, loads

from evaluator.record.episode import Episode
from evaluator.record.record import State
from evaluator.scoring.conversation_end import is_limit_awareness
from evaluator.scoring.course.feasible import (
    Feasible,
    feasible,
    known_legs,
    orders_of_the_rest,
    set_by,
    without_lost_stops,
)
from evaluator.scoring.course.orders import Orders, changes_of, right_orders
from evaluator.scoring.course.side_conditions import no_further_than_needed
from evaluator.scoring.impossible_actions import impossible_actions, possible_part
from evaluator.task.once import once_in_any_words
from evaluator.task.task import Action, Expectation, Task
from vehicle_bus.world.world import World

Found = TypeVar("Found")
Moment = tuple[frozenset[int], State]  # which expected actions were carried out, and the car then


class Late(Sequence[Found]):
    """All there is of something, worked out when it is not found among what is at hand of it.

    Who looks through all of it meets what is at hand twice.
    """

    def __init__(self, at_hand: Sequence[Found], every: Callable[[], Sequence[Found]]) -> None:
        self._at_hand = at_hand
        self._every = every

    def __iter__(self) -> Iterator[Found]:
        yield from self._at_hand
        yield from self._every()

    def __len__(self) -> int:
        return len(self._every())

    @overload
    def __getitem__(self, index: int) -> Found: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Found]: ...
    def __getitem__(self, index: int | slice) -> Found | Sequence[Found]:
        return self._every()[index]


@dataclass(frozen=True)
class Ways:
    """The right orders of an episode: of its task, of what faults have left possible of it, of the
    first legs of a trip that a car without some part can plan, and with other side conditions.

    What somebody set by hand may have been set before, between or after the calls. What is `Late`
    is not kept: it refers back to here, and the whole record would wait for the garbage collector.
    """

    episode: Episode
    world: World
    _found: dict[tuple[int, int], Orders] = field(default_factory=dict, repr=False, compare=False)

    @property
    def endings(self) -> Sequence[State]:
        """How the car may stand at the end."""
        made = self._as_made(len(self.episode.record.by_hand))
        return Late([end.state for end in made.ends], lambda: self._endings)

    @cached_property
    def _endings(self) -> list[State]:
        by_hand = len(self.episode.record.by_hand)
        ends = [end.state for task in self._tasks for end in self._orders(task, by_hand).ends]
        return ends + [{**end, **self._left_as_set} for end in ends if self._left_as_set]

    @property
    def passed(self) -> Sequence[State]:
        """How the car may stand on the way."""
        return _states(self._moments_as_made, lambda: self._moments)

    def passed_by(self, turn: int) -> Sequence[State]:
        """How it may stand after a turn, by what the driver can have asked for until then."""
        asked = self._asked_for(turn)
        return _states(self._moments_as_made, lambda: self._moments, asked)

    @cached_property
    def feasible(self) -> Feasible:
        """What is left to do where the car lacks something."""
        return feasible(self.episode.task, self.world)

    @cached_property
    def _left_as_set(self) -> State:
        """What was set by hand and no call has to set again, because the car lacks something."""
        if not is_limit_awareness(self.episode.task.task_type):
            return {}
        due = set_by(self.episode.task, self.world, self.feasible.due)
        return {
            name: value
            for values in self.episode.record.by_hand
            for name, value in values.items() if name not in due
        }  # fmt: skip

    @cached_property
    def _tasks(self) -> list[Task]:
        task = self.episode.task
        impossible = impossible_actions(self.episode)
        lost = [i for i, action in enumerate(task.expect.actions) if action in impossible]
        others = [_without(task, self.world, tuple(lost))] if lost else []
        if is_limit_awareness(task.task_type):
            others += [known_legs(task, self.world), *without_lost_stops(task, self.world)]
        if task.source == "public":
            others.append(no_further_than_needed(task, self.world))
        other = (expect for expect in others if expect is not task.expect)
        tasks = [task, *(task.model_copy(update={"expect": expect}) for expect in other)]
        return [each for index, each in enumerate(tasks) if each not in tasks[:index]]

    @cached_property
    def _moments(self) -> list[Moment]:
        return [
            moment for task in self._tasks for moment in self._of_task(partial(self._orders, task))
        ]

    @cached_property
    def _moments_as_made(self) -> list[Moment]:
        return self._of_task(self._as_made)

    def _of_task(self, orders: Callable[[int], Orders]) -> list[Moment]:
        """The moments of the orders with so many values set by hand before."""
        found = _moments(orders(0))
        for number, values in enumerate(self.episode.record.by_hand, start=1):
            found += _moments(orders(number))
            found += [
                (done, {name: values.get(name, state[name]) for name in state})
                for done, state in found
            ]
        left = self._left_as_set
        return found + [(done, {**state, **left}) for done, state in found if left]

    def _orders(self, task: Task, by_hand: int) -> Orders:
        """The orders of a car in which the first so many values had been set by hand."""
        asked = (id(task), by_hand)  # of self._tasks, so that no other has this id
        if asked not in self._found:
            self._found[asked] = self._tried(task, by_hand)
        return self._found[asked]

    def _tried(self, task: Task, by_hand: int, only: tuple[int, ...] | None = None) -> Orders:
        due = self.feasible.due if is_limit_awareness(task.task_type) else None
        set_before = dumps(self.episode.record.by_hand[:by_hand])
        return _right(task, self.world, due, set_before, only)

    def _as_made(self, by_hand: int) -> Orders:
        """The order of this episode, if it is right: then no other one has to be tried."""
        return self._tried(self.episode.task, by_hand, self._made)

    @cached_property
    def _made(self) -> tuple[int, ...]:
        """The expected changes in the order in which they were made; what was not comes last."""
        actions = self.episode.task.expect.actions
        left, made = sorted(changes_of(self.episode.task)), list[int]()
        for act in self.episode.succeeded:
            call = Action(name=act.tool, arguments=act.arguments)
            index = next((index for index in left if actions[index] == call), None)
            if index is not None:
                left.remove(index)
                made.append(index)
        return (*made, *left)

    def _asked_for(self, turn: int) -> frozenset[int]:
        """The expected actions of as many requests as the driver has spoken times.

        All of them where a driver who follows no script may have asked for everything at once.
        """
        task, said = self.episode.task, self.episode.driver
        script = task.driver.script
        to_the_letter = script is not None and bool(said) and said[0].text == script.opening
        if not task.expect.requests or len(self._tasks) > 1 or not to_the_letter:
            return frozenset(range(len(task.expect.actions)))
        ends = list(accumulate(request.actions for request in task.expect.requests))
        spoken = sum(each.turn <= turn for each in said)
        return frozenset(range(ends[min(spoken, len(ends)) - 1] if spoken else 0))


@once_in_any_words
def _right(
    task: Task,
    world: World,
    due: frozenset[int] | None,
    by_hand: bytes,
    only: tuple[int, ...] | None,
) -> Orders:
    """The orders of a car in which was set `by_hand` what this JSON says."""
    if due is None:
        return right_orders(task, world, loads(by_hand), only)
    return orders_of_the_rest(task, world, due, loads(by_hand), only)


@once_in_any_words
def _without(task: Task, world: World, lost: tuple[int, ...]) -> Expectation:
    """What is expected without these actions, by index."""
    return possible_part(task, tuple(task.expect.actions[index] for index in lost)).expect


def _moments(orders: Orders) -> list[Moment]:
    return [(stage.done, stage.state) for stage in orders.stages]


def _states(
    at_hand: Sequence[Moment],
    every: Callable[[], Sequence[Moment]],
    asked: frozenset[int] | None = None,
) -> Sequence[State]:
    """The states of the moments, of those alone in which no more was done than was asked."""

    def among(moments: Sequence[Moment]) -> list[State]:
        return [state for done, state in moments if asked is None or done <= asked]

    return Late(among(at_hand), lambda: among(every()))
