"""A whole world from the plain files and a seed."""

from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

from vehicle_bus.world.build.chance import Chance
from vehicle_bus.world.build.people import calendars, contacts
from vehicle_bus.world.build.pois import EVERYWHERE, PER_CITY, PoiMaker
from vehicle_bus.world.build.roads import ALTERNATIVES_IN_TOWN, between_cities, in_town, route_rows
from vehicle_bus.world.build.sources import City, Sources, fingerprint, read_sources
from vehicle_bus.world.build.weather import forecast
from vehicle_bus.world.build.writer import WorldWriter, new_world_file
from vehicle_bus.world.json_lines import Row
from vehicle_bus.world.numbering import Numbering, poi_serial
from vehicle_bus.world.places import Poi

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
    pairs = list(combinations(sources.cities, 2))
    steps = len(sources.cities) + len(pairs)
    with new_world_file(path) as writer:
        build = _Build(sources, seed, writer)
        build.add_people()
        for done, city in enumerate(sources.cities, start=1):
            build.add_city(city)
            _report(on_progress, done, steps)
        for done, (start, destination) in enumerate(pairs, start=len(sources.cities) + 1):
            build.add_pair(start, destination)
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


class _Build:
    """Adds the parts of a world to a file; each draws from a chance of its own."""

    def __init__(self, sources: Sources, seed: int, writer: WorldWriter) -> None:
        self._sources = sources
        self._seed = seed
        self._writer = writer
        self._numbering = Numbering(seed)
        self._maker = PoiMaker(self._numbering, sources.places)

    def add_people(self) -> None:
        """Locations and their weather, contacts and calendars."""
        sources, add = self._sources, self._writer.add_entries
        people = contacts(sources, self._chance("contacts"))
        add("locations", (city.row for city in sources.cities))
        add("weather", self._weather())
        add("contacts", people)
        add("calendars", calendars(sources, people, self._chance("calendars")))

    def add_city(self, city: City) -> None:
        chance = self._chance(f"city/{city.part}")
        for poi in self._maker.in_city(city, chance):
            self._writer.add_poi(poi)
            self._writer.add_routes(self._routes_in_town(city, poi, chance))

    def add_pair(self, start: City, destination: City) -> None:
        """Routes between two cities, and the places along them."""
        chance = self._chance(f"route/{start.part}/{destination.part}")
        ways = between_cities(start, destination, chance)
        start_id, destination_id = start.row["id"], destination.row["id"]
        outward = route_rows(self._numbering, start_id, destination_id, 0, ways)
        back = route_rows(self._numbering, destination_id, start_id, 0, ways, back=True)
        self._writer.add_routes([*outward, *back])
        for poi in self._maker.along(start, destination, outward, back, chance):
            self._writer.add_poi(poi)

    def _weather(self) -> Iterator[Row]:
        """A row of each city for each month, but where one is written by hand."""
        sources = self._sources
        for city in sources.cities:
            name = city.row["name"]
            written = [row for row in sources.weather if row["location_id"] == city.row["id"]]
            yield from written
            for month in set(range(1, 13)).difference(*(row["months"] for row in written)):
                chance = self._chance(f"weather/{name}/{month}")
                climate = sources.climate[name]
                yield forecast(city.row, climate, sources.skies, month, chance)

    def _routes_in_town(self, city: City, poi: Poi, chance: Chance) -> Iterator[Row]:
        ways = in_town(city, poi.row["position"], self._sources.streets[city.language], chance)
        first = poi_serial(poi.number) * ALTERNATIVES
        city_id, poi_id = city.row["id"], poi.row["id"]
        yield from route_rows(self._numbering, city_id, poi_id, first, ways)
        yield from route_rows(self._numbering, poi_id, city_id, first, ways, back=True)

    def _chance(self, topic: str) -> Chance:
        return Chance(self._seed, topic)


def _all_routes(sources: Sources, pois: int, pairs: int) -> int:
    """Those in the file, and those worked out when asked for."""
    airports = sum(city.airport is not None for city in sources.cities)
    in_cities = len(sources.cities) * PER_CITY * len(EVERYWHERE) + airports
    to_other_cities = in_cities * (len(sources.cities) - 1) * 2 * ALTERNATIVES
    along_routes = (pois - in_cities) * 4 * ALTERNATIVES
    in_town = in_cities * 2 * ALTERNATIVES_IN_TOWN
    return pairs * 2 * ALTERNATIVES + in_town + to_other_cities + along_routes
