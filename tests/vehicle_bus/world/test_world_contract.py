"""What every world holds to, whether it is built, read from files, or imported from them."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.vehicle_bus.built_world import all_pois
from vehicle_bus.world.file import WorldFile
from vehicle_bus.world.importing import read_world
from vehicle_bus.world.json_lines import Row
from vehicle_bus.world.places import CATEGORIES, DIRECTION, kilometre
from vehicle_bus.world.world import World

Worlds = dict[str, World]
ANY_FIXTURE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
UNKNOWN = (
    "",
    "x",
    "loc_",
    "poi_res_1",
    "rll_mun_ber_000000",
    "rlp_xyz_res_123456",
    "rlp_mun_res_x",
)


@pytest.fixture(scope="session")
def worlds(small_path: Path, public_folder: Path, imported_path: Path) -> Worlds:
    return {
        "built": World(WorldFile(small_path)),
        "files": read_world(public_folder),
        "imported": World(WorldFile(imported_path)),
    }


@pytest.fixture(params=["built", "files", "imported"])
def world(request: pytest.FixtureRequest, worlds: Worlds) -> World:
    name: str = request.param
    return worlds[name]


@pytest.fixture(scope="session")
def pois(small_file: WorldFile) -> list[Row]:
    return all_pois(small_file)


def minutes(route: Row) -> int:
    return int(60 * route["duration_hours"] + route["duration_minutes"])


def same(worlds: Worlds, question: str, *about: Any) -> Any:
    """What all worlds answer."""
    answers = [getattr(world, question)(*about) for world in worlds.values()]
    assert answers[0] == answers[1] == answers[2]
    return answers[0]


def test_cities_have_three_routes_each_way_the_fastest_first(world: World) -> None:
    ids = [row["id"] for row in world.locations()]
    for start, end in ((a, b) for a in ids for b in ids if a != b):
        routes = world.routes(start, end)
        assert len(routes) == 3
        assert all(minutes(one) <= minutes(next_one) for one, next_one in pairwise(routes))
        assert all((row["start_id"], row["destination_id"]) == (start, end) for row in routes)
        aliases = [row["alias"] for row in routes]
        assert [alias[0] for alias in aliases] == ["fastest", "second", "third"]
        [shortest] = [row for row in routes if "shortest" in row["alias"]]
        assert shortest["distance_km"] == min(row["distance_km"] for row in routes)
        back = world.routes(end, start)
        assert [row["distance_km"] for row in back] == [row["distance_km"] for row in routes]
    assert world.routes(ids[0], ids[0]) == []


def test_routes_are_found_by_their_ids(world: World) -> None:
    start, end = (world.locations()[number]["id"] for number in (0, 4))
    place = world.pois_at(end, "restaurants")[0]["id"]
    ends = [(start, end), (start, place), (end, place), (place, start), (place, end)]
    for pair in ends:
        routes = world.routes(*pair)
        assert len(routes) == (2 if pair in ((end, place), (place, end)) else 3)
        assert all(world.route(row["route_id"]) == row for row in routes)


def test_a_place_on_the_way_is_reached_by_parts_of_the_route(world: World) -> None:
    start, end = (world.locations()[number]["id"] for number in (0, 5))
    for route in world.routes(start, end):
        for poi in world.pois_along(route["route_id"], "parking", None, 25):
            to_place, from_place = world.routes(start, poi["id"]), world.routes(poi["id"], end)
            parts = [
                [row for row in rows if row["base_route_id"] == route["route_id"]]
                for rows in (to_place, from_place)
            ]
            assert [len(part) for part in parts] == [1, 1]
            detour_km = sum(part[0]["distance_km"] for part in parts) - route["distance_km"]
            assert 1 < detour_km < 12


def test_places_along_a_route_are_around_the_kilometre(world: World) -> None:
    start, end = (world.locations()[number]["id"] for number in (0, 5))
    route_id = world.routes(start, end)[0]["route_id"]
    everywhere = world.pois_along(route_id, "bakery", None, 25)
    kilometres = [kilometre(poi, route_id[:DIRECTION]) for poi in everywhere]
    assert kilometres == [50.0 * number for number in range(1, len(everywhere) + 1)]
    near = world.pois_along(route_id, "bakery", 75, 25)
    assert [kilometre(poi, route_id[:DIRECTION]) for poi in near] == [50, 100]
    assert world.pois_along(route_id, "airports", None, 25) == []
    assert world.pois_along(f"{route_id[:DIRECTION]}_000001", "bakery", None, 25) == []


def test_places_are_found_by_location_and_id(world: World) -> None:
    for city in world.locations():
        for category in CATEGORIES:
            found = world.pois_at(city["id"], category)
            assert len(found) == 2 or (category == "airports" and len(found) < 2)
            assert all(world.poi(poi["id"]) == poi for poi in found)
            assert all(poi["corresponding_location_id"] == city["id"] for poi in found)
    assert all(map(world.has_category, CATEGORIES))
    assert not world.has_category("zoos")


@pytest.mark.parametrize("unknown", UNKNOWN)
def test_what_is_unknown_is_nowhere(world: World, unknown: str) -> None:
    munich = "loc_mun_9995"
    assert world.poi(unknown) is None
    assert world.route(unknown) is None
    assert world.routes(munich, unknown) == world.routes(unknown, munich) == []
    assert world.pois_at(unknown, "bakery") == world.pois_along(unknown, "bakery", 5, 25) == []
    assert world.stored_detour(unknown, unknown) is None


@ANY_FIXTURE
@given(data=st.data())
def test_all_worlds_give_the_same_answers(
    worlds: Worlds, pois: list[Row], data: st.DataObject
) -> None:
    cities = [row["id"] for row in worlds["files"].locations()]
    city, other = data.draw(st.sampled_from(cities)), data.draw(st.sampled_from(cities))
    poi = data.draw(st.sampled_from(pois))
    category = data.draw(st.sampled_from(sorted(CATEGORIES)))
    at_km = data.draw(st.none() | st.floats(0, 2000))
    assert same(worlds, "poi", poi["id"]) == poi
    same(worlds, "pois_at", city, category)
    routes = [
        *same(worlds, "routes", city, other),
        *same(worlds, "routes", city, poi["id"]),
        *same(worlds, "routes", poi["id"], city),
    ]
    for route in routes:
        route_id = route["route_id"]
        assert same(worlds, "route", route_id) == route
        same(worlds, "pois_along", route_id, category, at_km, 25)


@ANY_FIXTURE
@given(st.from_regex(r"\A(rll|rlp|rpl|rpp)_[a-zü]{3}_[a-z]{3}_[0-9]{0,7}\Z"))
def test_made_up_route_ids_are_known_to_all_worlds_or_to_none(
    worlds: Worlds, route_id: str
) -> None:
    same(worlds, "route", route_id)


def test_people_and_weather_are_the_same_everywhere(worlds: Worlds) -> None:
    assert same(worlds, "locations")
    assert same(worlds, "contacts")
    for city in worlds["built"].locations():
        assert all(same(worlds, "weather", city["id"], month) for month in (1, 7))
        assert same(worlds, "location_named", city["name"].upper()) == city


def test_several_threads_may_ask_at_once(worlds: Worlds, pois: list[Row]) -> None:
    built = worlds["built"]
    ids = [poi["id"] for poi in pois[::5]]

    def ask(place: str) -> list[Row]:
        return [*built.routes("loc_mun_9995", place), built.poi(place) or {}]

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(ask, ids)) == [ask(place) for place in ids]
