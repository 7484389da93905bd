"""The map: where a car is on its route, and how its charge goes down along it."""

from typing import Any

import pytest

from evaluator.cockpit.car.route_map import EVERY_NS, RouteMap, RouteNow
from evaluator.record.signal_values import ONLY_SIGNALS
from tests.vehicle_bus.motion.test_motion import HOUR, moving
from tests.vehicle_bus.small_world import BER, HAM, MUN, SMALL
from vehicle_bus.car.state import FixedContext
from vehicle_bus.vehicle import Vehicle

HOME = FixedContext().current_location


def values(car: Vehicle) -> dict[str, Any]:
    signals = car.signals()
    known = {path: signals[path] for path in ONLY_SIGNALS if path in signals}
    seen = {
        ONLY_SIGNALS[path].name: ONLY_SIGNALS[path].conversion.from_vss(value)
        for path, value in known.items()
    }
    return {**car.snapshot(), **seen}


def shown(car: Vehicle, drawn: RouteMap, at_ns: int = 0) -> RouteNow:
    """What the map shows after so much time."""
    car.advance(at_ns)
    list(drawn.take(values(car), at_ns))
    return drawn.now


def test_a_trip_is_a_line_through_its_places_and_the_car_moves_along_it() -> None:
    car, drawn = moving(MUN, BER, HAM), RouteMap(SMALL, HOME)
    first = shown(car, drawn)
    places = [(point["name"], point["stop"]) for point in first.points]
    assert places == [("Munich", True), ("Berlin", True), ("Hamburg", True)]
    assert (first.at_km, first.points[-1]["at_km"]) == (0.0, first.length_km)
    later = shown(car, drawn, HOUR)
    driven_km = values(car)["travelled_m"] / 1000
    assert later.at_km == pytest.approx(driven_km, rel=0.02)
    assert 50 < later.at_km < later.length_km


def test_the_charge_is_what_was_measured_and_then_what_is_expected() -> None:
    car, drawn = moving(MUN, BER, HAM, state_of_charge=60), RouteMap(SMALL, HOME)
    shown(car, drawn)
    charge = shown(car, drawn, HOUR).charge
    assert charge[0] == {"at_km": 0.0, "soc": 60.0}
    assert {"at_km": drawn.now.at_km, "soc": values(car)["state_of_charge"]} in charge
    assert [each["soc"] for each in charge] == sorted((c["soc"] for c in charge), reverse=True)
    kilometres = [each["at_km"] for each in charge]
    assert kilometres == sorted(set(kilometres))
    assert kilometres[-1] == drawn.now.length_km


def test_an_empty_battery_is_expected_where_the_range_ends() -> None:
    car, drawn = moving(MUN, BER, HAM, state_of_charge=20), RouteMap(SMALL, HOME)
    range_km = values(car)["remaining_range_km"]
    charge = shown(car, drawn).charge
    assert {"at_km": pytest.approx(range_km, abs=0.1), "soc": 0.0} in charge


def test_it_is_drawn_again_only_when_something_changed_and_not_too_often() -> None:
    car, drawn = moving(MUN, BER), RouteMap(SMALL, HOME)
    assert len(list(drawn.take(values(car), 0))) == 1
    car.advance(HOUR)
    assert list(drawn.take(values(car), EVERY_NS // 2)) == []
    assert len(list(drawn.take(values(car), EVERY_NS))) == 1
    assert list(drawn.take(values(car), 3 * EVERY_NS)) == []


def test_a_route_that_ends_is_taken_off_the_map() -> None:
    drawn = RouteMap(SMALL, HOME)
    list(drawn.take(values(moving(MUN, BER)), 0))
    [gone] = drawn.take(values(moving()), 1)
    assert gone == RouteNow(place="Munich")


def test_the_place_is_the_nearest_that_is_known() -> None:
    car, drawn = moving(MUN, BER), RouteMap(SMALL, HOME)
    places = [shown(car, drawn, part * HOUR // 4) for part in range(8)]
    names = list(dict.fromkeys(each.place for each in places))
    assert (names[0], names[-1]) == ("Munich", "Berlin")
    assert (places[0].away_km, places[-1].away_km) == (0.0, 0.0)
    assert max(each.away_km for each in places) > 5
