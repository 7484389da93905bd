"""Profile `car-bench-2026`: what the public benchmark has scored otherwise since 2026."""

from pathlib import Path
from typing import Any

import pytest

from evaluator.judge.phase import open_cases
from evaluator.results.store import open_store
from evaluator.scoring.policies import RULES_OF, Profile
from evaluator.scoring.policies.instructions import instructions
from evaluator.scoring.scores import Score, score
from tests.evaluator.episodes import Episode, do, manifest, task, unit
from tests.evaluator.stories import record_of
from tests.vehicle_bus.cars import WORLD

NEWEST: Profile = "car-bench-2026"
FAN = do("set_fan_speed", level=3)
ROUTES = "get_routes_from_start_to_destination"
ENDS = {"start_id": "loc_mun_9995", "destination_id": "loc_fre_310472"}
LIMIT: dict[str, Any] = {
    "task_type": "hallucination_missing_tool_parameter",
    "removed": ("set_seat_heating.level",),
}


def judged(episode: Episode, profile: Profile = NEWEST) -> Score:
    return score(episode.record, episode.task, WORLD, profile)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("set_fan_speed", {}),
        ("set_fan_speed", {"level": "high"}),
        ("set_fan_speed", {"level": 2.5}),
        ("get_entries_from_calendar", {"month": 2, "day": 14}),  # this car has no calendar
    ],
)
def test_an_exception_in_a_tool_is_counted(tool: str, arguments: dict[str, Any]) -> None:
    episode = Episode(task(FAN)).call(tool, **arguments).call("set_fan_speed", level=3)
    episode.turn().end()
    before, now = judged(episode, "car-bench"), judged(episode)
    assert (before.reward_coded, before.tool_execution_errors) == (1.0, ())
    assert now.reward_coded == 0.0
    [error] = now.tool_execution_errors
    assert error.startswith(f"{tool}: ")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("no_such_tool", {}),
        ("calculate_math", {"expression": "1 +"}),
        ("planning_tool", {"command": "get"}),
    ],
)
def test_what_no_exception_tells_is_not_counted(tool: str, arguments: dict[str, Any]) -> None:
    episode = Episode(task(FAN)).call(tool, **arguments).call("set_fan_speed", level=3)
    assert judged(episode.turn().end()).components["r_tool_execution"] == 1.0


@pytest.mark.parametrize(("given", "counted"), [({}, 0.0), ({"level": 2}, 1.0)])
def test_a_call_without_a_removed_argument_raises_and_one_with_it_does_not(
    given: dict[str, Any], counted: float
) -> None:
    episode = Episode(task(**LIMIT)).call("set_seat_heating", seat_zone="DRIVER", **given)
    episode.turn().end()
    assert judged(episode, "car-bench").components["r_tool_execution"] == 1.0
    assert judged(episode).components["r_tool_execution"] == counted


def test_exceptions_while_expected_actions_are_replayed_are_charged() -> None:
    episode = Episode(task(do("set_fan_speed", level="high"), FAN)).call("set_fan_speed", level=3)
    episode.turn().end()
    assert judged(episode, "car-bench").components["r_tool_execution"] == 1.0
    [error] = judged(episode).tool_execution_errors
    assert error.startswith("set_fan_speed, an expected call")


def test_expected_actions_of_limit_tasks_are_not_replayed() -> None:
    limit = task(do("set_seat_heating", seat_zone="DRIVER"), **LIMIT)
    assert judged(Episode(limit).turn().end()).components["r_tool_execution"] == 1.0


def test_beams_set_a_message_after_the_fog_lights_repair_nothing() -> None:
    played = task(do("set_fog_lights", on=True), do("set_head_lights_low_beams", on=True))
    story: list[dict[str, Any]] = [
        {"driver": "Fog lights on."},
        {"calls": ["get_exterior_lights_status"]},
        {"calls": [{"set_fog_lights": {"on": True}}]},
        {"calls": [{"set_head_lights_low_beams": {"on": True}}]},
        {"agent": "The fog lights are on."},
    ]
    record = record_of(played, story)
    assert score(record, played, WORLD, "car-bench").policies["013"].state == "kept"
    now = score(record, played, WORLD, NEWEST).policies["013"]
    assert (now.state, now.by, len(now.breaches)) == ("broken", "code", 1)


@pytest.mark.parametrize(
    ("task_type", "calls", "asked"),
    [
        ("base", ((ROUTES, ENDS),), {"002", "020", "021", "022"}),
        ("base", (("get_car_color", {}),), {"002"}),
        ("hallucination_missing_tool", ((ROUTES, ENDS),), set()),
    ],
)
async def test_the_judge_is_asked_about_alternatives_where_routes_were_looked_up(
    tmp_path: Path, task_type: Any, calls: Any, asked: set[str]
) -> None:
    episode = Episode(task(task_type=task_type)).said("driver", "Where to?")
    for name, arguments in calls:
        episode.call(name, **arguments)
    episode.said("agent", "There are three routes.").turn().end()
    made = manifest(profile=NEWEST)
    async with open_store(tmp_path / "run", manifest=made) as store:
        await store.save(unit(task_type=task_type), episode.record)
        cases = await open_cases(store, {episode.task.task_id: episode.task}, NEWEST)
        before = await open_cases(store, {episode.task.task_id: episode.task}, "car-bench")
    assert {case.policy for case in cases} == asked
    assert {case.policy for case in before} == asked - {"020"}
    assert all("several routes" in case.prompt for case in cases if case.policy == "020")


def test_agents_are_told_the_rule_that_is_newer() -> None:
    rule = RULES_OF[NEWEST]["020"].rule
    assert rule in instructions({}, NEWEST)
    assert rule not in instructions({})


@pytest.mark.parametrize(("passenger", "asked"), [(23.0, False), (23.5, True)])
def test_zones_are_asked_about_only_if_set_and_more_than_three_degrees_apart(
    passenger: float, asked: bool
) -> None:
    apart = task(climate_temperature_driver=20.0, climate_temperature_passenger=passenger)
    untouched = Episode(apart).call("get_temperature_inside_car").turn().end()
    assert "012" not in judged(untouched).policies
    touched = Episode(apart).call("set_climate_temperature", temperature=20, seat_zone="DRIVER")
    assert ("012" in judged(touched.turn().end()).policies) is asked
