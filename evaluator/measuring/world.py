"""How long the world takes to answer: searches and routes, in the car and over the bus."""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

from assistant_gateway.timing.timeline import MS, wall_ns
from evaluator.measuring.rig.parked_car import parked_car, request_ns
from evaluator.measuring.rig.percentiles import UNKNOWN, Percentiles, percentiles
from evaluator.run.units import Bench
from vehicle_bus.car.state import CarSetup, PlacePreferences
from vehicle_bus.contract import Command
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

Arguments = dict[str, Any]
CATEGORIES = tuple(PlacePreferences.model_fields)
NEEDS_KILOMETER = "charging_stations"
TOOLS = {
    "poi_at_location": "search_poi_at_location",
    "poi_along_route": "search_poi_along_the_route",
    "routes": "get_routes_from_start_to_destination",
    "routes_poi": "get_routes_from_start_to_destination",
}


async def world_ms(up: Bench, lookups: int) -> dict[str, Percentiles]:
    """Percentiles per look-up, each also with `_bus`; null for what the world cannot answer."""
    figures: dict[str, Percentiles] = {}
    async with parked_car(up, "world"):
        for name, tool in TOOLS.items():
            asked = _answered(up.world, tool, samples(up.world, name, lookups))
            in_car = [took_ns for _, took_ns in asked]
            over_bus = [await request_ns(up, "world", tool, given) for given, _ in asked]
            figures[name] = percentiles(in_car, MS)
            figures[f"{name}_bus"] = percentiles(over_bus, MS)
    return figures


def unknown_world_ms() -> dict[str, Percentiles]:
    return {key: dict(UNKNOWN) for name in TOOLS for key in (name, f"{name}_bus")}


def _answered(world: World, tool: str, samples: list[Arguments]) -> list[tuple[Arguments, int]]:
    """The arguments a car has an answer for, and what that took inside the car."""
    vehicle = Vehicle(CarSetup(), world)
    answered = []
    for arguments in samples:
        command = Command(call_id="bench", arguments=arguments)
        started_ns = wall_ns()
        handled = vehicle.handle(tool, command)
        took_ns = wall_ns() - started_ns
        if handled.status == "SUCCESS":
            answered.append((arguments, took_ns))
    return answered


def samples(world: World, name: str, most: int) -> list[Arguments]:
    """Different things to ask a world for, the same each time; fewer if it holds fewer."""
    asking = {
        "poi_at_location": _at_locations,
        "poi_along_route": _along_routes,
        "routes": _city_pairs,
        "routes_poi": _to_places,
    }[name]
    return list(islice(asking(world, random.Random(name)), most))


def _at_locations(world: World, chance: random.Random) -> Iterator[Arguments]:
    for location_id, category in _places(world, chance):
        yield {"location_id": location_id, "category_poi": category}


def _along_routes(world: World, chance: random.Random) -> Iterator[Arguments]:
    for number, pair in enumerate(_city_pairs(world, chance)):
        route = chance.choice(world.routes(pair["start_id"], pair["destination_id"]))
        asked = {"route_id": route["route_id"], "category_poi": chance.choice(CATEGORIES)}
        if number % 2 or asked["category_poi"] == NEEDS_KILOMETER:
            asked["at_kilometer"] = chance.randint(1, max(1, int(route["distance_km"])))
        yield asked


def _city_pairs(world: World, chance: random.Random) -> Iterator[Arguments]:
    ids = [row["id"] for row in world.locations()]
    pairs = [(start, end) for start in ids for end in ids if start != end]
    chance.shuffle(pairs)
    for start, end in pairs:
        if world.routes(start, end):
            yield {"start_id": start, "destination_id": end}


def _to_places(world: World, chance: random.Random) -> Iterator[Arguments]:
    ids = [row["id"] for row in world.locations()]
    for location_id, category in _places(world, chance):
        place = chance.choice(world.pois_at(location_id, category))["id"]
        chance.shuffle(ids)
        elsewhere = (one for one in ids if one != location_id)
        start = next((one for one in elsewhere if world.routes(one, place)), None)
        if start is not None:
            yield {"start_id": start, "destination_id": place}


def _places(world: World, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Locations and categories of which they have a place."""
    pairs = [(row["id"], category) for row in world.locations() for category in CATEGORIES]
    chance.shuffle(pairs)
    for location_id, category in pairs:
        if world.pois_at(location_id, category):
            yield location_id, category
