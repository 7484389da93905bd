"""What the expected actions of a task do to a fresh car, and where a state differs from that."""

from collections import deque
from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any

from evaluator.record import State
from evaluator.task import Action, Task
from vehicle_bus.contract import Command
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world import World

RESPOND = "respond"
SHOWN = 3


def expected_states(task: Task, world: World) -> list[State]:
    """The state at the start and after each expected action, replayed on a car that lacks nothing.

    What the car refuses in this replay is nobody's error: the state just stays as it was. What
    happens in the car may come at any moment in between, so all states on all those ways are
    expected; the last one is that in which the actions came after everything else.
    """
    actions = [action for action in task.expect.actions if action.name != RESPOND]
    happenings = len(task.car.happenings)
    moments = combinations_with_replacement(range(len(actions) + 1), happenings)
    first, *others = [_states_on_the_way(task, world, actions, each) for each in moments]
    passed: list[State] = []
    for state in (state for way in others for state in way):
        if state not in first and state not in passed:
            passed.append(state)
    return [*passed, *first]


def _states_on_the_way(
    task: Task, world: World, actions: Sequence[Action], moments: Sequence[int]
) -> list[State]:
    """The states if the happenings come before the actions with these numbers, each in turn."""
    vehicle = Vehicle(task.car.model_copy(update={"removed": (), "motion": False}), world)
    happenings = deque(sorted(task.car.happenings, key=lambda happening: happening.at_ns))
    states = [vehicle.snapshot()]
    for number in range(len(actions) + 1):
        for _ in range(moments.count(number)):
            vehicle.advance(happenings.popleft().at_ns)
            states.append(vehicle.snapshot())
        if number < len(actions):
            action = actions[number]
            command = Command(call_id=f"expected{number + 1}", arguments=action.arguments)
            vehicle.handle(action.name, command)
            states.append(vehicle.snapshot())
    return states


def required_tools(task: Task) -> set[str]:
    """Names of the tools that the expected actions use."""
    return {action.name for action in task.expect.actions} - {RESPOND}


def differences(state: State, expected: State) -> list[str]:
    """Per variable that differs by value one sentence such as `fan_speed is 3, expected 2`."""
    return [
        f"{name} is {_shown(state, name)}, expected {_shown(expected, name)}"
        for name in sorted(state.keys() | expected.keys())
        if state.get(name, ...) != expected.get(name, ...)
    ]


def nearest(state: State, candidates: Sequence[State]) -> State:
    """The candidate that differs in the fewest variables; the later one among equals."""
    return min(reversed(candidates), key=lambda candidate: len(differences(state, candidate)))


def in_short(sentences: Sequence[str]) -> str:
    """The first few sentences, and how many more there are."""
    rest = len(sentences) - SHOWN
    return "; ".join(sentences[:SHOWN]) + (f"; and {rest} more" if rest > 0 else "")


def _shown(state: State, name: str) -> Any:
    return state.get(name, "absent")
