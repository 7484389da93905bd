import json
from pathlib import Path
from typing import Any

import pytest

from tests.vehicle_bus.small_world import (
    BER,
    CAFE,
    HAM,
    MOTEL,
    MUN,
    NIGHT,
    PLACES,
    PUMP,
    SMALL,
    city_route,
    route_id,
    world_file,
)
from vehicle_bus.world.importing import read_world
from vehicle_bus.world.json_lines import WorldError
from vehicle_bus.world.recipe import Recipe
from vehicle_bus.world.world import World

FASTEST, SECOND = city_route(MUN, BER), city_route(MUN, BER, 2)


def write(folder: Path, **files: list[Any]) -> None:
    """Files by name without ending; the four that every world has are empty unless given."""
    every: dict[str, list[Any]] = {
        "locations": [],
        "weather": [],
        "contacts": [],
        "calendars": [],
        **files,
    }
    for name, rows in every.items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")


def recipe(**more: Any) -> dict[str, Any]:
    ends = {"start_id": MUN, "destination_id": MOTEL, "base_route_id": FASTEST["route_id"]}
    return {"route_id": "rlp_mun_res_9", **ends, "route_alternative": 0, **more}


def test_a_route_to_a_place_is_worked_out_from_the_one_it_lies_on() -> None:
    base = {**FASTEST, "distance_km": 573.7, "duration_hours": 7, "duration_minutes": 8}
    made = Recipe.read(recipe(fraction=0.087, detour_distance_km=3.1)).route(base)
    assert (made["distance_km"], made["duration_hours"], made["duration_minutes"]) == (53.01, 0, 41)
    assert made["base_route_id"] == FASTEST["route_id"]
    assert (made["name_via"], made["alias"]) == (base["name_via"], base["alias"])


def test_without_fraction_a_route_to_a_place_is_as_long_as_to_its_city() -> None:
    made = Recipe.read(recipe()).route({**FASTEST, "alias": []})
    assert (made["distance_km"], made["duration_hours"]) == (100.0, 1)
    assert made["alias"] == ["fastest", "first"]


def test_a_partial_world_is_read_as_it_lies(tmp_path: Path) -> None:
    detour = {"detour_from_route_km": {"detour": 7.8, "unit": "km"}}
    wrapped = {"poi_id": MOTEL, "poi": PLACES[2], "detours_by_route": {FASTEST["route_id"]: detour}}
    reverse = city_route(BER, MUN)
    write(
        tmp_path,
        pois=[wrapped, {"poi_id": CAFE, "poi": PLACES[0], "detours_by_route": {}}],
        routes=[{"route_id": r["route_id"], "route": r} for r in (FASTEST, SECOND, reverse)],
        route_pairs=[
            {
                "start_id": MUN,
                "destination_id": BER,
                "route_ids_in_answer_order": [
                    SECOND["route_id"],
                    "rll_gone_1",
                    FASTEST["route_id"],
                ],
            }
        ],
    )
    world = read_world(tmp_path)
    assert world.routes(MUN, BER) == [SECOND, FASTEST]
    assert world.routes(BER, MUN) == [reverse]
    assert world.stored_detour(MOTEL, FASTEST["route_id"]) == detour
    assert world.stored_detour(CAFE, FASTEST["route_id"]) is None
    assert world.poi(MOTEL) == PLACES[2]
    assert world.pois_along(FASTEST["route_id"], "restaurants", None, 25) == [PLACES[2]]
    assert world.has_category("bakery")


def test_a_complete_world_has_plain_rows(tmp_path: Path) -> None:
    made = recipe(fraction=0.4, detour_distance_km=2.0)
    lost = recipe(route_id="rlp_mun_res_10", base_route_id="rll_gone_1")
    write(
        tmp_path,
        pois=list(PLACES),
        routes_location_location=[FASTEST, SECOND],
        routes_location_poi=[],
        routes_metadata=[made, lost],
    )
    world = read_world(tmp_path)
    assert world.routes(MUN, BER) == [FASTEST, SECOND]
    assert [row["distance_km"] for row in world.routes(MUN, MOTEL)] == [42.0]
    assert world.route("rlp_mun_res_10") is None
    assert world.stored_detour(MOTEL, FASTEST["route_id"]) is None
    assert not world.has_category("bakery")


def test_places_are_found_around_a_kilometre_in_the_order_of_the_world() -> None:
    def found(kilometre: float | None) -> list[str]:
        rows = SMALL.pois_along(route_id(MUN, BER), "restaurants", kilometre, 25)
        return [row["id"] for row in rows]

    assert found(None) == [MOTEL, NIGHT]
    assert found(50) == [MOTEL, NIGHT]
    assert found(65) == [MOTEL, NIGHT]
    assert found(65.5) == [NIGHT]
    assert found(0) == []
    assert SMALL.pois_along(route_id(BER, MUN), "restaurants", None, 25) == []
    assert [row["id"] for row in SMALL.pois_at(MUN, "restaurants")] == [CAFE]


def test_a_world_without_places_and_routes_has_none() -> None:
    world = World()
    assert (world.poi(PUMP), world.route(route_id(MUN, HAM))) == (None, None)
    assert list(world.routes(MUN, HAM)) == list(world.pois_at(MUN, "parking")) == []
    assert not world.has_category("parking")


def test_a_route_without_its_ends_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, routes=[{"route_id": "rll_a_b_1"}])
    with pytest.raises(WorldError, match="a row lacks 'start_id'"):
        read_world(tmp_path)


def test_later_places_replace_earlier_ones() -> None:
    other = {**PLACES[0], "name": "Other"}
    world = World(world_file([PLACES[0], other]))
    assert world.pois_at(MUN, "restaurants") == [other]
