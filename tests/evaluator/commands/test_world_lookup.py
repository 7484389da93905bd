import json

import pytest

from evaluator.commands.world.lookup import location_called, place_called, places_in
from evaluator.problems import UsageProblem
from evaluator.task.worlds import own_world
from tests.evaluator.command_line import USAGE, Here
from vehicle_bus.world.places import CATEGORIES

WORLD = own_world()
LINZ, GRAZ, BAKERY = "loc_lin_536208", "loc_gra_516892", "poi_bak_186213"


@pytest.mark.parametrize("written", ["Linz", "linz", LINZ])
def test_a_city_is_found_by_name_or_id(written: str) -> None:
    assert location_called(written, WORLD)["id"] == LINZ


def test_a_point_of_interest_is_found_by_id() -> None:
    assert place_called(BAKERY, WORLD)["corresponding_location_id"] == LINZ


def test_without_a_category_all_of_a_city_is_listed() -> None:
    every = places_in(LINZ, None, WORLD)
    assert {poi["category"] for poi in every} == CATEGORIES
    assert places_in(LINZ, "bakery", WORLD) == [p for p in every if p["category"] == "bakery"]


@pytest.mark.parametrize(
    ("city", "category", "advice"),
    [
        ("Grax", None, "did you mean Graz"),
        ("loc_lin_536209", None, f"did you mean {LINZ}"),
        ("Atlantis", None, "known are Munich, Freiburg"),
        ("Linz", "bakeries", "known are airports, bakery"),
    ],
)
def test_what_the_world_lacks_is_reported_with_advice(
    here: Here, city: str, category: str | None, advice: str
) -> None:
    done = here("world", "places", city, *(["--category", category] if category else []))
    assert (done.code, done.stdout) == (USAGE, "")
    assert advice in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_id_that_nothing_has_is_no_place() -> None:
    with pytest.raises(UsageProblem, match="there is no city 'poi_bak_0'"):
        place_called("poi_bak_0", WORLD)


def test_places_are_printed_with_their_plugs(here: Here) -> None:
    printed = here("world", "places", "Linz", "--category", "charging_stations").stdout
    assert "poi_cha_379507" in printed
    assert "plg_cha_135328" in printed
    assert "DC 100 kW" in printed
    assert f"2 places in Linz ({LINZ})" in printed


def test_places_as_json_are_the_rows_of_the_world(here: Here) -> None:
    printed = json.loads(here("world", "places", LINZ, "--category", "bakery", "--json").stdout)
    assert printed["location"]["name"] == "Linz"
    assert printed["places"] == list(WORLD.pois_at(LINZ, "bakery"))


def test_routes_are_printed_with_alias_length_and_tolls(here: Here) -> None:
    printed = here("world", "routes", "Linz", GRAZ).stdout
    [fastest] = [line for line in printed.splitlines() if "rll_lin_gra_618176" in line]
    assert fastest.split()[1] == "fastest,"
    assert "A5, A8" in fastest
    assert fastest.split()[-3:] == ["194", "2:13", "yes"]


def test_routes_as_json_lead_to_points_of_interest_too(here: Here) -> None:
    printed = json.loads(here("world", "routes", "Linz", BAKERY, "--json").stdout)
    assert printed["routes"] == list(WORLD.routes(LINZ, BAKERY))
    assert (printed["start"]["id"], printed["destination"]["id"]) == (LINZ, BAKERY)


def test_no_route_between_two_places_is_reported_with_advice(here: Here) -> None:
    done = here("world", "routes", BAKERY, "poi_bak_571984")
    assert done.code == USAGE
    assert "there is no route from Bäckerei Stadelhofer" in done.stderr
