"""The car against the public benchmark: expected actions and recorded conversations."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vehicle_bus.car.state import CarSetup
from vehicle_bus.car.tool import Answer
from vehicle_bus.contract import Command
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.importing import read_world
from vehicle_bus.world.world import World

FOLDER = os.environ.get("CODRIVER_CAR_BENCH")
pytestmark = pytest.mark.skipif(
    FOLDER is None, reason="CODRIVER_CAR_BENCH does not name the public benchmark's files"
)
CAPTIONED = ("get_vehicle_window_positions", "get_sunroof_and_sunshade_position")
Rows = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def folder() -> Path:
    return Path(FOLDER or "")


@pytest.fixture(scope="module")
def world(folder: Path) -> World:
    return read_world(folder / "world")


@pytest.fixture(scope="module")
def tasks(folder: Path) -> Rows:
    files = (folder / f"tasks_{kind}.jsonl" for kind in ("base", "hallucination", "disambiguation"))
    return {task["task_id"]: task for file in files for task in read(file)}


def read(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def start(task: dict[str, Any], world: World, removed: tuple[str, ...] = ()) -> Vehicle:
    setup = CarSetup(
        start=task["context_init_config"],
        calendar_id=task["calendar_id"],
        removed=removed,
        compat="car-bench",
        public_tools_only=True,
    )
    return Vehicle(setup, world)


def carry_out(vehicle: Vehicle, name: str, arguments: dict[str, Any]) -> Answer:
    return vehicle.handle(name, Command(call_id="replay", arguments=arguments))


def test_every_expected_action_succeeds(tasks: Rows, world: World) -> None:
    assert len(tasks) == 254
    carried_out = 0
    for task in tasks.values():
        vehicle = start(task, world)
        for action in task["actions"]:
            handled = carry_out(vehicle, action["name"], action["kwargs"])
            assert handled.status == "SUCCESS", (task["task_id"], action, handled.output)
            carried_out += 1
    assert carried_out == 912


def test_recorded_answers_are_ours(tasks: Rows, world: World, folder: Path) -> None:
    seen: Counter[str] = Counter()
    unexplained = []
    for episode in (
        row for file in (folder / "trajectories").glob("*.jsonl") for row in read(file)
    ):
        task = tasks[episode["task_id"]]
        vehicle = start(task, world, tuple(task["removed_part"] or ()))
        for name, arguments, recorded in recorded_calls(episode["traj"]):
            handled = carry_out(vehicle, name, arguments)
            verdict = compare(name, handled, recorded)
            seen[verdict] += 1
            if verdict == "different":
                unexplained.append((task["task_id"], name, arguments, handled.output, recorded))
    assert unexplained == []
    assert seen["equal"] > 0.98 * seen.total()
    assert seen.total() >= 963


def test_every_recorded_question_about_places_and_routes_is_answered_alike(
    tasks: Rows, world: World, folder: Path
) -> None:
    """These come from more recordings than are shared as a whole."""
    asked = 0
    for query in read(folder / "world" / "nav_queries.jsonl"):
        vehicle = start(tasks[query["tasks"][0]], world)
        handled = carry_out(vehicle, query["tool"], query["args"])
        recorded = json.dumps(query["result"])
        assert comparable(query["tool"], handled.output) == comparable(query["tool"], recorded)
        asked += 1
    assert asked >= 199


def recorded_calls(messages: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any], str]]:
    asked: dict[str, dict[str, Any]] = {}
    for message in messages:
        for call in message.get("tool_calls") or []:
            asked[call["id"]] = call["function"]
        if message["role"] == "tool":
            function = asked[message["tool_call_id"]]
            yield function["name"], json.loads(function["arguments"]), message["content"]


def compare(name: str, handled: Answer, recorded: str) -> str:
    """`equal`, the id of a declared difference, or `different`."""
    if comparable(name, handled.output) == comparable(name, recorded):
        return "equal"
    if recorded.startswith("Error: ") and handled.output.startswith("Error: "):
        return "removed" if handled.status == "REMOVED" else "different"
    if recorded.startswith("Error: ") and handled.error == "INVALID_ARGUMENTS":
        return "Q04"
    if name == "planning_tool" and "already exists" in recorded:
        return "Q61"
    return "different"


def comparable(name: str, output: str) -> Any:
    try:
        answer = json.loads(output)
    except json.JSONDecodeError:
        return output
    if isinstance(answer, dict) and "errors" in answer:
        return answer | {"errors": sorted(answer["errors"])}
    if name in CAPTIONED:
        answer["result"].pop("description")
    return answer
