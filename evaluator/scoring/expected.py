"""What the expected actions of a task do to a fresh car, and where a state differs from that."""

from collections.abc import Sequence
from typing import Any

from evaluator.record.record import State
from evaluator.task.expected_course import expected_course
from evaluator.task.task import Task
from vehicle_bus.world.world import World

RESPOND = "respond"
SHOWN = 3


def passed_states(task: Task, world: World, by_hand: Sequence[State] = ()) -> list[State]:
    """Every state on a right course; values are set by hand before, between or after the calls."""
    passed = [*expected_course(task, world).snapshots]
    for number, values in enumerate(by_hand, start=1):
        passed += expected_course(task, world, by_hand[:number]).snapshots
        passed += [{name: values.get(name, state[name]) for name in state} for state in passed]
    return passed


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
    if state in candidates:
        return state
    return min(reversed(candidates), key=lambda candidate: len(differences(state, candidate)))


def in_short(sentences: Sequence[str]) -> str:
    """The first few sentences, and how many more there are."""
    rest = len(sentences) - SHOWN
    return "; ".join(sentences[:SHOWN]) + (f"; and {rest} more" if rest > 0 else "")


def _shown(state: State, name: str) -> Any:
    return state.get(name, "absent")
