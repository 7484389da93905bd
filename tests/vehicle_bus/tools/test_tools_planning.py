from typing import Any

import pytest

from tests.vehicle_bus.cars import call, car, error, result
from vehicle_bus.vehicle import Vehicle

STEPS = [
    {"step_description": "look", "step_dependent_on": []},
    {"step_description": "ask", "step_dependent_on": [0]},
    {"step_description": "act", "step_dependent_on": [0, 1]},
]


def plan(vehicle: Vehicle, command: str, **arguments: Any) -> Any:
    return result(vehicle, "planning_tool", command=command, **arguments)


@pytest.fixture
def vehicle() -> Vehicle:
    vehicle = car()
    plan(vehicle, "create", plan_id="p", title="Plan", steps=STEPS)
    return vehicle


def statuses(details: Any) -> list[str]:
    return [step["status"] for step in details["steps"]]


def test_thinking_changes_nothing_and_says_nothing() -> None:
    handled = call(car(), "think", thought="hm")
    assert (handled.status, handled.output, handled.changes) == ("SUCCESS", "", ())


def test_a_new_plan_is_active_and_knows_what_can_start(vehicle: Vehicle) -> None:
    seen = plan(vehicle, "get")
    assert seen["is_active"] is True
    details = seen["plan_details"]
    assert details["progress"] == {"completed": 0, "total": 3, "percentage": 0.0}
    waiting = "unresolved_dependencies_and_not_started"
    assert statuses(details) == ["executable_but_not_started", waiting, waiting]
    assert details["status_counts"][waiting] == 2
    assert vehicle.revision == 0


def test_completing_a_step_frees_those_that_waited_for_it(vehicle: Vehicle) -> None:
    done = {"step_index": 0, "step_status": "completed", "step_notes": "seen"}
    seen = plan(vehicle, "mark_steps", step_updates=[done])
    assert seen["updates_applied"] == [
        {
            "step_index": 0,
            "old_status": "executable_but_not_started",
            "new_status": "completed",
        }
    ]
    assert statuses(seen["plan_details"]) == [
        "completed",
        "executable_but_not_started",
        "unresolved_dependencies_and_not_started",
    ]
    assert seen["plan_details"]["steps"][0]["notes"] == "seen"
    assert seen["plan_details"]["progress"]["percentage"] == pytest.approx(100 / 3)


def test_an_update_keeps_the_steps_that_stay_the_same(vehicle: Vehicle) -> None:
    changed = [STEPS[0], {"step_description": "wait", "step_dependent_on": [0]}]
    seen = plan(vehicle, "update", plan_id="p", title="New", steps=changed)
    assert seen["plan_updated"] is True
    assert seen["plan_details"]["title"] == "New"
    assert statuses(seen["plan_details"]) == ["executable_but_not_started", "not_started"]
    done = {"step_index": 0, "step_status": "completed"}
    marked = plan(vehicle, "mark_steps", plan_id="p", step_updates=[done])
    assert statuses(marked["plan_details"]) == ["completed", "not_started"]


def test_plans_are_listed_activated_and_deleted(vehicle: Vehicle) -> None:
    plan(vehicle, "create", plan_id="q", title="Other", steps=STEPS[:1])
    listed = plan(vehicle, "list")
    assert (listed["active_plan_id"], listed["total_plans"]) == ("q", 2)
    assert [item["is_active"] for item in listed["plans"]] == [False, True]
    assert plan(vehicle, "set_active", plan_id="p")["plan_details"]["is_active"] is True
    gone = plan(vehicle, "delete", plan_id="p")
    assert gone == {"plan_deleted": True, "plan_id": "p", "was_active_plan": True}
    assert plan(vehicle, "list")["active_plan_id"] is None


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"command": "dance"}, "PLANNING_TOOL_001"),
        ({"command": "create", "plan_id": "q", "title": "t"}, "PLANNING_TOOL_ERROR"),
        ({"command": "create", "plan_id": "p", "title": "t", "steps": STEPS},
         "PLANNING_TOOL_ERROR"),
        ({"command": "create", "plan_id": "q", "title": "t", "steps": [{"step_description": "x"}]},
         "PLANNING_TOOL_ERROR"),
        ({"command": "create", "plan_id": "q", "title": "t", "steps": STEPS[1:]},
         "PLANNING_TOOL_ERROR"),
        ({"command": "update", "plan_id": "q"}, "PLANNING_TOOL_ERROR"),
        ({"command": "set_active"}, "PLANNING_TOOL_ERROR"),
        ({"command": "mark_steps"}, "PLANNING_TOOL_ERROR"),
        ({"command": "mark_steps", "step_updates": [{"step_index": 3}]}, "PLANNING_TOOL_ERROR"),
        ({"command": "mark_steps", "step_updates": [{"step_index": 0, "step_status": "done"}]},
         "PLANNING_TOOL_ERROR"),
    ],
)  # fmt: skip
def test_a_plan_error_never_counts(vehicle: Vehicle, arguments: Any, key: str) -> None:
    assert error(vehicle, "planning_tool", **arguments) == (key, False)


def test_each_car_has_plans_of_its_own(vehicle: Vehicle) -> None:
    assert plan(car(), "list")["total_plans"] == 0
    assert error(car(), "planning_tool", command="get") == ("PLANNING_TOOL_ERROR", False)
