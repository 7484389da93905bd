"""Four cities, two routes between any two, a few places: small enough to know by heart."""

import json
from collections.abc import Iterable, Mapping
from itertools import pairwise, permutations
from typing import Any

from vehicle_bus.car.state import CarSetup, Compat
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.build.writer import WorldWriter, world_in_memory
from vehicle_bus.world.file import WorldFile
from vehicle_bus.world.json_lines import Row
from vehicle_bus.world.places import Poi
from vehicle_bus.world.recipe import Recipe
from vehicle_bus.world.world import World

MUN, BER, HAM, ESS = "loc_mun_1", "loc_ber_2", "loc_ham_3", "loc_ess_4"
NAMES = {MUN: ("Munich", 11.6, 48.1), BER: ("Berlin", 13.4, 52.5)}
NAMES |= {HAM: ("Hamburg", 10.0, 53.6), ESS: ("Essen", 7.0, 51.5)}
CITIES = tuple(NAMES)
CAFE, PUMP, MOTEL, NIGHT = "poi_res_5", "poi_cha_6", "poi_res_7", "poi_res_8"
FAST_PLUG, SLOW_PLUG = "plg_cha_1", "plg_cha_2"


def route_id(start: str, destination: str, number: int = 1) -> str:
    kinds = f"r{start[0]}{destination[0]}"
    return f"{kinds}_{start[4:7]}_{destination[4:7]}_{number}"


def city_route(start: str, destination: str, number: int = 1) -> Row:
    """The first alternative takes 100 km and 60 minutes, the second 120 km and 75 minutes."""
    return {
        "route_id": route_id(start, destination, number),
        "start_id": start,
        "destination_id": destination,
        "name_via": f"A{number}",
        "distance_km": 80.0 + 20 * number,
        "duration_hours": 1,
        "duration_minutes": 15 * (number - 1),
        "road_types": ["highway"],
        "includes_toll": False,
        "alias": [["fastest", "first", "shortest"], ["second"]][number - 1],
    }


def place(place_id: str, category: str, hours: str, **more: Any) -> Row:
    return {
        "id": place_id,
        "name": place_id,
        "category": category,
        "position": {"longitude": 12.0, "latitude": 50.0},
        "opening_hours": hours,
        "phone_number": "+49 1",
        **more,
    }


def plug(plug_id: str, power_type: str, power_kw: int, availability: str) -> Row:
    return {
        "plug_id": plug_id,
        "power_type": power_type,
        "power_kw": power_kw,
        "availability": availability,
    }


def on_the_way(kilometre: float) -> Row:
    return {
        "corresponding_route_ids": [route_id(MUN, BER, number) for number in (1, 2)],
        "route_positions": {"rll_mun_ber": {"at_route_kilometer": kilometre}},
    }


PLACES = (
    place(CAFE, "restaurants", "10:00h - 14:00h", corresponding_location_id=MUN),
    place(
        PUMP,
        "charging_stations",
        "00:00h - 24:00h",
        charging_plugs=[
            plug(FAST_PLUG, "DC", 350, "occupied"),
            plug(SLOW_PLUG, "AC", 22, "available"),
        ],
        **on_the_way(50.0),
    ),
    place(MOTEL, "restaurants", "08:00h - 20:00h", **on_the_way(40.0)),
    place(NIGHT, "restaurants", "20:00h - 04:00h", **on_the_way(75.0)),
)
# Motel: 40 km on the way plus 2 km; night bar: 75 km plus 1 km, but 5 km away from the first route.
DETOURS = {PUMP: (0.5, 3.0), MOTEL: (0.4, 2.0), NIGHT: (0.75, 1.0)}


def recipes() -> list[Recipe]:
    """Both alternatives of the two ways to and from each place along Munich-Berlin."""
    made = []
    for poi_id, (fraction, detour_km) in DETOURS.items():
        for number in (1, 2):
            base = route_id(MUN, BER, number)
            for start, end, share in ((MUN, poi_id, fraction), (poi_id, BER, 1 - fraction)):
                made.append(
                    Recipe(
                        route_id(start, end, int(poi_id[-1]) * 10 + number),
                        start,
                        end,
                        base,
                        number - 1,
                        share,
                        detour_km,
                    )
                )
    return made


def city_routes() -> list[Row]:
    return [
        city_route(start, end, number)
        for start, end in permutations(CITIES, 2)
        for number in (1, 2)
    ]


def world_file(
    pois: Iterable[Row] = (),
    routes: Iterable[Row] = (),
    recipes: Iterable[Recipe] = (),
    detours: Mapping[tuple[str, str], Row] | None = None,
    **people: Iterable[Row],
) -> WorldFile:
    """A world in memory of the given rows; `people` are locations, weather, contacts, calendars."""

    def write(writer: WorldWriter) -> None:
        for kind, rows in people.items():
            writer.add_entries(kind, rows)
        for number, poi in enumerate(pois):
            writer.add_poi(Poi(number, poi))
        writer.add_routes(routes)
        writer.add_recipes(recipes)
        for (poi_id, route_id), detour in (detours or {}).items():
            writer.add_detour(poi_id, route_id, detour)
        writer.finish({"numbered": False})

    return world_in_memory(write)


LOCATIONS = [
    {"id": key, "name": name, "position": {"longitude": east, "latitude": north}}
    for key, (name, east, north) in NAMES.items()
]
SMALL = World(world_file(locations=LOCATIONS, pois=PLACES, routes=city_routes(), recipes=recipes()))


def car(compat: Compat = "codriver", *waypoints: str, **start: Any) -> Vehicle:
    """A car whose navigation follows the first alternatives along `waypoints`, if there are any."""
    trip = {
        "navigation_active": bool(waypoints),
        "waypoints_id": waypoints,
        "routes_to_final_destination_id": tuple(
            route_id(one, other) for one, other in pairwise(waypoints)
        ),
    }
    return Vehicle(CarSetup(start={**trip, **start}, compat=compat), SMALL)


def said(output: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(output)
    return answer
