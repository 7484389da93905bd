import math
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
import yaml

import vehicle_bus
from tests.vehicle_bus.built_world import (
    all_pois,
    all_recipes,
    stored_routes,
)
from tests.vehicle_bus.world.test_world import CONDITIONS
from vehicle_bus.data_folder import shipped
from vehicle_bus.world.build.geography import short_km, straight_km
from vehicle_bus.world.build.sources import read_sources
from vehicle_bus.world.cache import built_world, built_world_path
from vehicle_bus.world.file import WorldFile
from vehicle_bus.world.json_lines import Row, rows
from vehicle_bus.world.places import CATEGORIES, kilometre
from vehicle_bus.world.world import CLOSEST_NAME, World, edit_distance

DATA = shipped("data", beside=vehicle_bus.__file__ or "")
FAR_KM = 7  # off the line between two cities


@pytest.fixture(scope="module")
def small(small_path: Path) -> World:
    return World(WorldFile(small_path))


@pytest.fixture(scope="module")
def pois(small_file: WorldFile) -> list[Row]:
    return all_pois(small_file)


@pytest.fixture(scope="module")
def full() -> WorldFile:
    path, _ = built_world()
    return WorldFile(path)


def written(kind: str) -> list[Row]:
    return list(rows(DATA / "world" / f"{kind}.jsonl"))


def test_what_was_written_by_hand_is_in_it_unchanged(small: World) -> None:
    assert all(small.location(row["id"]) == row for row in written("locations"))
    places = {row["id"] for row in small.locations()}
    for row in (row for row in written("weather") if row["location_id"] in places):
        assert all(small.weather(row["location_id"], month) == row for month in row["months"])
    assert all(small.contact(row["id"]) == row for row in written("contacts"))
    assert all(small.calendar(row["id"]) == row for row in written("calendars"))


def test_the_whole_world_is_as_large_as_promised(full: WorldFile) -> None:
    counts = full.meta["counts"]
    assert counts["locations"] == 48
    assert (counts["contacts"], counts["calendars"]) == (100, 100)
    assert counts["pois"] >= 130_000
    assert counts["routes"] >= 1_700_000
    assert built_world_path().stat().st_size < 200_000_000
    assert set(full.meta["categories"]) == CATEGORIES


def test_the_whole_world_has_no_id_or_phone_number_twice(full: WorldFile) -> None:
    query = "SELECT count(*), count(DISTINCT json_extract(CAST(row AS TEXT), '$.phone_number')) "
    assert full.one(f"{query} FROM poi") == (full.meta["counts"]["pois"],) * 2
    query = "SELECT row FROM entry WHERE kind = 'locations'"
    ids = [place["id"] for place in World(full).locations()]
    assert len({place_id[4:7] for place_id in ids}) == len(ids) == len(full.all(query))


def test_every_route_has_an_id_of_its_own(small_file: WorldFile) -> None:
    stored = [row["route_id"] for row in stored_routes(small_file)]
    derived = [recipe.route_id for recipe in all_recipes(small_file)]
    counts = small_file.meta["counts"]
    assert len(stored) == counts["routes_stored"]
    assert len({*stored, *derived}) == len(stored) + len(derived) == counts["routes"]


def test_every_route_id_leads_where_it_says(small_file: WorldFile, small: World) -> None:
    for recipe in list(all_recipes(small_file))[::17]:
        row = small.route(recipe.route_id)
        assert row is not None
        ends = (row["start_id"], row["destination_id"])
        assert ends == (recipe.start_id, recipe.destination_id)
        start, destination = ends
        key = f"r{start[0]}{destination[0]}_{start[4:7]}_{destination[4:7]}_"
        assert row["route_id"].startswith(key)
        assert row["distance_km"] > 0


def test_plugs_have_ids_of_their_own_and_power_that_fits(pois: list[Row]) -> None:
    plugs = [plug for poi in pois for plug in poi.get("charging_plugs", ())]
    assert len({plug["plug_id"] for plug in plugs}) == len(plugs)
    assert {plug["power_kw"] for plug in plugs if plug["power_type"] == "AC"} == {11, 22}
    assert min(plug["power_kw"] for plug in plugs if plug["power_type"] == "DC") >= 50
    per_station = Counter(len(poi.get("charging_plugs", ())) for poi in pois)
    assert set(per_station) == {0, 1, 2, 3, 4, 5}
    available = Counter(plug["availability"] for plug in plugs)
    assert available["available"] > available["occupied"] > available["maintenance"] > 0


def test_places_lie_near_their_city_or_their_route(small: World, pois: list[Row]) -> None:
    cities = {row["id"]: row["position"] for row in small.locations()}
    parts = {city_id[4:7]: position for city_id, position in cities.items()}
    for poi in pois:
        if "corresponding_location_id" in poi:
            home = cities[poi["corresponding_location_id"]]
            assert short_km(home, poi["position"]) < (14 if poi["category"] == "airports" else 7)
        else:
            direction = poi["corresponding_route_ids"][0][:11]
            start, end = parts[direction[4:7]], parts[direction[8:]]
            assert _off_line_km(start, end, poi["position"]) < FAR_KM


def _off_line_km(start: Row, end: Row, position: Row) -> float:
    scale = math.cos(math.radians(position["latitude"]))
    ax, ay = (start["longitude"] - position["longitude"]) * scale, start["latitude"]
    bx, by = (end["longitude"] - position["longitude"]) * scale, end["latitude"]
    ay, by = ay - position["latitude"], by - position["latitude"]
    off: float = abs(ax * by - ay * bx) / math.hypot(bx - ax, by - ay) * 111.2
    return off


def test_kilometres_count_from_both_ends(small: World, pois: list[Row]) -> None:
    for poi in (poi for poi in pois if "route_positions" in poi):
        there, back = poi["corresponding_route_ids"][0], poi["corresponding_route_ids"][3]
        route = small.route(there)
        assert route is not None
        total = kilometre(poi, there[:11]) + kilometre(poi, back[:11])
        assert total == pytest.approx(route["distance_km"], abs=0.06)


def test_routes_are_believable(small: World) -> None:
    for one, other in combinations(small.locations(), 2):
        straight = straight_km(one["position"], other["position"])
        for row in small.routes(one["id"], other["id"]):
            minutes = 60 * row["duration_hours"] + row["duration_minutes"]
            assert 0.95 * straight < row["distance_km"] < 1.6 * straight
            assert 40 < row["distance_km"] / minutes * 60 < 110
            assert row["includes_toll"] == ("includes toll road" in row["road_types"])
            assert row["road_types"] == sorted(set(row["road_types"]))
            assert 1 <= len(row["name_via"].split(", ")) <= 3
            assert 0 <= row["duration_minutes"] < 60


def test_every_city_has_weather_of_the_whole_day_in_every_month(full: WorldFile) -> None:
    world = World(full)
    slots = [
        slot
        for city in world.locations()
        for month in range(1, 13)
        for slot in (world.weather(city["id"], month) or {"weather": []})["weather"]
    ]
    assert len(slots) == 8 * 48 * 12
    assert {slot["condition"] for slot in slots} == CONDITIONS
    assert all(-16 <= slot["temperature_c"] <= 36 for slot in slots)
    assert all(40 <= slot["humidity_percent"] <= 100 for slot in slots)
    assert all(0 <= slot["wind_speed_kph"] <= 35 for slot in slots)


def test_meetings_are_with_contacts_in_known_cities(full: WorldFile) -> None:
    world = World(full)
    names = {city["name"] for city in world.locations()}
    query = "SELECT json_extract(CAST(row AS TEXT), '$.id') FROM entry WHERE kind = 'calendars'"
    days = [world.calendar(calendar_id) or {} for (calendar_id,) in full.all(query)]
    assert len({day["id"] for day in days}) == 100
    for day in days:
        first, second = day["meetings"]
        assert first["start"]["hour"] <= second["start"]["hour"]
        for meeting in (first, second):
            assert meeting["location"] in names
            assert 2 <= len(set(meeting["attendees"])) == len(meeting["attendees"]) <= 5
            assert all(world.contact(contact_id) for contact_id in meeting["attendees"])


def test_contacts_are_distinct(full: WorldFile) -> None:
    people = World(full).contacts()
    for part in ("id", "email", "phone_number"):
        assert len({row[part] for row in people}) == 100
    assert len({tuple(row["name"].values()) for row in people}) == 100


def test_names_drawn_are_unlike_those_written_by_hand() -> None:
    drawn = yaml.safe_load((DATA / "atlas" / "people.yaml").read_text(encoding="utf-8"))
    for part in ("first_name", "last_name"):
        for name in drawn[f"{part}s"]:
            for row in written("contacts"):
                known = row["name"][part].lower()
                assert edit_distance(name.lower(), known, CLOSEST_NAME) > CLOSEST_NAME


def test_no_two_cities_are_two_letters_apart() -> None:
    names = [city.row["name"].lower() for city in read_sources().cities]
    for one, other in combinations(names, 2):
        assert edit_distance(one, other, CLOSEST_NAME) > CLOSEST_NAME


def test_every_city_of_the_atlas_has_a_climate_and_every_airport_a_city() -> None:
    sources = read_sources()
    names = {city.row["name"] for city in sources.cities}
    assert set(sources.climate) == names
    assert sum(city.airport is not None for city in sources.cities) >= 17
