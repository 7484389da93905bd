import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vehicle_bus.cars import call, error, result
from tests.vehicle_bus.small_world import (
    BER,
    CITIES,
    ESS,
    HAM,
    MOTEL,
    MUN,
    PUMP,
    SMALL,
    car,
    route_id,
    said,
)
from vehicle_bus.car.state import Compat
from vehicle_bus.vehicle import Vehicle

BOTH: tuple[Compat, ...] = ("codriver", "car-bench")
ADD, REPLACE = "navigation_add_one_waypoint", "navigation_replace_one_waypoint"
DELETE = "navigation_delete_waypoint"
INVALID = ("INVALID_ARGUMENTS", False)


def adding(
    new: str, before: str, to: str, after: str | None = None, away: str | None = None
) -> Any:
    return {
        "waypoint_id_to_add": new,
        "waypoint_id_before_new_waypoint": before,
        "route_id_leading_to_new_waypoint": to,
        "waypoint_id_after_new_waypoint": after,
        "route_id_leading_away_from_new_waypoint": away,
    }


def replacing(old: str, new: str, to: str, away: str) -> dict[str, str]:
    return {
        "waypoint_id_to_replace": old,
        "new_waypoint_id": new,
        "route_id_leading_to_new_waypoint": to,
        "route_id_leading_away_from_new_waypoint": away,
    }


def deleting(old: str, route: str) -> dict[str, str]:
    return {"waypoint_id_to_delete": old, "route_id_without_waypoint": route}


def between(one: str, new: str, other: str) -> tuple[str, str]:
    return route_id(one, new), route_id(new, other)


@pytest.mark.parametrize("compat", BOTH)
def test_a_stop_is_put_between_two_waypoints(compat: Compat) -> None:
    vehicle = car(compat, MUN, BER, ESS)
    seen = result(vehicle, ADD, **adding(HAM, BER, "rll_ber_ham_2", ESS, "rll_ham_ess_1"))
    assert seen == {
        "waypoint_added": True,
        "new_waypoints_id": [MUN, BER, HAM, ESS],
        "new_routes_id": ["rll_mun_ber_1", "rll_ber_ham_2", "rll_ham_ess_1"],
    }
    assert vehicle.snapshot()["waypoints_id"] == [MUN, BER, HAM, ESS]


@pytest.mark.parametrize("compat", BOTH)
def test_a_trip_is_extended_beyond_its_destination(compat: Compat) -> None:
    vehicle = car(compat, MUN, BER)
    seen = result(vehicle, ADD, **adding(HAM, BER, "rll_ber_ham_1"))
    assert seen["new_waypoints_id"] == [MUN, BER, HAM]
    assert seen["new_routes_id"] == ["rll_mun_ber_1", "rll_ber_ham_1"]


@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        (adding("xxxx", BER, "rll_ber_ham_1"), 1),
        (adding(HAM, "xxxx", "rll_ber_ham_1"), 2),
        (adding(HAM, MUN, "rll_mun_ham_1", "xxxx", "rll_ham_ber_1"), 3),
        (adding(HAM, BER, "xxxx"), 4),
        (adding(HAM, MUN, "rll_mun_ham_1", BER, "xxxx"), 5),
        (adding(HAM, ESS, "rll_ess_ham_1"), 7),
        (adding(HAM, MUN, "rll_mun_ham_1"), 8),
        (adding(HAM, MUN, "rll_mun_ham_1", ESS, "rll_ham_ess_1"), 9),
        (adding(HAM, BER, "rll_ber_ham_1", ESS, "rll_ham_ess_1"), 9),
        (adding(HAM, BER, "rll_ber_ham_1", ESS), 9),
        (adding(HAM, BER, "rll_ber_ham_99"), 9),
        (adding(HAM, MUN, "rll_mun_ham_1", BER, "rll_ham_ber_99"), 10),
        (adding(HAM, MUN, "rll_ess_ham_1", BER, "rll_ham_ber_1"), 11),
        (adding(HAM, MUN, "rll_mun_ess_1", BER, "rll_ham_ber_1"), 12),
        (adding(HAM, MUN, "rll_mun_ham_1", BER, "rll_ess_ber_1"), 13),
        (adding(HAM, MUN, "rll_mun_ham_1", BER, "rll_ham_ess_1"), 14),
        (adding(HAM, BER, "rll_ber_ham_1", None, "rll_ham_ess_1"), 14),
    ],
)
@pytest.mark.parametrize("compat", BOTH)
def test_a_stop_that_does_not_fit_is_not_added(
    arguments: dict[str, Any], number: int, compat: Compat
) -> None:
    vehicle = car(compat, MUN, BER)
    handled = call(vehicle, ADD, **arguments)
    key = f"NAV_ADD_WP_{number:03}"
    assert (handled.error, handled.logged, vehicle.revision) == (key, True, 0)
    answer = said(handled.output)
    assert answer["errors"][key].startswith(f"NavigationAddOneWaypoint_{number:03}: ")
    assert ("status" in answer) is (compat == "codriver")


@pytest.mark.parametrize(
    ("tool", "arguments", "key"),
    [
        (ADD, adding(HAM, BER, "rll_ber_ham_99"), "NAV_ADD_WP_006"),
        (REPLACE, replacing(BER, HAM, "rll_x_y_z_9__", "rll_mun_ber_1"), None),
        (
            REPLACE,
            replacing(BER, HAM, "rll_mun_ham_1", "rll_ham_ess_1"),
            "NAVIGATION_REPLACE_ONE_WAYPOINT_005",
        ),
        (DELETE, deleting(BER, "rll_mun_ham_1"), "NAVIGATION_DELETE_WAYPOINT_003"),
    ],
)
def test_there_is_nothing_to_edit_without_a_trip(
    tool: str, arguments: dict[str, Any], key: str | None
) -> None:
    handled = call(car(), tool, **arguments)
    assert handled.error == (key or "NAVIGATION_REPLACE_ONE_WAYPOINT_003")
    assert ("AUT-POL:017" in handled.output) is (key is not None)


@pytest.mark.parametrize("compat", BOTH)
def test_a_stop_is_replaced(compat: Compat) -> None:
    vehicle = car(compat, MUN, BER, ESS)
    seen = result(vehicle, REPLACE, **replacing(BER, HAM, "rll_mun_ham_2", "rll_ham_ess_2"))
    assert seen == {
        "waypoint_replaced": True,
        "new_waypoints": [MUN, HAM, ESS],
        "new_routes": ["rll_mun_ham_2", "rll_ham_ess_2"],
    }


@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        (replacing("xxxx", HAM, "rll_mun_ham_1", "rll_ham_ess_1"), 1),
        (replacing(BER, "xxxx", "rll_mun_ham_1", "rll_ham_ess_1"), 2),
        (replacing(BER, HAM, "xxxx", "rll_ham_ess_1"), 3),
        (replacing(BER, HAM, "rll_mun_ham_1", "xxxx"), 4),
        (replacing(BER, HAM, "rll_mun_ham_99", "rll_ham_ess_99"), 6),
        (replacing(BER, HAM, "rll_mun_ham_1", "rll_ham_ess_99"), 7),
        (replacing(BER, HAM, "rll_mun_ber_1", "rll_ham_ess_1"), 8),
        (replacing(BER, HAM, "rll_mun_ham_1", "rll_ber_ess_1"), 9),
        (replacing(HAM, BER, "rll_mun_ber_1", "rll_ber_ess_1"), 11),
        (replacing(BER, HAM, "rll_ber_ham_1", "rll_ham_ess_1"), 12),
        (replacing(BER, HAM, "rll_mun_ham_1", "rll_ham_ber_1"), 13),
    ],
)
@pytest.mark.parametrize("compat", BOTH)
def test_a_stop_that_does_not_fit_replaces_none(
    arguments: dict[str, Any], number: int, compat: Compat
) -> None:
    vehicle = car(compat, MUN, BER, ESS)
    key = f"NAVIGATION_REPLACE_ONE_WAYPOINT_{number:03}"
    assert error(vehicle, REPLACE, **arguments) == (key, True)
    assert vehicle.revision == 0


def test_start_and_destination_are_no_stops_to_replace() -> None:
    refused = ("NAVIGATION_REPLACE_ONE_WAYPOINT_010", True)
    start = replacing(MUN, HAM, "rll_ess_ham_1", "rll_ham_ber_1")
    destination = replacing(ESS, HAM, "rll_ber_ham_1", "rll_ham_ber_1")
    for arguments in (start, destination):
        assert error(car("codriver", MUN, BER, ESS), REPLACE, **arguments) == refused
    corrupt = result(car("car-bench", MUN, BER, ESS), REPLACE, **start)
    assert (len(corrupt["new_waypoints"]), len(corrupt["new_routes"])) == (3, 4)
    assert error(car("car-bench", MUN, BER, ESS), REPLACE, **destination) == INVALID


def test_a_stop_may_be_where_the_trip_starts_but_not_in_the_public_benchmark() -> None:
    arguments = replacing(BER, MUN, "rll_ham_mun_1", "rll_mun_ess_1")
    seen = result(car("codriver", MUN, HAM, BER, ESS), REPLACE, **arguments)
    assert seen["new_waypoints"] == [MUN, HAM, MUN, ESS]
    refused = error(car("car-bench", MUN, HAM, BER, ESS), REPLACE, **arguments)
    assert refused == ("NAVIGATION_REPLACE_ONE_WAYPOINT_010", True)


@pytest.mark.parametrize("compat", BOTH)
def test_a_stop_is_left_out(compat: Compat) -> None:
    vehicle = car(compat, MUN, BER, HAM, ESS)
    assert result(vehicle, DELETE, **deleting(HAM, "rll_ber_ess_2")) == {
        "waypoint_deleted": True,
        "new_waypoints": [MUN, BER, ESS],
        "new_routes": ["rll_mun_ber_1", "rll_ber_ess_2"],
    }


@pytest.mark.parametrize(
    ("arguments", "ours", "public"),
    [
        (deleting("xxxx", "xxxx"), 1, 1),
        (deleting(BER, "xxxx"), 2, 2),
        (deleting(BER, "rll_mun_ess_99"), 4, 4),
        (deleting(HAM, "rll_mun_ess_1"), 5, 5),
        (deleting(BER, "rll_mun_ham_1"), 6, 6),
        (deleting(BER, "rll_ham_ess_1"), 7, 7),
        (deleting(ESS, "rll_mun_ess_1"), 8, None),
        (deleting(MUN, "rll_mun_ess_1"), 8, 6),
        (deleting(MUN, "rll_mun_ber_1"), 8, 7),
        (deleting(MUN, "rll_ess_ber_1"), 8, 8),
    ],
)
def test_what_is_no_stop_is_not_left_out(
    arguments: dict[str, str], ours: int, public: int | None
) -> None:
    for compat, number in zip(BOTH, (ours, public), strict=True):
        vehicle = car(compat, MUN, BER, ESS)
        expected = (f"NAVIGATION_DELETE_WAYPOINT_{number:03}", True) if number else INVALID
        assert error(vehicle, DELETE, **arguments) == expected
        assert vehicle.revision == 0


def test_of_two_stops_at_one_place_the_one_that_fits_is_meant() -> None:
    there_and_back = (MUN, BER, MUN)
    longer = adding(HAM, MUN, "rll_mun_ham_1")
    assert result(car("codriver", *there_and_back), ADD, **longer)["new_waypoints_id"] == [
        *there_and_back,
        HAM,
    ]
    assert error(car("car-bench", *there_and_back), ADD, **longer) == ("NAV_ADD_WP_008", True)
    twice = (MUN, BER, HAM, BER, ESS)
    seen = result(car("codriver", *twice), DELETE, **deleting(BER, "rll_ham_ess_1"))
    assert seen["new_waypoints"] == [MUN, BER, HAM, ESS]
    refused = error(car("car-bench", *twice), DELETE, **deleting(BER, "rll_ham_ess_1"))
    assert refused == ("NAVIGATION_DELETE_WAYPOINT_006", True)
    other = replacing(BER, MUN, "rll_ham_mun_1", "rll_mun_ess_1")
    seen = result(car("codriver", *twice), REPLACE, **other)
    assert seen["new_waypoints"] == [MUN, BER, HAM, MUN, ESS]


PLACE_IDS = st.sampled_from([*CITIES, PUMP, MOTEL, "loc_xyz_9", "nowhere"])
ALTERNATIVES = st.sampled_from([1, 1, 2, 9])


@st.composite
def commands(draw: st.DrawFn, vehicle: Vehicle) -> tuple[str, dict[str, Any]]:
    """A navigation command that fits the present trip, or nearly does."""
    waypoints = vehicle.snapshot()["waypoints_id"]
    at = draw(st.integers(-1, len(waypoints)))

    def waypoint(offset: int) -> str:
        known = 0 <= at + offset < len(waypoints)
        return waypoints[at + offset] if known and draw(st.integers(0, 9)) else draw(PLACE_IDS)

    def route(start: str, destination: str) -> str:
        on_the_way = 10 * int(destination[-1]) if destination.startswith("poi") else 0
        on_the_way += 10 * int(start[-1]) if start.startswith("poi") else 0
        return route_id(start, destination, on_the_way + draw(ALTERNATIVES))

    before, here, after = waypoint(-1), waypoint(0), waypoint(1)
    new = draw(PLACE_IDS.filter(lambda place: place[-1].isdigit()))
    match draw(
        st.sampled_from(["new", "add", "append", "replace", "delete", "redirect", "shorten"])
    ):
        case "new":
            stops = draw(st.lists(st.sampled_from(CITIES), max_size=4))
            routes = [route(one, other) for one, other in itertools.pairwise(stops)]
            return "set_new_navigation", {"route_ids": routes}
        case "add":
            return ADD, adding(new, here, route(here, new), after, route(new, after))
        case "append":
            return ADD, adding(new, here, route(here, new))
        case "replace":
            return REPLACE, replacing(here, new, route(before, new), route(new, after))
        case "delete":
            return DELETE, deleting(here, route(before, after))
        case "redirect":
            return "navigation_replace_final_destination", {
                "new_destination_id": new,
                "route_id_leading_to_new_destination": route(before, new),
            }
        case _:
            return "navigation_delete_destination", {"destination_id_to_delete": here}


@given(st.data(), st.lists(st.sampled_from(CITIES), max_size=5))
def test_whatever_is_asked_the_trip_stays_connected(data: st.DataObject, start: list[str]) -> None:
    stops = [one for i, one in enumerate(start) if i == 0 or one != start[i - 1]]
    vehicle = car("codriver", *(stops if len(stops) > 1 else []))
    for _ in range(data.draw(st.integers(0, 12))):
        before = vehicle.snapshot()
        tool, arguments = data.draw(commands(vehicle))
        handled = call(vehicle, tool, **arguments)
        state = vehicle.snapshot()
        assert is_connected(state)
        if handled.status == "FAILURE":
            assert state == before
            assert handled.changes == ()


@given(st.data())
def test_a_refused_edit_changes_nothing_in_the_public_benchmark_either(data: st.DataObject) -> None:
    vehicle = car("car-bench", MUN, BER, HAM, BER)
    for _ in range(data.draw(st.integers(0, 12))):
        before = vehicle.snapshot()
        tool, arguments = data.draw(commands(vehicle))
        handled = call(vehicle, tool, **arguments)
        if handled.status == "FAILURE" and arguments != {"route_ids": []}:
            assert vehicle.snapshot() == before


def is_connected(state: dict[str, Any]) -> bool:
    waypoints, routes = state["waypoints_id"], state["routes_to_final_destination_id"]
    legs = [SMALL.route(key) or {} for key in routes]
    ends = [(leg.get("start_id"), leg.get("destination_id")) for leg in legs]
    active = len(waypoints) > 1 if state["navigation_active"] else waypoints == []
    return active and ends == list(itertools.pairwise(waypoints))
