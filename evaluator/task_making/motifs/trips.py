"""Motifs about a trip that is being followed."""

from itertools import pairwise

from evaluator.task_making.scene import DAY_MIN, Scene, clock, duration, fastest, minutes, need
from vehicle_bus.world.world import Row


def _cities(scene: Scene, number: int) -> list[Row]:
    """A chain of cities, each within reach of the one before."""
    chain = scene.cities(1)
    while len(chain) < number:
        chain.append(scene.near(chain[-1]))
    need(len({city["id"] for city in chain}) == number)
    return chain


def several_edits(scene: Scene) -> None:
    """One stop is dropped and the destination replaced, in one breath."""
    here, stop, middle, end = _cities(scene, 4)
    new = scene.near(middle)
    need(new["id"] not in {here["id"], stop["id"], middle["id"], end["id"]})
    scene.begin(here, (6, 12), **scene.trip(here, stop, middle, end))
    scene.look("get_current_navigation_state", detailed_information=True)
    place = scene.find(new)
    direct = scene.fastest(scene.here, middle["id"])
    last = scene.fastest(middle["id"], place)
    drop = {"waypoint_id_to_delete": stop["id"], "route_id_without_waypoint": direct["route_id"]}
    scene.change("navigation_delete_waypoint", **drop)
    scene.change(
        "navigation_replace_final_destination",
        new_destination_id=place, route_id_leading_to_new_destination=last["route_id"],
    )  # fmt: skip
    scene.carelessly("navigation_delete_waypoint", **drop)
    total = duration(minutes(direct) + minutes(last))
    scene.tell(f"The trip now takes {total}.", total)
    scene.part(
        f"Leave out {stop['name']}, and go to {new['name']} instead of {end['name']}, the fastest "
        "route each time. How long does the whole trip take then?"
    )


def replaced_stop(scene: Scene) -> None:
    """Another stop instead of one on the way."""
    here, stop, end = _cities(scene, 3)
    new = scene.near(here)
    need(new["id"] not in {stop["id"], end["id"]})
    scene.begin(here, (6, 12), **scene.trip(here, stop, end))
    scene.look("get_current_navigation_state", detailed_information=True)
    place = scene.find(new)
    to, on = scene.fastest(scene.here, place), scene.fastest(place, end["id"])
    scene.change(
        "navigation_replace_one_waypoint",
        waypoint_id_to_replace=stop["id"], new_waypoint_id=place,
        route_id_leading_to_new_waypoint=to["route_id"],
        route_id_leading_away_from_new_waypoint=on["route_id"],
    )  # fmt: skip
    direct = fastest(scene.world.routes(scene.here, end["id"]))
    scene.carelessly(
        "navigation_delete_waypoint",
        waypoint_id_to_delete=stop["id"], route_id_without_waypoint=direct["route_id"],
    )  # fmt: skip
    scene.later(minutes(to))
    arrival = clock(scene.now + minutes(to))
    scene.tell(f"You are there at {arrival}.", arrival)
    scene.part(
        f"I'd rather stop in {new['name']} than in {stop['name']}, the fastest routes, please. "
        "When will I be there?"
    )


def stop_after_all(scene: Scene) -> None:
    """A stop is dropped, and put back when the driver hears what it saves."""
    here, stop, end = _cities(scene, 3)
    trip = scene.trip(here, stop, end)
    scene.begin(here, (6, 12), **trip)
    scene.look("get_current_navigation_state", detailed_information=True)
    direct = scene.fastest(scene.here, end["id"])
    scene.change(
        "navigation_delete_waypoint",
        waypoint_id_to_delete=stop["id"], route_id_without_waypoint=direct["route_id"],
    )  # fmt: skip
    scene.tell(f"It takes {duration(minutes(direct))} now.", duration(minutes(direct)))
    scene.part(
        f"Skip {stop['name']}, the fastest route straight to {end['name']}. How long is it now?"
    )
    to, on = trip["routes_to_final_destination_id"]
    scene.change(
        "navigation_add_one_waypoint",
        waypoint_id_to_add=stop["id"], waypoint_id_before_new_waypoint=scene.here,
        waypoint_id_after_new_waypoint=end["id"], route_id_leading_to_new_waypoint=to,
        route_id_leading_away_from_new_waypoint=on,
    )  # fmt: skip
    scene.carelessly("delete_current_navigation")
    scene.part(f"No, put {stop['name']} back in, exactly as it was before.")


def further_on(scene: Scene) -> None:
    """The trip is extended by a city, if the driver is there early enough."""
    here, end, more = _cities(scene, 3)
    scene.begin(here, (6, 16), **scene.trip(here, end))
    scene.look("get_current_navigation_state", detailed_information=True)
    place = scene.find(more)
    on = scene.fastest(end["id"], place)
    first = fastest(scene.world.routes(scene.here, end["id"]))
    arrival = scene.now + minutes(first) + minutes(on)
    limit = scene.chance.randrange(13 * 60, 22 * 60, 30)
    need(20 <= abs(arrival - limit) <= 120)
    scene.branch = "early" if arrival < limit else "late"
    scene.deciding |= {
        "get_routes_from_start_to_destination", "get_current_navigation_state",
        "get_location_id_by_location_name",
    }  # fmt: skip
    scene.tell(f"You would be in {more['name']} at {clock(arrival)}.", clock(arrival))
    if arrival < limit:
        scene.change(
            "navigation_add_one_waypoint", waypoint_id_to_add=place,
            waypoint_id_before_new_waypoint=end["id"],
            route_id_leading_to_new_waypoint=on["route_id"],
        )  # fmt: skip
        scene.carelessly("set_ambient_lights", on=True, lightcolor="GREEN")
    else:
        scene.change("set_ambient_lights", on=True, lightcolor="GREEN")
        scene.carelessly("delete_current_navigation")
    scene.part(
        f"Could we go on to {more['name']} from there, on the fastest route, and be there before "
        f"{clock(limit)}? If so, add it as the new destination. If not, leave it and give me some "
        "green ambient light to calm down. When would we be there?"
    )


def end_at_the_stop(scene: Scene) -> None:
    """The last leg is dropped if one would be too late at its end; the stop stays."""
    here, stop, end = _cities(scene, 3)
    scene.begin(here, (6, 16), **scene.trip(here, stop, end))
    state = scene.look("get_current_navigation_state", decides=True, detailed_information=True)
    need(state["navigation_active"])
    legs = [fastest(scene.world.routes(*ends)) for ends in _pairs(here, stop, end)]
    arrival = scene.now + sum(map(minutes, legs))
    limit = scene.chance.randrange(13 * 60, 22 * 60, 30)
    need(20 <= abs(arrival - limit) <= 120 and arrival < DAY_MIN)
    scene.branch = "early" if arrival < limit else "late"
    scene.tell(f"You would be in {end['name']} at {clock(arrival)}.", clock(arrival))
    if arrival < limit:
        sky = scene.weather(end["id"], arrival, "temperature_c")
        scene.change("set_climate_temperature", temperature=23, seat_zone="ALL_ZONES")
        scene.tell(
            f"It will be {sky['temperature_c']} degrees.",
            scene.path("get_weather", "current_slot.temperature_c"),
        )
    else:
        scene.change("navigation_delete_destination", destination_id_to_delete=end["id"])
    scene.carelessly("delete_current_navigation")
    scene.part(
        f"When will we be in {end['name']}? If that's after {clock(limit)}, let the trip end in "
        f"{stop['name']}. If not, leave it as it is, tell me how warm it will be when we're there, "
        "and put both sides on 23 degrees."
    )


def another_end(scene: Scene) -> None:
    """The only destination cannot be taken out: it is replaced, and the way is told."""
    here, end = _cities(scene, 2)
    new = scene.near(here)
    need(new["id"] != end["id"])
    scene.begin(here, (6, 14), **scene.trip(here, end))
    scene.look("get_current_navigation_state", detailed_information=True)
    place = scene.find(new)
    way = scene.fastest(scene.here, place)
    scene.change(
        "navigation_replace_final_destination",
        new_destination_id=place, route_id_leading_to_new_destination=way["route_id"],
    )  # fmt: skip
    scene.carelessly("delete_current_navigation")
    arrival = clock(scene.now + minutes(way))
    scene.tell(f"You are there at {arrival}.", arrival)
    scene.part(
        f"Take {end['name']} off our trip and put {new['name']} on it, on the fastest route. When "
        "will we be there?"
    )
    sky = scene.weather(place, scene.now + minutes(way), "temperature_c")
    scene.tell(
        f"It will be {sky['temperature_c']} degrees then.",
        scene.path("get_weather", "current_slot.temperature_c"),
    )
    scene.part("And how warm will it be then?")


def _pairs(*cities: Row) -> list[tuple[str, str]]:
    return [(one["id"], other["id"]) for one, other in pairwise(cities)]


MOTIFS = (
    several_edits, replaced_stop, stop_after_all, further_on, end_at_the_stop, another_end,
)  # fmt: skip
