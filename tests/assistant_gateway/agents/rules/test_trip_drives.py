"""The rules agent on the road: routes, stops, people, and what it asks."""

import itertools
from typing import Any

import pytest

from assistant_gateway.agents.agent import AgentMessage
from tests.assistant_gateway.agents.rules.drives import drive
from tests.vehicle_bus.small_world import (
    BER,
    ESS,
    HAM,
    LOCATIONS,
    MUN,
    SMALL,
    city_route,
    place,
    route_id,
    world_file,
)
from vehicle_bus.world.world import World

MUNICH = {"id": MUN, "name": "Munich", "position": {"longitude": 11.6, "latitude": 48.1}}
NOW = {"year": 2025, "month": 3, "day": 10, "hour": 12, "minute": 0}
HERE: dict[str, Any] = {"world": SMALL, "current_location": MUNICH, "current_datetime": NOW}


def followed(*waypoints: str) -> dict[str, Any]:
    legs = itertools.pairwise(waypoints)
    return {
        **HERE,
        "navigation_active": True,
        "waypoints_id": waypoints,
        "routes_to_final_destination_id": tuple(route_id(one, other) for one, other in legs),
    }


def test_a_stated_route_is_taken_without_a_question() -> None:
    drove, said = drive("Take me to Berlin on the fastest route.", **HERE)
    assert drove.changes == [f"set_new_navigation ['{route_id(MUN, BER)}']"]
    assert "without tolls" in said[0]


def test_of_several_routes_the_driver_chooses() -> None:
    drove, said = drive("Take me to Berlin.", "The one via A2.", **HERE)
    assert said[0].endswith("Which route would you like?")
    assert drove.changes == [f"set_new_navigation ['{route_id(MUN, BER, 2)}']"]


def test_several_legs_take_the_fastest_routes_and_say_so() -> None:
    drove, said = drive("Drive to Hamburg via Berlin.", **HERE)
    assert drove.changes == [f"set_new_navigation ['{route_id(MUN, BER)}', '{route_id(BER, HAM)}']"]
    assert "fastest" in said[0]
    assert "other routes" in said[0]


def test_a_stop_is_added_where_it_was_wanted() -> None:
    drove, _ = drive("Add Essen as a stop before Hamburg.", **followed(MUN, BER, HAM))
    assert drove.vehicle.state.waypoints_id == (MUN, BER, ESS, HAM)


def test_two_edits_follow_each_other() -> None:
    drove, _ = drive("Stop in Essen instead of Berlin and drop Hamburg.", **followed(MUN, BER, HAM))
    assert drove.vehicle.state.waypoints_id == (MUN, ESS)
    messages = [line for line in drove.transcript if isinstance(line, AgentMessage) and line.calls]
    edits = [line for line in messages if "navigation_" in line.calls[0].name]
    assert {len(line.calls) for line in edits} == {1}


def test_a_new_destination_keeps_the_stops() -> None:
    drove, _ = drive(
        "Change the destination to Essen on the fastest route.", **followed(MUN, BER, HAM)
    )
    assert drove.vehicle.state.waypoints_id == (MUN, BER, ESS)


def test_the_only_destination_is_not_deleted() -> None:
    drove, _ = drive("Delete the destination.", **followed(MUN, BER))
    assert drove.changes == []


def test_a_stop_without_a_name_is_asked_for() -> None:
    drove, said = drive(
        "Leave out one of the stops, fastest route.", "Essen.", **followed(MUN, BER, ESS, HAM)
    )
    assert "Berlin or Essen" in said[0]
    assert drove.vehicle.state.waypoints_id == (MUN, BER, HAM)


def test_without_a_trip_there_is_nothing_to_edit() -> None:
    drove, said = drive("Add Berlin as a stop.", **HERE)
    assert drove.changes == []
    assert "No navigation is running" in said[0]


def test_only_what_is_open_is_gone_to() -> None:
    drove, _ = drive("Take me to a restaurant here on the fastest route.", **HERE)
    assert [call.name for call in drove.made][-1] != "set_new_navigation"


def test_masked_routes_are_admitted() -> None:
    _, said = drive(
        "Does the fastest route to Berlin cost toll?",
        removed=["result.get_routes_from_start_to_destination.routes.includes_toll"],
        **HERE,
    )
    assert "can't tell whether the routes have tolls" in said[0]


def test_of_two_people_the_driver_picks_one() -> None:
    drove, said = drive("Call Mira.", "Okonkwo.")
    assert "Mira Lindqvist or Mira Okonkwo" in said[0]
    assert drove.changes == ["call_phone_by_number +49 165 267490"]


def test_a_mail_is_read_out_before_it_is_sent() -> None:
    drove, said = drive("E-mail Jonas Achterberg that I'll be late.", "Yes, send it.")
    assert "I'll be late" in said[0]
    assert said[0].endswith("?")
    assert drove.changes == [
        "send_email Hello Jonas, I'll be late. ['jonas.achterberg2718@mailhaven.example']"
    ]


def test_no_mail_goes_out_after_a_no() -> None:
    drove, _ = drive("E-mail Jonas Achterberg that I'll be late.", "No, don't.")
    assert drove.changes == []


def test_masked_opening_hours_are_admitted() -> None:
    _, said = drive(
        "How late are the restaurants here open?",
        removed=["result.search_poi_at_location.pois_found.opening_hours"],
        **HERE,
    )
    assert "doesn't give me that" in said[0]


def test_the_last_destination_ends_the_trip_after_a_yes() -> None:
    drove, said = drive("Delete the destination.", "Yes, please.", **followed(MUN, BER))
    assert said[0].endswith("Shall I stop the navigation?")
    assert drove.changes == ["delete_current_navigation"]


def test_after_the_destination_the_trip_goes_on() -> None:
    drove, _ = drive("After Berlin we go on to Essen, fastest route.", **followed(MUN, BER))
    assert drove.vehicle.state.waypoints_id == (MUN, BER, ESS)


def test_a_new_destination_without_a_trip_starts_one() -> None:
    drove, _ = drive("Change the destination to Essen on the fastest route.", **HERE)
    assert drove.vehicle.state.waypoints_id == (MUN, ESS)


def test_a_new_trip_is_taken_back() -> None:
    drove, _ = drive("Take me to Berlin on the fastest route.", "Undo that.", **HERE)
    assert drove.changes[1:] == ["delete_current_navigation"]


def test_a_trip_that_was_changed_or_stopped_is_followed_again() -> None:
    before = f"set_new_navigation ['{route_id(MUN, BER)}']"
    for said in ("Stop the navigation.", "Change the destination to Essen, fastest route."):
        drove, _ = drive(said, "Put the route back.", **followed(MUN, BER))
        assert drove.changes[-1] == before


def test_a_slip_of_the_tongue_names_another_town() -> None:
    drove, _ = drive("Take me to Essen, no, to Berlin on the fastest route.", **HERE)
    assert drove.changes == [f"set_new_navigation ['{route_id(MUN, BER)}']"]


def test_an_unknown_place_is_answered_with_places_that_have_a_route() -> None:
    drove, (answer,) = drive("Take me to Nuremberg.", **HERE)
    assert drove.changes == []
    assert answer.startswith("I have found no place called Nuremberg.")
    assert answer.endswith(" There are routes to Essen, Berlin and Hamburg.")


def three_ways(**third: Any) -> World:
    """Three routes from Munich to Berlin; `third` are other values of the last.

    The first one is the shortest unless the third one is.
    """
    alias = ["fastest", "first"] if "alias" in third else ["fastest", "first", "shortest"]
    last = {"route_id": route_id(MUN, BER, 3), "name_via": "A3", "alias": ["third"], **third}
    first = {**city_route(MUN, BER), "alias": alias}
    routes = [first, city_route(MUN, BER, 2), {**city_route(MUN, BER, 2), **last}]
    return World(world_file(locations=LOCATIONS, routes=routes))


def test_of_several_routes_the_best_are_told_and_the_others_only_counted() -> None:
    world = three_ways()
    drove, said = drive("Take me to Berlin.", "What about the others?", "The third one.", **{
        **HERE, "world": world,
    })  # fmt: skip
    assert "the fastest and shortest route goes via A1" in said[0]
    assert said[0].endswith("; there are 2 others. Which route would you like?")
    assert said[1].count(" goes via ") == 3
    assert drove.changes == [f"set_new_navigation ['{route_id(MUN, BER, 3)}']"]


def test_a_shortest_route_that_is_not_the_fastest_is_told_with_its_tolls() -> None:
    short = {"distance_km": 90.0, "alias": ["third", "shortest"], "includes_toll": True}
    world = three_ways(**short)
    _, (answer,) = drive("What routes are there to Berlin?", **{**HERE, "world": world})
    fastest, shortest, others = answer.split("; ")
    assert "fastest route goes via A1" in fastest
    assert "without tolls" in fastest
    assert "shortest route goes via A3" in shortest
    assert "with tolls" in shortest
    assert others == "there is 1 other."


def two_bakeries() -> World:
    """Both open, and the first in the list is the farther one."""
    ways = {"poi_bak_1": 9.0, "poi_bak_2": 3.0}
    pois = [
        place(bakery, "bakery", "06:00h - 20:00h", corresponding_location_id=MUN) for bakery in ways
    ]
    routes = [
        {**city_route(MUN, bakery), "route_id": f"rlp_mun_bak_{number}", "distance_km": length}
        for number, (bakery, length) in enumerate(ways.items())
    ]
    return World(world_file(locations=LOCATIONS, pois=pois, routes=routes))


@pytest.mark.parametrize("which", ["next", "nearest", "closest"])
def test_how_far_it_is_to_the_nearest_place_is_told_without_a_question(which: str) -> None:
    here = {**HERE, "world": two_bakeries()}
    _, (answer,) = drive(f"How far is it to the {which} bakery?", **here)
    assert answer.startswith("The nearest bakery is poi_bak_2:")
    assert "3 kilometres" in answer
    assert not answer.endswith("?")
