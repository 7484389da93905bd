"""Motifs about battery and charging."""

from evaluator.task_making.scene import (
    Scene,
    duration,
    fastest,
    least,
    minutes,
    need,
    sole,
)
from vehicle_bus.world.world import Row


def _km(text: str) -> float:
    return float(text.removesuffix("km"))


def _charge(scene: Scene) -> float:
    """How full the battery is, looked up."""
    found = scene.look("get_charging_specs_and_status", decides="state_of_charge")
    return float(found["state_of_charge"])


def _stop_at_low_battery(scene: Scene) -> tuple[Row, Row, int]:
    """The charging station where the battery is down to some percent, and the trip over it."""
    here = scene.cities(1)[0]
    there = scene.near(here, 350, 900)
    scene.begin(here, (6, 14), state_of_charge=scene.chance.randint(55, 85))
    charge = _charge(scene)
    left = scene.chance.choice((10, 15, 20, 25))
    place = scene.find(there)
    way = scene.fastest(scene.here, place)
    far = scene.look(
        "get_distance_by_soc", decides=True,
        initial_state_of_charge=charge, final_state_of_charge=left,
    )  # fmt: skip
    at = round(_km(next(iter(far.values()))))
    need(at + 30 < way["distance_km"])
    spot = {"route_id": way["route_id"], "category_poi": "charging_stations"}
    found = [
        scene.peek("search_poi_along_the_route", **spot, at_kilometer=each)[
            "pois_found_along_route"
        ]
        for each in (at - 3, at, at + 3)
    ]
    station = sole(found[1])
    need(all([poi["id"] for poi in each] == [station["id"]] for each in found))
    scene.look("search_poi_along_the_route", **spot, at_kilometer=at)
    legs = scene.fastest(scene.here, station["id"]), scene.fastest(station["id"], place)
    scene.change("set_new_navigation", route_ids=[leg["route_id"] for leg in legs])
    scene.carelessly("set_new_navigation", route_ids=[way["route_id"]])
    scene.tell(f"The stop is at {station['name']}.", scene.name_of(station))
    scene.part(
        f"Take me to {there['name']}, with a charging stop on the fastest route around where the "
        f"battery will be down to {left} percent. Fastest routes for both legs. Where will we stop?"
    )
    return station, there, left


def charging_stop(scene: Scene) -> None:
    """A charging stop where the battery is down to some percent."""
    _stop_at_low_battery(scene)


def charging_stop_and_time(scene: Scene) -> None:
    """The same, then how long it takes at the strongest free plug."""
    station, _there, left = _stop_at_low_battery(scene)
    plug = _strongest(station)
    target = scene.chance.choice((65, 70, 75, 85))
    time = _time(scene, station, plug, left, target)
    scene.tell(f"That takes {time} minutes.", f"{time} min")
    scene.part(f"How long would it take there to {target} percent at the strongest free plug?")
    scene.change("set_charge_limit", limit_percent=target)
    scene.part("Fine, then let it stop at that percentage from now on.")


def _strongest(station: Row) -> Row:
    free = [plug for plug in station["charging_plugs"] if plug["availability"] == "available"]
    return least(free, lambda plug: -plug["power_kw"], 10)


def _time(scene: Scene, station: Row, plug: Row, start: int, target: int) -> int:
    found = scene.look(
        "calculate_charging_time_by_soc", decides=True, charging_station_id=station["id"],
        charging_station_plug_id=plug["plug_id"], start_state_of_charge=start,
        target_state_of_charge=target,
    )  # fmt: skip
    return int(next(iter(found.values())).removesuffix("min"))


def range_check(scene: Scene) -> None:
    """Straight on if enough is left on arrival, else first to the strongest plug in town."""
    here = scene.cities(1)[0]
    there = scene.near(here, 150, 450)
    scene.begin(here, state_of_charge=scene.chance.randint(35, 95))
    charge = _charge(scene)
    left = scene.chance.choice((20, 25, 30))
    place = scene.find(there)
    way = scene.fastest(scene.here, place)
    far = scene.look(
        "get_distance_by_soc", decides=True,
        initial_state_of_charge=charge, final_state_of_charge=left,
    )  # fmt: skip
    spare = _km(next(iter(far.values()))) - way["distance_km"]
    reach = scene.car.context.remaining_range_km - way["distance_km"]
    need(abs(spare) >= 25 and reach > 20 and spare < 200)
    stations = scene.world.pois_at(scene.here, "charging_stations")
    best = least(stations, lambda poi: -_best_kw(poi), 10)
    need(_best_kw(best) > 0)
    in_town = fastest(scene.world.routes(scene.here, best["id"]), 1)
    scene.decide("get_routes_from_start_to_destination")
    if spare > 0:
        scene.branch = "enough"
        scene.change("set_new_navigation", route_ids=[way["route_id"]])
        scene.carelessly("set_new_navigation", route_ids=[in_town["route_id"]])
    else:
        scene.branch = "charge first"
        scene.look(
            "search_poi_at_location", location_id=scene.here, category_poi="charging_stations"
        )
        scene.fastest(scene.here, best["id"])
        scene.change("set_new_navigation", route_ids=[in_town["route_id"]])
        scene.carelessly("set_new_navigation", route_ids=[way["route_id"]])
    scene.part(
        f"If the battery gets us to {there['name']} on the fastest route with {left} percent left, "
        "guide me there. If not, guide me to the charging station here in town with the strongest "
        "free plug, the fastest way."
    )


def _best_kw(station: Row) -> int:
    plugs = station["charging_plugs"]
    return max((p["power_kw"] for p in plugs if p["availability"] == "available"), default=0)


def charge_in_a_break(scene: Scene) -> None:
    """How full the battery is after a break, and the limit that follows from it."""
    here = scene.cities(1)[0]
    station = scene.pick(scene.world.pois_at(here["id"], "charging_stations"))
    plug = _strongest(station)
    way = fastest(scene.world.routes(here["id"], station["id"]), 1)
    scene.begin(
        here, state_of_charge=scene.chance.randint(18, 45), navigation_active=True,
        waypoints_id=[here["id"], station["id"]], charge_limit_percent=100,
        routes_to_final_destination_id=[way["route_id"]],
    )  # fmt: skip
    scene.look("get_current_navigation_state", detailed_information=True)
    charge = _charge(scene)
    pause = scene.chance.choice((15, 20, 25, 30, 40, 60))
    found = scene.look(
        "calculate_charging_soc_by_time", decides=True, charging_station_id=station["id"],
        charging_station_plug_id=plug["plug_id"], start_state_of_charge=int(charge),
        charging_time=pause,
    )  # fmt: skip
    reached = round(float(next(iter(found.values())).split()[0]))
    enough = scene.chance.choice((50, 60, 70, 80))
    need(abs(reached - enough) >= 4)
    scene.branch = "enough" if reached >= enough else "too little"
    scene.tell(f"It will be at {reached} percent.", f"{reached} %")
    limit, other = (enough, 95) if reached >= enough else (95, enough)
    scene.change("set_charge_limit", limit_percent=limit)
    scene.carelessly("set_charge_limit", limit_percent=other)
    scene.part(
        f"How full will the battery be after {pause} minutes at the strongest free plug of the "
        f"charging station we're driving to? Say we arrive with what's in it now. If that's "
        f"{enough} percent or more, set the charge limit to {enough}, otherwise to 95."
    )


def quickest_plug(scene: Scene) -> None:
    """The charging station in another city where charging takes the least time."""
    here = scene.cities(1)[0]
    there = scene.near(here, 60, 250)
    scene.begin(here)
    place = scene.find(there)
    free = {"filters": ["charging_stations::has_available_plug"]}
    given = {"location_id": place, "category_poi": "charging_stations"}
    found = scene.look("search_poi_at_location", decides=True, **given, **free)["pois_found"]
    station = least(found, lambda poi: -_best_kw(poi), 10)
    plug = _strongest(station)
    way = scene.fastest(scene.here, station["id"])
    scene.change("set_new_navigation", route_ids=[way["route_id"]])
    others = [poi for poi in scene.world.pois_at(place, "charging_stations") if poi != station]
    other = scene.world.routes(scene.here, sole(others)["id"])[0]
    scene.carelessly("set_new_navigation", route_ids=[other["route_id"]])
    scene.tell(f"It is {station['name']}, {duration(minutes(way))} away.", scene.name_of(station))
    scene.part(
        f"Which charging station in {there['name']} has the strongest free plug? Take me to that "
        "one on the fastest route."
    )
    time = _time(scene, station, plug, 20, 80)
    scene.tell(f"About {time} minutes.", f"{time} min")
    scene.part("I'd get there with 20 percent. How long to 80 at that plug?")


MOTIFS = (charging_stop, charging_stop_and_time, range_check, charge_in_a_break, quickest_plug)
