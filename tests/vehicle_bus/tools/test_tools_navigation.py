from typing import Any

import pytest

from tests.vehicle_bus.cars import call, error, result
from tests.vehicle_bus.small_world import (
    BER,
    CAFE,
    ESS,
    HAM,
    LOCATIONS,
    MOTEL,
    MUN,
    PLACES,
    SMALL,
    car,
    city_route,
    route_id,
    said,
    world_file,
)
from vehicle_bus.car.state import CarSetup, Compat
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

BOTH: tuple[Compat, ...] = ("codriver", "car-bench")
DESTINATION = "Vehicle.Cabin.Infotainment.Navigation.DestinationSet"
REDIRECT = "navigation_replace_final_destination"
SHORTEN = "navigation_delete_destination"
INVALID = ("INVALID_ARGUMENTS", False)


def trip(vehicle: Vehicle) -> tuple[list[str], list[str]]:
    state = vehicle.snapshot()
    return state["waypoints_id"], state["routes_to_final_destination_id"]


def test_a_new_trip_leads_along_its_routes() -> None:
    vehicle = car()
    seen = result(
        vehicle, "set_new_navigation", route_ids=[route_id(MUN, BER), route_id(BER, HAM, 2)]
    )
    assert seen == {
        "navigation_set": True,
        "start_id": MUN,
        "waypoints": [MUN, BER, HAM],
        "destination_id": HAM,
    }
    assert trip(vehicle) == ([MUN, BER, HAM], ["rll_mun_ber_1", "rll_ber_ham_2"])
    assert vehicle.snapshot()["navigation_active"] is True


@pytest.mark.parametrize(
    ("route_ids", "ours", "public"),
    [
        (["rll_mun_ber"], INVALID, INVALID),
        (["rll mun ber 1"], 2, 2),
        (["rll_mun_ber_99"], 3, INVALID),
        (["rll_mun_ber_1", "x x x"], 2, 4),
        (["rll_mun_ber_1", "x"], INVALID, 4),
        (["rll_mun_ber_1", "rll_ber_ham_9"], 4, 4),
        (["rll_mun_ber_1", "rll_ham_ess_1"], 5, 5),
        ("rll_mun_ber_1", INVALID, INVALID),
    ],
)
def test_routes_that_make_no_trip_are_refused(
    route_ids: Any, ours: tuple[str, bool] | int, public: tuple[str, bool] | int
) -> None:
    for compat, refused in zip(BOTH, (ours, public), strict=True):
        vehicle = car(compat)
        expected = (f"SET_NAVIGATION_{refused:03}", True) if isinstance(refused, int) else refused
        assert error(vehicle, "set_new_navigation", route_ids=route_ids) == expected
        assert vehicle.revision == 0


@pytest.mark.parametrize("compat", BOTH)
def test_a_trip_is_not_replaced_by_a_new_one(compat: Compat) -> None:
    vehicle = car(compat, MUN, BER)
    refused = error(vehicle, "set_new_navigation", route_ids=[route_id(MUN, HAM)])
    assert refused == ("SET_NAVIGATION_001", True)
    result(vehicle, "delete_current_navigation")
    result(vehicle, "set_new_navigation", route_ids=[route_id(MUN, HAM)])


@pytest.mark.parametrize(
    ("route_ids", "active"), [("", True), ({}, True), (None, False), (0, False), ("rll", False)]
)
def test_what_is_no_list_of_routes_is_refused(route_ids: Any, active: bool) -> None:
    public = car("car-bench")
    assert error(public, "set_new_navigation", route_ids=route_ids) == INVALID
    assert public.state.navigation_active is active
    under_way = car("car-bench", navigation_active=True)
    assert error(under_way, "set_new_navigation", route_ids=route_ids) == (
        *("SET_NAVIGATION_001", True),
    )


@pytest.mark.parametrize(
    ("detailed", "told"), [(None, False), ("true", True), ("false", True), (0, False)]
)
def test_details_are_told_for_whatever_is_no_nothing(detailed: Any, told: bool) -> None:
    seen = result(
        car("car-bench"), "get_current_navigation_state", detailed_information=detailed
    )  # fmt: skip
    assert ("details" in seen) is told


def test_an_empty_trip_is_active_only_in_the_public_benchmark() -> None:
    ours, public = car(), car("car-bench")
    assert error(ours, "set_new_navigation", route_ids=[]) == INVALID
    assert ours.snapshot()["navigation_active"] is False
    assert error(public, "set_new_navigation", route_ids=[]) == INVALID
    assert public.snapshot()["navigation_active"] is True
    redirect = {"new_destination_id": BER, "route_id_leading_to_new_destination": "rll_mun_ber_1"}
    assert error(public, REDIRECT, **redirect) == INVALID
    seen = result(public, "delete_current_navigation")
    assert seen == {"navigation_active": False, "new_waypoints": [], "new_routes": []}


@pytest.mark.parametrize("compat", BOTH)
def test_a_trip_gets_another_destination(compat: Compat) -> None:
    vehicle = car(compat, MUN, BER, HAM)
    seen = result(
        vehicle,
        REDIRECT,
        new_destination_id=ESS,
        route_id_leading_to_new_destination=route_id(BER, ESS, 2),
    )
    assert seen["destination_replaced"] is True
    assert (seen["new_waypoints"], seen["new_routes"]) == trip(vehicle)
    assert trip(vehicle) == ([MUN, BER, ESS], ["rll_mun_ber_1", "rll_ber_ess_2"])


@pytest.mark.parametrize(
    ("active", "destination", "route", "number", "code"),
    [
        (True, "berlin_city", "rll_mun_ber_1", 1, "NavigationReplaceFinalDestination_001"),
        (True, BER, "rll-mun-ber-1", 2, "NavigationReplaceFinalDestination_002"),
        (False, BER, "rll_mun_ber_99", 3, "AUT-POL:017"),
        (True, BER, "rll_mun_ber_99", 5, "NavigationReplaceFinalDestination_004"),
        (True, ESS, "rll_mun_ber_1", 6, "NavigationReplaceFinalDestination_005"),
        (True, HAM, "rll_ber_ham_1", 10, "NavigationReplaceFinalDestination_007"),
    ],
)
@pytest.mark.parametrize("compat", BOTH)
def test_a_wrong_destination_is_refused_under_a_borrowed_key(
    active: bool, destination: str, route: str, number: int, code: str, compat: Compat
) -> None:
    vehicle = car(compat, *((MUN, ESS) if active else ()))
    handled = call(
        vehicle,
        REDIRECT,
        new_destination_id=destination,
        route_id_leading_to_new_destination=route,
    )
    key = f"NAVIGATION_REPLACE_ONE_WAYPOINT_{number:03}"
    assert said(handled.output)["errors"][key].startswith(f"{code}: ")
    assert (handled.error, handled.logged, vehicle.revision) == (key, True, 0)


def test_only_our_own_car_drives_back_to_the_start() -> None:
    back = {"new_destination_id": MUN, "route_id_leading_to_new_destination": "rll_ber_mun_1"}
    ours = car("codriver", MUN, BER, HAM)
    assert result(ours, REDIRECT, **back)["new_waypoints"] == [MUN, BER, MUN]
    refused = error(car("car-bench", MUN, BER, HAM), REDIRECT, **back)
    assert refused == ("NAVIGATION_REPLACE_ONE_WAYPOINT_008", True)


@pytest.mark.parametrize("compat", BOTH)
def test_a_trip_ends_at_the_last_stop_on_the_way(compat: Compat) -> None:
    vehicle = car(compat, MUN, BER, HAM)
    assert error(vehicle, SHORTEN, destination_id_to_delete="Berlin__4") == (
        "NAVIGATION_DELETE_DESTINATION_001",
        True,
    )
    assert error(vehicle, SHORTEN, destination_id_to_delete=BER) == (
        "NAVIGATION_DELETE_DESTINATION_004",
        True,
    )
    seen = result(vehicle, SHORTEN, destination_id_to_delete=HAM)
    assert seen["new_waypoints"] == [MUN, BER]
    handled = call(vehicle, SHORTEN, destination_id_to_delete=BER)
    assert handled.error == "NAVIGATION_DELETE_DESTINATION_003"
    assert "AUT-POL:019: " in handled.output
    handled = call(car(compat), SHORTEN, destination_id_to_delete=BER)
    assert handled.error == "NAVIGATION_DELETE_DESTINATION_002"
    assert "AUT-POL:017: " in handled.output


def test_the_state_of_the_navigation_is_given_in_short_or_in_detail() -> None:
    vehicle = car("codriver", MUN, BER)
    short = {
        "navigation_active": True,
        "waypoints_id": [MUN, BER],
        "routes_to_final_destination_id": ["rll_mun_ber_1"],
    }
    assert result(vehicle, "get_current_navigation_state") == short
    seen = result(vehicle, "get_current_navigation_state", detailed_information=True)
    assert seen == short | {
        "details": {
            "waypoints": [SMALL.location(MUN), SMALL.location(BER)],
            "routes": [city_route(MUN, BER)],
        }
    }


def test_what_nobody_knows_has_no_details() -> None:
    waypoints, routes = ["loc_x", MOTEL, "poi_x", "home"], ["rll_x"]
    vehicle = car("codriver", waypoints_id=waypoints, routes_to_final_destination_id=routes)
    details = result(vehicle, "get_current_navigation_state", detailed_information=True)["details"]
    nowhere, motel, nothing, home = details["waypoints"]
    assert (nowhere, motel, nothing) == (None, PLACES[2], None)
    assert (home["id"], details["routes"][0]["id"]) == ("home", "rll_x")
    assert home["error"]
    assert details["routes"][0]["error"]


def test_the_route_of_the_navigation_is_published() -> None:
    vehicle = car()
    assert vehicle.signals()[f"{DESTINATION}.Latitude"] is None
    handled = call(vehicle, "set_new_navigation", route_ids=[route_id(MUN, BER)])
    assert dict(handled.changes) == {
        "Vehicle.Codriver.Navigation.IsActive": True,
        "Vehicle.Codriver.Navigation.Waypoints": [MUN, BER],
        "Vehicle.Codriver.Navigation.Routes": ["rll_mun_ber_1"],
        f"{DESTINATION}.Latitude": 52.5,
        f"{DESTINATION}.Longitude": 13.4,
    }
    assert vehicle.signals()[f"{DESTINATION}.Longitude"] == 13.4
    handled = call(vehicle, "delete_current_navigation")
    assert dict(handled.changes)[f"{DESTINATION}.Latitude"] is None
    assert call(vehicle, "set_fan_speed", level=1).changes[0][0].endswith("FanSpeed")


@pytest.mark.parametrize(
    "removed",
    ["get_current_navigation_state", "result.get_current_navigation_state.waypoints_id"],
)
def test_the_bus_does_not_tell_what_was_removed(removed: str) -> None:
    vehicle = Vehicle(CarSetup(removed=(removed,)), SMALL)
    handled = call(vehicle, "set_new_navigation", route_ids=[route_id(MUN, BER)])
    seen = vehicle.signals().keys() | dict(handled.changes).keys()
    assert not {path for path in seen if "Waypoints" in path or path.startswith(DESTINATION)}


@pytest.mark.parametrize("compat", BOTH)
def test_routes_between_two_points_are_named_fastest_first(compat: Compat) -> None:
    def asked(start: str, destination: str) -> dict[str, str]:
        return {"start_id": start, "destination_id": destination}

    vehicle, tool = car(compat), "get_routes_from_start_to_destination"
    seen = result(vehicle, tool, **asked(MUN, BER))
    assert seen == {"routes": [city_route(MUN, BER), city_route(MUN, BER, 2)]}
    to_motel = result(vehicle, tool, **asked(MUN, MOTEL))["routes"][0]
    assert (to_motel["distance_km"], to_motel["base_route_id"]) == (42.0, "rll_mun_ber_1")
    for start, destination, number in (
        ("Munich..", BER, 1),
        (MUN, "Berlin..", 2),
        (MOTEL, CAFE, 3),
        (MUN, MUN, 4),
        (HAM, MOTEL, 5),
        (MOTEL, HAM, 6),
    ):
        refused = error(vehicle, tool, **asked(start, destination))
        assert refused == (f"GET_ROUTES_{number:03}", True)
    assert error(vehicle, tool, **asked("loc", BER)) == INVALID


@pytest.mark.parametrize(("compat", "told"), [("codriver", (2, 0)), ("car-bench", (1, 60))])
def test_sixty_minutes_are_an_hour_but_in_the_public_benchmark(
    compat: Compat, told: tuple[int, int]
) -> None:
    long = {**city_route(MUN, BER), "duration_hours": 1, "duration_minutes": 60}
    world = World(world_file(locations=LOCATIONS, routes=[long]))
    start = {
        "navigation_active": True,
        "waypoints_id": (MUN, BER),
        "routes_to_final_destination_id": (long["route_id"],),
    }
    vehicle = Vehicle(CarSetup(start=start, compat=compat), world)
    ends = {"start_id": MUN, "destination_id": BER}
    state = result(vehicle, "get_current_navigation_state", detailed_information=True)
    for route in (
        *result(vehicle, "get_routes_from_start_to_destination", **ends)["routes"],
        *state["details"]["routes"],
    ):
        assert (route["duration_hours"], route["duration_minutes"]) == told


def test_minutes_and_kilometres_of_a_route_are_converted() -> None:
    tool, route = "convert_route_distance_and_time", {"route_id": route_id(MUN, BER, 2)}
    for compat in BOTH:
        assert result(car(compat), tool, **route, time_minutes=30) == {"distance_km": 48.0}
        assert result(car(compat), tool, **route, distance_km=33.3) == {"time_minutes": 20.8}
        assert result(car(compat), tool, **route, time_minutes=75.0, distance_km=None) == {
            "distance_km": 120.0
        }


@pytest.mark.parametrize(
    ("route", "amounts", "key"),
    [
        ("rll mun", {"time_minutes": 1}, "CONVERT_RTDT_001"),
        ("rll_mun_ber_1", {"time_minutes": 1, "distance_km": 1}, "CONVERT_RTDT_002"),
        ("rll_mun_ber_1", {}, "CONVERT_RTDT_003"),
        ("rll_mun_ber_99", {"time_minutes": 1}, "CONVERT_RTDT_004"),
        ("rll_mun_ber_1", {"time_minutes": 60.5}, "CONVERT_RTDT_005"),
        ("rll_mun_ber_1", {"distance_km": 101}, "CONVERT_RTDT_006"),
        ("rll_mun_ber_1", {"distance_km": "all"}, "CONVERT_RTDT_ERR"),
    ],
)
@pytest.mark.parametrize("compat", BOTH)
def test_what_cannot_be_converted_has_its_key(
    route: str, amounts: dict[str, Any], key: str, compat: Compat
) -> None:
    tool = "convert_route_distance_and_time"
    assert error(car(compat), tool, route_id=route, **amounts) == (key, True)


def test_less_than_nothing_is_converted_only_in_the_public_benchmark() -> None:
    asked = {"route_id": "rll_mun_ber_1", "time_minutes": -30}
    tool = "convert_route_distance_and_time"
    assert result(car("car-bench"), tool, **asked) == {"distance_km": -50.0}
    assert error(car(), tool, **asked) == INVALID
