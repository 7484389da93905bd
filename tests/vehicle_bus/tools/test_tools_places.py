from typing import Any

import pytest

from tests.vehicle_bus.cars import call, error, result
from tests.vehicle_bus.small_world import (
    BER,
    CAFE,
    CITIES,
    HAM,
    LOCATIONS,
    MOTEL,
    MUN,
    NIGHT,
    PLACES,
    PUMP,
    SMALL,
    car,
    city_routes,
    recipes,
    route_id,
    said,
    world_file,
)
from vehicle_bus.car.state import CarSetup, Compat
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.places import is_open
from vehicle_bus.world.world import World

BOTH: tuple[Compat, ...] = ("codriver", "car-bench")
AT, ALONG = "search_poi_at_location", "search_poi_along_the_route"
NAME = "get_location_id_by_location_name"
NOON = {"year": 2025, "month": 2, "day": 14, "hour": 12, "minute": 0}
INVALID = ("INVALID_ARGUMENTS", False)


def minute(clock: str) -> int:
    hours, minutes = clock.split(":")
    return 60 * int(hours) + int(minutes)


@pytest.mark.parametrize(
    ("hours", "open_at", "closed_at"),
    [
        ("08:00h - 16:00h", ("08:00", "12:30", "16:00"), ("07:59", "16:01")),
        ("20:00h - 04:00h", ("20:00", "23:59", "00:00", "04:00"), ("04:01", "19:59")),
        ("00:00h - 24:00h", ("00:00", "12:00", "23:59"), ()),
        ("18:00h - 24:00h", ("18:00", "23:59"), ("00:00", "17:59")),
        ("", (), ("12:00",)),
        ("all day", (), ("12:00",)),
    ],
)
def test_opening_hours_include_both_ends(
    hours: str, open_at: tuple[str, ...], closed_at: tuple[str, ...]
) -> None:
    assert all(is_open(hours, minute(clock)) for clock in open_at)
    assert not any(is_open(hours, minute(clock)) for clock in closed_at)


@pytest.mark.parametrize("compat", BOTH)
def test_places_at_a_location_are_named_as_the_world_has_them(compat: Compat) -> None:
    found = result(car(compat), AT, location_id=MUN, category_poi="restaurants")
    assert found == {"pois_found": [PLACES[0]]}
    assert result(car(compat), AT, location_id=BER, category_poi="parking") == {"pois_found": []}


@pytest.mark.parametrize(("hour", "found"), [(9, 0), (12, 1), (15, 0)])
def test_only_open_places_are_found_when_asked_for(hour: int, found: int) -> None:
    vehicle = car(current_datetime=NOON | {"hour": hour})
    asked = {"location_id": MUN, "category_poi": "restaurants", "filters": ["any::currently_open"]}
    assert len(result(vehicle, AT, **asked)["pois_found"]) == found


@pytest.mark.parametrize(
    ("asked", "ours", "public"),
    [
        ({"location_id": "Munich.."}, ("_001", True), ("_001", True)),
        ({"category_poi": ""}, ("_003", False), ("_003", False)),
        ({"category_poi": 7}, ("_003", False), ("_003", False)),
        ({"category_poi": "castles"}, INVALID, None),
        ({"filters": ["any::cheap"]}, ("_003", True), ("_003", True)),
        ({"filters": "any::currently_open"}, ("_003", True), ("_003", True)),
        ({"filters": ["any::sort_by_distance"]}, ("_003", True), None),
        ({"filters": ["charging_stations::has_dc_plug"]}, ("_003", True), None),
        ({"location_id": "loc_xyz_1"}, ("_004", True), ("_004", True)),
        ({"location_id": MOTEL}, ("_004", True), ("_004", True)),
        ({"location_id": "loc"}, INVALID, INVALID),
    ],
)
def test_a_search_that_makes_no_sense_is_refused_unless_the_public_one_allows_it(
    asked: dict[str, Any], ours: tuple[str, bool] | None, public: tuple[str, bool] | None
) -> None:
    for compat, refused in zip(BOTH, (ours, public), strict=True):
        arguments = {"location_id": MUN, "category_poi": "restaurants", **asked}
        if refused is None:
            result(car(compat), AT, **arguments)
        else:
            key, logged = refused
            key = f"SEARCH_POI_AT_LOC{key}" if key.startswith("_") else key
            assert error(car(compat), AT, **arguments) == (key, logged)


def test_the_nearest_in_time_along_a_route_comes_first() -> None:
    asked = {"route_id": route_id(MUN, BER), "category_poi": "restaurants"}
    for compat in BOTH:
        vehicle = car(compat, current_datetime=NOON | {"hour": 20})
        found = result(vehicle, ALONG, **asked)["pois_found_along_route"]
        assert [poi["id"] for poi in found] == [NIGHT, MOTEL]
        assert found[0] == {
            **PLACES[3],
            "detour_from_route_km": {"detour": 2.0, "unit": "km"},
            "detour_from_route_time": {"hour": 0, "minutes": 4},
        }
        closed = result(vehicle, ALONG, **asked, at_kilometer=20, filters=["any::currently_open"])
        assert [poi["id"] for poi in closed["pois_found_along_route"]] == [MOTEL]


def test_a_stored_detour_stands_in_for_unknown_segments() -> None:
    searched = route_id(MUN, BER)
    times = {PUMP: 65, MOTEL: 5, NIGHT: 9}
    detours = {
        (poi_id, searched): {
            "detour_from_route_km": {"detour": 70.0 - minutes, "unit": "km"},
            "detour_from_route_time": {"hour": minutes // 60, "minutes": minutes % 60},
        }
        for poi_id, minutes in times.items()
    }
    world = World(world_file(pois=PLACES, routes=city_routes(), detours=detours))
    vehicle = Vehicle(CarSetup(), world)
    found = result(vehicle, ALONG, route_id=searched, category_poi="restaurants")
    assert [poi["id"] for poi in found["pois_found_along_route"]] == [MOTEL, NIGHT]
    by_distance = result(
        vehicle,
        ALONG,
        route_id=searched,
        category_poi="restaurants",
        filters=["any::sort_by_distance"],
    )
    assert [poi["id"] for poi in by_distance["pois_found_along_route"]] == [NIGHT, MOTEL]
    (pump,) = result(
        vehicle, ALONG, route_id=searched, category_poi="charging_stations", at_kilometer=30
    )["pois_found_along_route"]
    assert pump["detour_from_route_time"] == {"hour": 1, "minutes": 5}
    assert pump["charging_plugs"] == PLACES[1]["charging_plugs"]


def test_at_most_three_places_are_named() -> None:
    extra = [{**PLACES[2], "id": f"poi_res_{number}"} for number in range(20, 25)]
    detours = {
        (poi["id"], route_id(MUN, BER)): {
            "detour_from_route_km": {"detour": 1.0, "unit": "km"},
            "detour_from_route_time": {"hour": 0, "minutes": 30 - index},
        }
        for index, poi in enumerate(extra)
    }
    world = World(world_file(pois=extra, routes=city_routes(), detours=detours))
    vehicle = Vehicle(CarSetup(), world)
    found = result(vehicle, ALONG, route_id=route_id(MUN, BER), category_poi="restaurants")
    seen = [poi["id"] for poi in found["pois_found_along_route"]]
    assert seen == ["poi_res_24", "poi_res_23", "poi_res_22"]


@pytest.mark.parametrize(
    ("asked", "ours", "public"),
    [
        ({"route_id": "rll mun"}, ("_002", True), ("_002", True)),
        ({"category_poi": ""}, ("_003", True), ("_003", True)),
        ({"category_poi": "castles"}, INVALID, ("_007", True)),
        ({"category_poi": "charging_stations"}, ("_007", True), ("_007", True)),
        ({"category_poi": " Charging_Stations"}, INVALID, ("_007", True)),
        ({"route_id": "rll_mun_ber_99"}, ("_004", True), ("_004", True)),
        ({"route_id": f"rlp_mun_res_{10 * 7 + 1}"}, ("_006", True), ("_006", True)),
        ({"category_poi": "bakery"}, ("_007", True), ("_007", True)),
        ({"filters": ["any::cheap"]}, ("_006", False), ("_006", False)),
        ({"filters": ["any::cheap"], "at_kilometer": 0}, ("_006", False), None),
        ({"filters": ["charging_stations::has_dc_plug"]}, ("_006", False), None),
        ({"at_kilometer": "50"}, INVALID, INVALID),
        ({"route_id": route_id(BER, MUN)}, None, None),
    ],
)
def test_a_search_along_a_route_that_makes_no_sense_is_refused(
    asked: dict[str, Any], ours: tuple[str, bool] | None, public: tuple[str, bool] | None
) -> None:
    for compat, refused in zip(BOTH, (ours, public), strict=True):
        arguments = {"route_id": route_id(MUN, BER), "category_poi": "restaurants", **asked}
        if refused is None:
            assert result(car(compat), ALONG, **arguments) == {"pois_found_along_route": []}
        else:
            key, logged = refused
            key = f"SEARCH_POI_ATR{key}" if key.startswith("_") else key
            assert error(car(compat), ALONG, **arguments) == (key, logged)


def test_early_failures_of_the_public_search_carry_no_status() -> None:
    arguments = {"route_id": route_id(MUN, BER), "category_poi": "charging_stations"}
    for compat in BOTH:
        vehicle = car(compat)
        handled = call(vehicle, ALONG, **arguments)
        assert handled.status == "FAILURE"
        assert ("status" in said(handled.output)) is (compat == "codriver")


def test_a_place_without_segments_is_skipped_one_of_another_route_is_an_error() -> None:
    searched = {"route_id": route_id(MUN, BER), "category_poi": "restaurants"}
    made = [recipe for recipe in recipes() if MOTEL in (recipe.start_id, recipe.destination_id)]
    world = World(world_file(pois=PLACES, routes=city_routes(), recipes=made))
    found = result(Vehicle(CarSetup(), world), ALONG, **searched)["pois_found_along_route"]
    assert [poi["id"] for poi in found] == [MOTEL]
    second = [recipe for recipe in made if recipe.base_route_id.endswith("_2")]
    world = World(world_file(pois=PLACES, routes=city_routes(), recipes=second))
    refused = error(Vehicle(CarSetup(), world), ALONG, **searched)
    assert refused == ("SEARCH_POI_ATR_005", False)


@pytest.mark.parametrize(
    ("name", "ours", "public"),
    [
        ("Munich", MUN, MUN),
        ("munihc", MUN, MUN),
        ("Berlni", BER, BER),
        ("Hamburgg", HAM, HAM),
        ("Bern", None, BER),
        ("Bamberg", None, HAM),
        ("Paris", None, None),
        ("München", None, None),
    ],
)
def test_a_location_is_found_by_nearly_its_name(
    name: str, ours: str | None, public: str | None
) -> None:
    for compat, expected in zip(BOTH, (ours, public), strict=True):
        if expected:
            assert result(car(compat), NAME, location=name) == {"id": expected}
        else:
            assert error(car(compat), NAME, location=name) == (
                "GET_LOCATION_ID_BY_LOCATION_NAME_004",
                True,
            )


def test_a_known_name_of_another_town_is_no_slip_of_the_pen() -> None:
    bologna = [{**LOCATIONS[0], "id": "loc_bol_1", "name": "Bologna"}]
    vehicle = Vehicle(CarSetup(), World(world_file(locations=bologna)))
    assert result(vehicle, NAME, location="Bolonga") == {"id": "loc_bol_1"}
    assert error(vehicle, NAME, location="Cologne")[0] == "GET_LOCATION_ID_BY_LOCATION_NAME_004"


def test_who_asks_for_an_unknown_place_hears_which_ones_have_a_route_from_here() -> None:
    here = {"id": MUN, "name": "Munich", "position": {"longitude": 11.6, "latitude": 48.1}}
    near = "; from here there are routes to Essen, Berlin, Hamburg"
    for compat, told in zip(BOTH, (near, ""), strict=True):
        vehicle = Vehicle(CarSetup(start={"current_location": here}, compat=compat), SMALL)
        assert call(vehicle, NAME, location="Paris").output.endswith(f'nor nearly so{told}"}}}}')


@pytest.mark.parametrize("name", ["", 7, None, ["Berlin"]])
def test_what_is_no_name_is_refused(name: Any) -> None:
    assert error(car(), NAME, location=name) == ("GET_LOCATION_ID_BY_LOCATION_NAME_002", True)


def test_the_weather_of_a_place_is_that_of_its_location() -> None:
    slot = {"start_time": "00:00", "end_time": "24:00", "condition": "sunny"}
    weather = [
        {"location_id": key, "weather": [{**slot, "condition": f"over {key}"}]} for key in CITIES
    ]
    world = World(world_file(locations=LOCATIONS, weather=weather, pois=PLACES))

    def asked(place_id: str) -> dict[str, Any]:
        return {"location_or_poi_id": place_id, "month": 2, "day": 14, "time_hour_24hformat": 12}

    ours = Vehicle(CarSetup(), world)
    public = Vehicle(CarSetup(compat="car-bench"), world)
    seen = result(ours, "get_weather", **asked(CAFE))["current_slot"]["condition"]
    assert seen == f"over {MUN}"
    seen = result(ours, "get_weather", **asked(MOTEL))["current_slot"]["condition"]
    assert seen == f"over {MUN}"
    assert error(public, "get_weather", **asked(MOTEL)) == ("GET_WEATHER_002", True)
    assert error(ours, "get_weather", **asked("poi_x")) == ("GET_WEATHER_002", True)
