"""Sentences about trips and batteries, as the driver hears them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.agents.reference import Say
from assistant_gateway.wording.changes import done, phrase
from assistant_gateway.wording.findings import found, found_beside_changes
from assistant_gateway.wording.spoken import duration, kilometres, words
from assistant_gateway.wording.trip import legs_in_words, place_name, which_route
from evaluator.reference.plan import reference_plan
from evaluator.task.task import Task
from evaluator.task.worlds import own_world
from user_sim.understanding.understand import acts_in, understand
from vehicle_bus.tools import BY_NAME

WORLD = own_world()
SALZBURG, GRAZ = "loc_sal_703158", "loc_gra_516892"
BASEL, LUCERNE, TURIN = "loc_bas_627893", "loc_luc_291875", "loc_tur_835971"
TO_LUCERNE, TO_TURIN = "rll_bas_luc_962338", "rll_luc_tur_821698"
STATION, TO_STATION, ONWARDS = "poi_cha_939392", "rlp_luc_cha_546133", "rpl_cha_tur_247787"
AT_BASEL = {"id": BASEL, "name": "Basel", "position": {"longitude": 7.6, "latitude": 47.6}}


def said(*actions: tuple[str, dict[str, Any]], **start: Any) -> str:
    """The last sentence of the reference in a task with these calls."""
    task = Task.model_validate(
        {
            "task_id": "base_x",
            "task_type": "base",
            "title": "x",
            "car": {"start": {"current_location": AT_BASEL} | start},
            "driver": {"instruction": "…", "script": {"opening": "…"}},
            "expect": {
                "actions": [{"name": name, "arguments": given} for name, given in actions],
                "turn_classes": ["D"],
            },
        }
    )
    last = reference_plan(task, WORLD)[-1]
    assert isinstance(last, Say)
    return last.text


def to_turin() -> dict[str, Any]:
    """A car that follows a trip from Basel to Turin with a stop in Lucerne."""
    return {
        "navigation_active": True,
        "waypoints_id": [BASEL, LUCERNE, TURIN],
        "routes_to_final_destination_id": [TO_LUCERNE, TO_TURIN],
    }


def test_a_trip_of_several_legs_is_named_leg_by_leg_and_others_are_offered() -> None:
    sentence = said(("set_new_navigation", {"route_ids": [TO_LUCERNE, TO_TURIN]}))
    assert sentence == (
        "I've started the navigation to Turin with a stop in Lucerne. "
        "The fastest route to Lucerne goes via A2 and A4, 99 kilometres in 1 hour and 9 minutes, "
        "without tolls. "
        "The fastest and shortest route to Turin goes via H29 and SP165, 226 kilometres in "
        "2 hours and 49 minutes, without tolls. "
        "There are other routes for each leg, just ask."
    )


def test_tolls_are_named() -> None:
    [fastest, shortest, _] = WORLD.routes(SALZBURG, GRAZ)
    assert legs_in_words([fastest["route_id"]], WORLD).endswith(
        "2 hours and 31 minutes, with tolls."
    )
    assert legs_in_words([shortest["route_id"]], WORLD).endswith(", without tolls.")


def test_only_new_legs_are_named_after_an_edit() -> None:
    added = {
        "waypoint_id_to_add": STATION,
        "waypoint_id_before_new_waypoint": LUCERNE,
        "waypoint_id_after_new_waypoint": TURIN,
        "route_id_leading_to_new_waypoint": TO_STATION,
        "route_id_leading_away_from_new_waypoint": ONWARDS,
    }
    sentence = said(("navigation_add_one_waypoint", added), **to_turin())
    assert sentence.startswith("I've added a stop at the charging station Ionette Krähfeld. ")
    assert "route to the charging station goes via H29" in sentence
    assert "to Lucerne" not in sentence


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (
            ("navigation_delete_destination", {"destination_id_to_delete": TURIN}),
            "I've removed Turin from the trip.",
        ),
        (("delete_current_navigation", {}), "I've stopped the navigation."),
        (("set_charge_limit", {"limit_percent": 80}), "I've set the charge limit to 80 percent."),
    ],
)
def test_what_leads_nowhere_new_is_named_without_a_route(
    action: tuple[str, dict[str, Any]], sentence: str
) -> None:
    assert said(action, **to_turin()) == sentence


def test_two_edits_of_one_trip_are_both_named() -> None:
    sentence = said(
        ("navigation_delete_destination", {"destination_id_to_delete": TURIN}),
        ("set_charge_limit", {"limit_percent": 70}),
        ("set_charge_limit", {"limit_percent": 80}),
        **to_turin(),
    )
    assert sentence == "I've removed Turin from the trip and set the charge limit to 80 percent."


@pytest.mark.parametrize(
    "name",
    ["set_charge_limit"]
    + [name for name in BY_NAME if "navigation" in name and not name.startswith("get_")],
)
def test_every_change_of_the_trip_is_heard_as_done(name: str) -> None:
    ids = {key: TURIN for key in BY_NAME[name].parameters["properties"]}
    given = ids | {"route_ids": [TO_TURIN], "limit_percent": 80}
    verb, rest = phrase(name, given, WORLD)
    assert verb in words("past")
    [claim] = understand(done([(verb, rest)]))
    assert "claim" in claim.acts


@pytest.mark.parametrize(
    ("place_id", "name"),
    [
        (GRAZ, "Graz"),
        ("poi_bak_186213", "the bakery Bäckerei Stadelhofer"),
        ("poi_air_186315", "Lyon Airport"),
        ("poi_res_159933", "Restaurant Steinmoos"),
        ("poi_xxx_1", "that place"),
    ],
)
def test_places_have_names_for_the_ear(place_id: str, name: str) -> None:
    assert place_name(place_id, WORLD) == name


@pytest.mark.parametrize(
    ("alias", "words"),
    [
        (["fastest", "first", "shortest"], "the fastest and shortest route"),
        (["second", "shortest"], "the shortest route"),
        (["third"], "the third route"),
        ([], "the route"),
    ],
)
def test_a_route_is_called_by_what_is_best_about_it(alias: list[str], words: str) -> None:
    assert which_route({"alias": alias}) == words


@pytest.mark.parametrize(
    ("name", "result", "sentence"),
    [
        (
            "get_charging_specs_and_status",
            {
                "battery_capacity_kwh": 80.0,
                "max_charging_power_ac": 11,
                "max_charging_power_dc": 250,
                "state_of_charge": 40.0,
                "remaining_range": "203.0km",
            },
            "The battery is at 40 percent, enough for 203 kilometres. It holds 80 kilowatt hours "
            "and charges with up to 11 kilowatts AC or 250 kilowatts DC.",
        ),
        (
            "get_distance_by_soc",
            {"distance_km_for_40_until_10.5_percent_soc": "149.0km"},
            "From 40 down to 10.5 percent the battery is enough for 149 kilometres.",
        ),
        (
            "calculate_charging_time_by_soc",
            {
                "time_from_20_until_80_percent_soc": "14min",
                "time_from_20_until_100_percent_soc": "1min",
            },
            "Charging from 20 to 80 percent takes 14 minutes and "
            "from 20 to 100 percent takes 1 minute.",
        ),
        (
            "calculate_charging_soc_by_time",
            {"soc_in_percent_after_charging_for_20min": "64.0 percent"},
            "After 20 minutes of charging the battery is at 64 percent.",
        ),
        ("convert_route_distance_and_time", {"distance_km": 42.5}, "That is 42 kilometres along"),
        ("convert_route_distance_and_time", {"time_minutes": 95.0}, "1 hour and 35 minutes"),
        ("get_location_id_by_location_name", {"id": GRAZ}, ""),
        ("get_current_navigation_state", {"waypoints_id": []}, "No trip is being followed"),
        (
            "get_current_navigation_state",
            {"waypoints_id": [BASEL, LUCERNE, STATION, TURIN]},
            "The trip leads from Basel to Turin with a stop in Lucerne and at the charging "
            "station Ionette Krähfeld.",
        ),
        ("search_poi_at_location", {"pois_found": []}, "I have found no place like that."),
    ],
)
def test_what_was_found_out_is_named(name: str, result: dict[str, Any], sentence: str) -> None:
    assert sentence in found(name, result, WORLD)


def test_places_are_named_with_hours_free_plugs_and_detour() -> None:
    bakery, station = WORLD.poi("poi_bak_186213"), WORLD.poi("poi_cha_379507")
    assert bakery is not None
    assert station is not None
    assert found("search_poi_at_location", {"pois_found": [bakery]}, WORLD) == (
        "I have found the bakery Bäckerei Stadelhofer, open from 08:00 to 16:00."
    )
    on_the_way = {
        **station,
        "detour_from_route_km": {"detour": 6.24, "unit": "km"},
        "detour_from_route_time": {"hour": 0, "minutes": 8},
    }
    along = {"pois_found_along_route": [on_the_way]}
    assert found("search_poi_along_the_route", along, WORLD) == (
        "I have found the charging station Kilowatt Kiosk Wiesenau, always open, "
        "with free plugs of 22 kilowatts AC, 100 kilowatts DC and 22 kilowatts AC, "
        "8 minutes and 6.2 kilometres out of the way."
    )


def test_many_places_are_not_read_out_one_by_one() -> None:
    found_places = {"pois_found": list(WORLD.pois_at(BASEL, "restaurants")) * 3}
    assert found("search_poi_at_location", found_places, WORLD).endswith("; and 3 more.")


def test_what_the_reply_of_a_change_says_is_not_said_twice() -> None:
    routes = {"routes": WORLD.routes(SALZBURG, GRAZ)}
    assert found_beside_changes("get_routes_from_start_to_destination", routes, WORLD) == ""
    sentence = found("get_routes_from_start_to_destination", routes, WORLD)
    assert sentence.startswith("From Salzburg to Graz the fastest route goes via A10 and A22, 236 ")
    assert acts_in(sentence) == {"info"}


@given(st.floats(0, 20_000), st.floats(0, 5_000))
def test_distances_and_durations_are_always_words_for_the_ear(km: float, minutes: float) -> None:
    assert kilometres(km).split()[1].startswith("kilometre")
    assert "e+" not in kilometres(km)
    assert duration(minutes).endswith(("hour", "hours", "minute", "minutes"))
    assert " and 0 " not in duration(minutes)


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (0, "0 minutes"),
        (1, "1 minute"),
        (59.6, "1 hour"),
        (61, "1 hour and 1 minute"),
        (120, "2 hours"),
        (150, "2 hours and 30 minutes"),
    ],
)
def test_durations(minutes: float, words: str) -> None:
    assert duration(minutes) == words
