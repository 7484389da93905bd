from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from assistant_gateway.agents.agent import Agent
from assistant_gateway.agents.baselines import BaselineAgent
from assistant_gateway.agents.reference import ReferenceAgent
from assistant_gateway.wording.trip import route_in_words
from evaluator.reference.plan import reference_plan
from evaluator.task.public_tasks import public_tasks
from evaluator.task.task import Task
from evaluator.task.worlds import own_world
from evaluator.task_making.figures import figures_of
from tests.evaluator.runs import BY_ID, PUBLIC_FOLDER, TASKS, published
from tests.evaluator.talk import Talk, talk
from user_sim.script import Script
from user_sim.spoken_line import ways_of
from user_sim.understanding.understand import acts_in
from vehicle_bus.car.state import context_at_start

WORLD = own_world()
AIDS = ("think", "planning_tool")  # of thinking; no task needs them
SPOKEN_RULE = "002"  # about units, so in every task and about no call
TRIP_TOOLS = {
    "search_poi_at_location",
    "search_poi_along_the_route",
    "navigation_add_one_waypoint",
    "navigation_replace_one_waypoint",
    "navigation_replace_final_destination",
    "navigation_delete_waypoint",
    "navigation_delete_destination",
    "get_charging_specs_and_status",
    "calculate_charging_time_by_soc",
}
AT_LEAST_AS_PUBLIC = (
    *("tasks", "mean_calls", "five_or_more", "look_ups", "tools_of_a_task", "two_domains"),
    *("kept_back", "conditional", "several_requests"),
)
each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.task_id)


@cache
def by_reference(task_id: str) -> Talk:
    """The task as the reference plays it, once for all tests."""
    task = BY_ID[task_id]
    return talk(task, WORLD, ReferenceAgent(reference_plan(task, WORLD)))


def test_there_are_enough_tasks_of_every_kind() -> None:
    types = Counter(task.task_type for task in TASKS)
    assert types["base"] >= 110
    assert types["hallucination_missing_tool"] >= 55
    assert types["hallucination_missing_tool_parameter"] >= 17
    assert types["hallucination_missing_tool_response"] >= 18
    assert types["disambiguation_internal"] >= 25
    assert types["disambiguation_user"] >= 25
    assert all(task.twin for task in TASKS if task.car.removed)
    assert {task.settled_by for task in TASKS if task.main_type == "disambiguation"} == {*range(6)}


def test_tasks_ask_for_much() -> None:
    figures = figures_of(TASKS)
    assert figures["mean_calls"] >= 4
    assert figures["five_or_more"] >= 0.35
    assert figures["two_domains"] >= 0.4
    assert figures["told"] >= 0.4
    assert figures_of([task for task in TASKS if task.main_type == "base"])["kept_back"] >= 0.5


@published
def test_tasks_ask_for_no_less_than_the_public_ones() -> None:
    ours, theirs = figures_of(TASKS), figures_of(public_tasks(Path(PUBLIC_FOLDER)))
    assert ours["one_call"] < theirs["one_call"]
    for name in AT_LEAST_AS_PUBLIC:
        assert ours[name] >= theirs[name], name


def test_every_tool_and_every_rule_is_met_in_several_tasks() -> None:
    figures = figures_of(TASKS)
    assert [name for name, number in figures["tools"].items() if number < 3] == [*AIDS]
    assert [rule for rule, number in figures["rules"].items() if number < 4] == [SPOKEN_RULE]


def test_every_line_can_be_said_in_four_ways() -> None:
    for task in TASKS:
        assert task.driver.script is not None
        usual = {Script.model_fields[name].default for name in ("confirm", "decline")}
        for place, line in task.driver.script.lines.items():
            assert line in usual or len({*ways_of(line)}) >= 4, (task.task_id, place)


def test_some_drivers_ask_for_several_things_and_some_only_talk() -> None:
    requests = [task.expect.requests for task in TASKS if task.expect.requests]
    assert sum(sum(r.actions for r in several) >= 4 for several in requests) >= 2
    assert any(several[0].actions == 0 for several in requests)


def test_the_tasks_exercise_the_trip_and_the_battery() -> None:
    used = Counter(name for task in TASKS for name in {a.name for a in task.expect.actions})
    assert used["set_charge_limit"] >= 3
    assert used["set_new_navigation"] >= 3
    assert used.keys() >= TRIP_TOOLS


@each_task
def test_what_is_left_open_is_settled_by_a_known_priority(task: Task) -> None:
    assert (task.settled_by is not None) == (task.main_type == "disambiguation")


@each_task
def test_reference_solves_it(task: Task) -> None:
    played = by_reference(task.task_id)
    assert played.failures(task, WORLD) == [], played.said


@each_task
@pytest.mark.parametrize(
    "agent", [BaselineAgent("null"), BaselineAgent("claims")], ids=lambda agent: agent.name
)
def test_doing_nothing_does_not_solve_it(task: Task, agent: Agent) -> None:
    assert talk(task, WORLD, agent).failures(task, WORLD)


@each_task
def test_there_is_a_budget_for_every_turn_the_reference_needs(task: Task) -> None:
    played = by_reference(task.task_id)
    assert played.turns <= len(task.expect.turn_classes)


@each_task
def test_the_reference_claims_only_what_it_did(task: Task) -> None:
    played = by_reference(task.task_id)
    claimed = any("claim" in acts_in(line) for line in played.said if line.startswith("agent: "))
    changed = any(answer.revision_after > answer.revision_before for _, answer in played.calls)
    assert changed or not claimed, played.said


@each_task
def test_the_driver_is_asked_what_only_the_driver_can_tell(task: Task) -> None:
    if task.task_type == "disambiguation_user":
        played = by_reference(task.task_id)
        assert task.driver.script is not None
        assert f"driver: {task.driver.script.answers[0].say}" in played.said


@each_task
def test_every_new_leg_is_reported_with_its_tolls(task: Task) -> None:
    played = by_reference(task.task_id)
    followed = task.car.start.get("routes_to_final_destination_id", ())
    legs = set(played.final["routes_to_final_destination_id"]) - set(followed)
    rows = [row for row in map(WORLD.route, legs) if row is not None]
    said = " ".join(played.said)
    assert all(route_in_words(row) in said for row in rows)
    assert not any(row["includes_toll"] for row in rows) or "with tolls" in said


@each_task
def test_the_calendar_is_of_the_day(task: Task) -> None:
    calendar = WORLD.calendar(task.car.calendar_id) if task.car.calendar_id else None
    if calendar is not None:
        now = context_at_start(task.car.start).current_datetime
        assert calendar["date"] == {"year": now.year, "month": now.month, "day": now.day}


def test_some_drivers_speak_over_the_assistant_and_some_do_not_wait_long() -> None:
    scripts = [task.driver.script for task in TASKS if task.driver.script is not None]
    said_over = [each for script in scripts for each in script.interjections]
    assert sum(len(each.say.split()) > 2 for each in said_over) >= 3
    assert sum(len(each.say.split()) == 1 for each in said_over) >= 2
    assert any(script.impatient_after_s for script in scripts)
