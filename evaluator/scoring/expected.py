"""What the expected actions of a task do to a fresh car, and where a state differs from that."""

from collections.abc import Sequence
from typing import Any

from evaluator.record.record import State
from evaluator.task.task import Task
from vehicle_bus.contract import Command
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

RESPOND = "respond"
SHOWN = 3


def expected_states(task: Task, world: World, by_hand: Sequence[State] = ()) -> list[State]:
    """The state at the start and after each expected action, replayed on a car that lacks nothing.

    What the car refuses in this replay is nobody's error: the state just stays as it was. What was
    turned `by_hand` counts as turned before, so that the assistant has the last word.
    """
    start = {**task.car.start, **{name: v for turned in by_hand for name, v in turned.items()}}
    sound = {"removed": (), "happenings": (), "faults": (), "motion": False, "start": start}
    vehicle = Vehicle(task.car.model_copy(update=sound), world)
    states = [vehicle.snapshot()]
    for number, action in enumerate(task.expect.actions, start=1):
        if action.name != RESPOND:
            command = Command(call_id=f"expected{number}", arguments=action.arguments)
            vehicle.handle(action.name, command)
            states.append(vehicle.snapshot())
    return states


def passed_states(task: Task, world: World, by_hand: Sequence[State] = ()) -> list[State]:
    """Every state a right course may pass: hands turn things before, between and after calls."""
    passed = expected_states(task, world)
    for turned in range(1, len(by_hand) + 1):
        before = [*passed, *expected_states(task, world, by_hand[:turned])]
        passed = [*before, *({**state, **_told(state, by_hand[turned - 1])} for state in before)]
    return passed


def _told(state: State, values: State) -> State:
    """What of a hand's doing a state can tell."""
    return {name: value for name, value in values.items() if name in state}


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
