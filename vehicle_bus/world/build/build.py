"""A whole world from the plain files and a seed."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

from vehicle_bus.world.build.chance import Chance
from vehicle_bus.world.build.people import calendars, contacts
from vehicle_bus.world.build.pois import EVERYWHERE, PER_CITY, Poi, PoiMaker
from vehicle_bus.world.build.roads import ALTERNATIVES_IN_TOWN, between_cities, in_town, route_rows
from vehicle_bus.world.build.sources import City, Sources, fingerprint, read_sources
from vehicle_bus.world.build.weather import forecast
from vehicle_bus.world.build.writer import WorldWriter, new_world_file
from vehicle_bus.world.json_lines import Row
from vehicle_bus.world.numbering import Numbering, poi_serial

DEFAULT_SEED = 1
ALTERNATIVES = 3
OnProgress = Callable[[int, int], None]
"""Called with how many steps are done, and of how many."""


def build_world(
    path: Path,
    *,
    seed: int = DEFAULT_SEED,
    cities: int | None = None,
    on_progress: OnProgress | None = None,
) -> None:
    """Write the world of a seed to `path`; with `cities` a smaller one, of at least nine.

    The same seed and files make the same world everywhere. Raises `WorldError` if a file is
    missing or broken, `OSError` if the world cannot be written.
    """
    sources = read_sources(cities)
    numbering = Numbering(seed)
    maker = PoiMaker(numbering, sources.places)
    pairs = list(combinations(sources.cities, 2))
    steps = len(sources.cities) + len(pairs)
    with new_world_file(path) as writer:
        _add_people(writer, sources, seed)
        for done, city in enumerate(sources.cities, start=1):
            _add_city(writer, sources, numbering, maker, city, seed)
            _report(on_progress, done, steps)
        for done, (start, destination) in enumerate(pairs, start=len(sources.cities) + 1):
            _add_pair(writer, numbering, maker, start, destination, seed)
            _report(on_progress, done, steps)
        about = {
            "origin": "built",
            "seed": seed,
            "numbered": True,
            "fingerprint": fingerprint(),
        }
        writer.finish(about, routes=_all_routes(sources, writer.counts["pois"], len(pairs)))


def _report(on_progress: OnProgress | None, done: int, steps: int) -> None:
    if on_progress is not None:
        on_progress(done, steps)


def _add_people(writer: WorldWriter, sources: Sources, seed: int) -> None:
    people = contacts(sources, Chance(seed, "contacts"))
    writer.add_entries("locations", (city.row for city in sources.cities))
    writer.add_entries("weather", _weather(sources, seed))
    writer.add_entries("contacts", people)
    writer.add_entries("calendars", calendars(sources, people, Chance(seed, "calendars")))


def _weather(sources: Sources, seed: int) -> Iterator[Row]:
    written = {row["location_id"]: row for row in sources.weather}
    for city in sources.cities:
        known = written.get(city.row["id"])
        if known is not None:
            yield known
        else:
            name = city.row["name"]
            chance = Chance(seed, f"weather/{name}")
            yield forecast(city.row, sources.climate[name], sources.skies, chance)


def _add_city(
    writer: WorldWriter,
    sources: Sources,
    numbering: Numbering,
    maker: PoiMaker,
    city: City,
    seed: int,
) -> None:
    chance = Chance(seed, f"city/{city.part}")
    streets = sources.streets[city.language]
    for poi in maker.in_city(city, chance):
        writer.add_poi(poi.number, poi.row, poi.fraction, poi.detour_km)
        writer.add_routes(_routes_in_town(numbering, city, poi, streets, chance))


def _routes_in_town(
    numbering: Numbering, city: City, poi: Poi, streets: Sequence[str], chance: Chance
) -> Iterator[Row]:
    ways = in_town(city, poi.row["position"], streets, chance)
    first = poi_serial(poi.number) * ALTERNATIVES
    city_id, poi_id = city.row["id"], poi.row["id"]
    yield from route_rows(numbering, city_id, poi_id, first, ways)
    yield from route_rows(numbering, poi_id, city_id, first, ways, back=True)


def _add_pair(
    writer: WorldWriter,
    numbering: Numbering,
    maker: PoiMaker,
    start: City,
    destination: City,
    seed: int,
) -> None:
    chance = Chance(seed, f"route/{start.part}/{destination.part}")
    ways = between_cities(start, destination, chance)
    start_id, destination_id = start.row["id"], destination.row["id"]
    outward = route_rows(numbering, start_id, destination_id, 0, ways)
    back = route_rows(numbering, destination_id, start_id, 0, ways, back=True)
    writer.add_routes([*outward, *back])
    for poi in maker.along(start, destination, outward, back, chance):
        writer.add_poi(poi.number, poi.row, poi.fraction, poi.detour_km)


def _all_routes(sources: Sources, pois: int, pairs: int) -> int:
    """Those in the file, and those worked out when asked for."""
    airports = sum(city.airport is not None for city in sources.cities)
    in_cities = len(sources.cities) * PER_CITY * len(EVERYWHERE) + airports
    to_other_cities = in_cities * (len(sources.cities) - 1) * 2 * ALTERNATIVES
    along_routes = (pois - in_cities) * 4 * ALTERNATIVES
    in_town = in_cities * 2 * ALTERNATIVES_IN_TOWN
    return pairs * 2 * ALTERNATIVES + in_town + to_other_cities + along_routes
