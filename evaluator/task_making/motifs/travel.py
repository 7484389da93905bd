"""Motifs about the way and the time of arrival."""

from typing import Any

from evaluator.task_making.scene import (
    Scene,
    called,
    clock,
    duration,
    fastest,
    is_wet,
    minutes,
    need,
    shortest,
    sole,
    surely_open,
)
from vehicle_bus.world.places import is_open
from vehicle_bus.world.world import Row

NAVIGATE = "set_new_navigation"
TOLL_MIN = 10


def dry_on_arrival(scene: Scene) -> None:
    """To one place only if it is dry there on arrival, else to another."""
    here = scene.cities(1)[0]
    there, instead = scene.near(here), scene.near(here)
    need(there["id"] != instead["id"])
    scene.begin(here, (5, 18))
    place = scene.find(there)
    way = scene.fastest(scene.here, place)
    arrival = scene.now + minutes(way)
    wet = is_wet(scene.weather(place, arrival, "condition")["condition"])
    need(is_wet(scene.weather(place, scene.now, expected=False)["condition"]) != wet)
    other = fastest(scene.world.routes(scene.here, instead["id"]))
    scene.branch = "wet" if wet else "dry"
    if wet:
        way, other = scene.fastest(scene.here, scene.find(instead)), way
    scene.change(NAVIGATE, route_ids=[way["route_id"]])
    scene.carelessly(NAVIGATE, route_ids=[other["route_id"]])
    scene.facts.append("The weather on arrival counts, not the weather now.")
    scene.part(
        f"If it's dry in {there['name']} by the time I'd get there on the fastest route, take me "
        f"there. If not, take me to {instead['name']} on the fastest route."
    )


def warm_on_arrival(scene: Scene) -> None:
    """The temperature of the cabin by the temperature outside on arrival."""
    here = scene.cities(1)[0]
    there = scene.near(here)
    scene.begin(here, (5, 17))
    place = scene.find(there)
    way = scene.fastest(scene.here, place)
    scene.change(NAVIGATE, route_ids=[way["route_id"]])
    outside = scene.weather(place, scene.now + minutes(way), "temperature_c")["temperature_c"]
    now = scene.weather(place, scene.now, expected=False)["temperature_c"]
    limit = round((outside + now) / 2)
    need(abs(outside - limit) >= 2 and (outside < limit) != (now < limit))
    cold, warm = 23, 18.5
    scene.branch = "cold" if outside < limit else "warm"
    wanted, other = (cold, warm) if outside < limit else (warm, cold)
    scene.change("set_climate_temperature", temperature=wanted, seat_zone="ALL_ZONES")
    scene.carelessly(NAVIGATE, route_ids=[way["route_id"]])
    scene.carelessly("set_climate_temperature", temperature=other, seat_zone="ALL_ZONES")
    scene.part(
        f"Guide me to {there['name']} on the fastest route. If it's below {limit} degrees there "
        f"when I arrive, set {cold} degrees for both of us in here, otherwise {warm}."
    )


def toll_free_if_close(scene: Scene) -> None:
    """Without toll if that is at most ten minutes longer."""
    here = scene.cities(1)[0]
    there = scene.near(here, 60, 900)
    scene.begin(here, (6, 14), state_of_charge=92)
    place = scene.find(there)
    routes = scene.routes(scene.here, place)
    quick = fastest(routes)
    free = fastest([route for route in routes if not route["includes_toll"]], 1)
    longer = minutes(free) - minutes(quick)
    need(quick["includes_toll"] and abs(longer - TOLL_MIN) >= 3)
    scene.branch = "close" if longer < TOLL_MIN else "far"
    way, other = (free, quick) if longer < TOLL_MIN else (quick, free)
    scene.decide("get_routes_from_start_to_destination", "routes.includes_toll")
    scene.change(NAVIGATE, route_ids=[way["route_id"]])
    scene.carelessly(NAVIGATE, route_ids=[other["route_id"]])
    scene.tell(f"It takes {duration(minutes(way))}.", duration(minutes(way)))
    scene.part(
        f"Take me to {there['name']}. I'll go without tolls if that's at most ten minutes longer "
        "than the fastest route, otherwise take the fastest. And how long will it take?"
    )
    sky = scene.weather(place, scene.now + minutes(way), "temperature_c")
    scene.tell(
        f"It will be {sky['temperature_c']} degrees then.",
        scene.path("get_weather", "current_slot.temperature_c"),
    )
    scene.part("And how warm will it be there when I arrive?")


def _hours(poi: Row) -> str:
    return str(poi["opening_hours"])


def open_on_arrival(scene: Scene) -> None:
    """The one of two places that is still open on arrival."""
    here = scene.cities(1)[0]
    there = scene.near(here, 60, 300)
    scene.begin(here, (10, 20))
    category, wanted = scene.pick(
        [("restaurants", "a restaurant"), ("supermarkets", "a supermarket"),
         ("fast_food", "something quick to eat"), ("bakery", "a bakery")]
    )  # fmt: skip
    place = scene.find(there)
    found = scene.look("search_poi_at_location", location_id=place, category_poi=category)
    at = {
        poi["id"]: scene.now + minutes(fastest(scene.world.routes(scene.here, poi["id"]), 1))
        for poi in found["pois_found"]
    }
    need(all(minute < 24 * 60 for minute in at.values()))
    opened = [poi for poi in found["pois_found"] if surely_open(poi, at[poi["id"]])]
    closed = [poi for poi in found["pois_found"] if surely_open(poi, at[poi["id"]], opened=False)]
    one, other = sole(opened), sole(closed)
    need(is_open(_hours(other), scene.now))
    way = fastest(scene.routes(scene.here, one["id"]))  # hours alone may rule out the other
    scene.decide("search_poi_at_location", "pois_found.opening_hours")
    scene.decide("get_routes_from_start_to_destination")
    scene.change(NAVIGATE, route_ids=[way["route_id"]])
    scene.carelessly(
        NAVIGATE, route_ids=[scene.world.routes(scene.here, other["id"])[0]["route_id"]]
    )
    arrival = clock(at[one["id"]])
    scene.tell(f"You arrive at {one['name']} at about {arrival}.", arrival)
    scene.part(
        f"I need {wanted} in {there['name']} that's still open when I get there. Take me to it on "
        "the fastest route, and tell me when I arrive."
    )


def filter_relaxed(scene: Scene) -> None:
    """What is open now; another kind of place where none of the first is."""
    here = scene.cities(1)[0]
    scene.begin(here, (7, 23))
    one, other = scene.some(
        [("bakery", "bakery"), ("supermarkets", "supermarket"), ("fast_food", "snack bar"),
         ("restaurants", "restaurant")], 2,
    )  # fmt: skip
    opened: dict[str, Any] = {"location_id": scene.here, "filters": ["any::currently_open"]}
    search = "search_poi_at_location"
    found = scene.look(search, **opened, category_poi=one[0])["pois_found"]
    scene.branch = "found" if found else "relaxed"
    if not found:
        found = scene.look(search, **opened, category_poi=other[0])["pois_found"]
    place = sole(found)
    need(surely_open(place, scene.now))
    every = scene.world.pois_at(scene.here, one[0])
    wrong = [poi for poi in every if poi != place]
    way = scene.fastest(scene.here, place["id"])
    scene.decide(search, "pois_found.opening_hours")
    scene.change(NAVIGATE, route_ids=[way["route_id"]])
    other_way = scene.world.routes(scene.here, wrong[0]["id"])[0]
    scene.carelessly(NAVIGATE, route_ids=[other_way["route_id"]])
    closes = clock_of(place)
    scene.tell(f"{place['name']} is open until {closes}.", closes)
    scene.part(
        f"Take me to the {one[1]} here in town that's open right now, on the fastest way. If none "
        f"is, take me to the {other[1]} that's open. And until when is it open?"
    )


def clock_of(poi: Row) -> str:
    """When a place closes."""
    return _hours(poi).rpartition(" ")[2].removesuffix("h")


def two_legs(scene: Scene) -> None:
    """A trip of two legs, of which the last is dropped."""
    here = scene.cities(1)[0]
    first = scene.near(here)
    last = scene.near(first)
    need(last["id"] != here["id"])
    scene.begin(here, (6, 12))
    ids = scene.find(first), scene.find(last)
    legs = [scene.fastest(scene.here, ids[0]), scene.fastest(*ids)]
    scene.change(NAVIGATE, route_ids=[leg["route_id"] for leg in legs])
    total = sum(map(minutes, legs))
    scene.tell(f"Both legs, each the fastest, take {duration(total)}.", duration(total))
    scene.part(
        f"Plan me a trip to {first['name']} and on to {last['name']}, the fastest route each time. "
        "How long will I be driving altogether?"
    )
    scene.change("navigation_delete_destination", destination_id_to_delete=ids[1])
    scene.carelessly("delete_current_navigation")
    scene.part(f"That's too long for today. Let's end in {first['name']}.")


def other_trip(scene: Scene) -> None:
    """A trip is dropped for a new one along the shortest route."""
    here = scene.cities(1)[0]
    old, new = scene.near(here), scene.near(here)
    need(old["id"] != new["id"])
    scene.begin(here, **scene.trip(here, old))
    place = scene.find(new)
    routes = scene.routes(scene.here, place)
    short = shortest(routes)
    need(short != fastest(routes))
    scene.change("delete_current_navigation")
    scene.change(NAVIGATE, route_ids=[short["route_id"]])
    scene.carelessly("delete_current_navigation")
    scene.carelessly(NAVIGATE, route_ids=[fastest(routes)["route_id"]])
    scene.tell(f"It takes {duration(minutes(short))}.", duration(minutes(short)))
    scene.part(
        f"Forget the trip to {old['name']}, delete it. Take me to {new['name']} instead, on the "
        "shortest route. How long does that take?"
    )


def three_facts_by_mail(scene: Scene) -> None:
    """What was found out about a trip goes to somebody by e-mail."""
    here = scene.cities(1)[0]
    there, person = scene.near(here), scene.person()
    scene.begin(here, (5, 17))
    place = scene.find(there)
    way = scene.fastest(scene.here, place)
    arrival = scene.now + minutes(way)
    sky = scene.weather(place, arrival, "temperature_c")
    scene.later(minutes(way))
    scene.tell(f"You would arrive at {clock(arrival)}.", clock(arrival))
    scene.tell(
        f"It will be {sky['temperature_c']} degrees then.",
        scene.path("get_weather", "current_slot.temperature_c"),
    )
    scene.part(
        f"If I leave for {there['name']} now on the fastest route, when do I get there, and how "
        "warm will it be then?"
    )
    scene.change(NAVIGATE, route_ids=[way["route_id"]])
    card = scene.contact(person)
    text = f"I arrive in {there['name']} at {clock(arrival)}. It is {sky['temperature_c']} there."
    scene.change("send_email", email_addresses=[card["email"]], content_message=text)
    scene.carelessly("send_email", email_addresses=[card["email"]], content_message=text)
    scene.part(f"Good, take me there, and e-mail {called(person)} that arrival time and weather.")


def time_on_the_way(scene: Scene) -> None:
    """Where one is after some time, and what there is around that kilometre."""
    here = scene.cities(1)[0]
    there = scene.near(here, 200, 600)
    trip = scene.trip(here, there)
    scene.begin(here, (7, 14), **trip)
    category, wanted = scene.pick(
        [("restaurants", "a restaurant"), ("bakery", "a bakery"), ("fast_food", "a snack bar")]
    )
    [route_id] = trip["routes_to_final_destination_id"]
    state = scene.look("get_current_navigation_state", detailed_information=True)
    need(state["navigation_active"])
    away = scene.chance.choice((60, 75, 90, 100, 110))
    km = scene.look(
        "convert_route_distance_and_time", decides=True, route_id=route_id, time_minutes=away
    )
    spot = {"route_id": route_id, "category_poi": category}
    at = round(km["distance_km"])
    found = [
        scene.peek("search_poi_along_the_route", **spot, at_kilometer=each)[
            "pois_found_along_route"
        ]
        for each in (at - 3, at, at + 3)
    ]
    stop = sole(found[1])
    need(all([poi["id"] for poi in each] == [stop["id"]] for each in found))
    need(surely_open(stop, scene.now + away))
    scene.look("search_poi_along_the_route", **spot, at_kilometer=at)
    to, on = scene.fastest(scene.here, stop["id"]), scene.fastest(stop["id"], there["id"])
    _add(scene, scene.here, stop["id"], there["id"], to, on)
    _carelessly_end(scene, stop, there)
    scene.tell(f"I have added {stop['name']}.", scene.name_of(stop))
    scene.part(
        f"I'll be hungry in about {away} minutes. Add a stop at {wanted} around where we'll be "
        "then, the fastest way there and on from there. What's it called?"
    )


def _add(scene: Scene, before: str, new: str, after: str, to: Row, on: Row) -> None:
    scene.change(
        "navigation_add_one_waypoint",
        waypoint_id_to_add=new,
        waypoint_id_before_new_waypoint=before,
        waypoint_id_after_new_waypoint=after,
        route_id_leading_to_new_waypoint=to["route_id"],
        route_id_leading_away_from_new_waypoint=on["route_id"],
    )


def _carelessly_end(scene: Scene, stop: Row, there: Row) -> None:
    """A new trip to the stop alone."""
    ways = scene.world.routes(scene.here, stop["id"])
    scene.carelessly("delete_current_navigation")
    scene.carelessly(NAVIGATE, route_ids=[ways[0]["route_id"]])
    need(stop["id"] != there["id"])


def short_detour(scene: Scene) -> None:
    """A stop only if it costs at most some minutes."""
    here = scene.cities(1)[0]
    there = scene.near(here, 110, 400)
    trip = scene.trip(here, there)
    scene.begin(here, (8, 15), **trip)
    [route_id] = trip["routes_to_final_destination_id"]
    scene.look("get_current_navigation_state", detailed_information=True)
    found = scene.look(
        "search_poi_along_the_route", decides=True, route_id=route_id, category_poi="supermarkets"
    )["pois_found_along_route"]
    first = fastest([{**p, **_detour(p)} for p in found], 2)
    needed, limit = minutes(first), scene.chance.choice((3, 5, 8, 10))
    need(abs(needed - limit) >= 2)
    scene.branch = "near" if needed < limit else "far"
    scene.tell(f"{first['name']} costs {needed} minutes.", f"{needed} min")
    if needed < limit:
        to, on = scene.fastest(scene.here, first["id"]), scene.fastest(first["id"], there["id"])
        need(surely_open(first, scene.now + minutes(to)))
        _add(scene, scene.here, first["id"], there["id"], to, on)
        scene.carelessly("set_reading_light", position="PASSENGER", on=True)
    else:
        scene.change("set_reading_light", position="PASSENGER", on=True)
        _carelessly_end(scene, first, there)
    scene.part(
        f"Which supermarket on our way costs the least time? If it's at most {limit} minutes, add "
        "it as a stop, the fastest way. If not, leave the trip and put the passenger's reading "
        "light on, I'll write a shopping list."
    )


def _detour(poi: Row) -> Row:
    time = poi["detour_from_route_time"]
    return {"duration_hours": time["hour"], "duration_minutes": time["minutes"]}


MOTIFS = (
    dry_on_arrival, warm_on_arrival, toll_free_if_close, open_on_arrival, filter_relaxed, two_legs,
    other_trip, three_facts_by_mail, time_on_the_way, short_detour,
)  # fmt: skip
