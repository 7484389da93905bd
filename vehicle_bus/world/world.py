"""Places, weather and people: what the world around the car answers."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from vehicle_bus.world.atlas import Atlas
from vehicle_bus.world.json_lines import Row as Row
from vehicle_bus.world.json_lines import WorldError as WorldError
from vehicle_bus.world.json_lines import rows as rows

CLOSEST_NAME = 2


class Places(Protocol):
    """Points of interest and routes; rows must not be changed."""

    def poi(self, poi_id: str) -> Row | None: ...

    def pois_at(self, location_id: str, category: str) -> Sequence[Row]:
        """Places of a category that belong to a location, in the order of the world."""
        ...

    def pois_along(
        self, route_id: str, category: str, at_kilometer: float | None, within_km: float
    ) -> Sequence[Row]:
        """Places on a city-to-city route, all or those around a kilometre, in world order."""
        ...

    def has_category(self, category: str) -> bool:
        """Whether any place of the world has it."""
        ...

    def route(self, route_id: str) -> Row | None:
        """A route row: id, ends, name_via, distance_km, duration, road_types, toll, alias."""
        ...

    def routes(self, start_id: str, destination_id: str) -> Sequence[Row]:
        """The alternatives between two points, fastest first; empty if there are none."""
        ...

    def stored_detour(self, poi_id: str, route_id: str) -> Row | None:
        """Detour km and time noted for a place on a route where its segments are unknown.

        `{detour_from_route_km: {...}, detour_from_route_time: {...}}`; None in complete worlds.
        """
        ...


class World(Places, Protocol):
    """Read-only; rows are the JSON objects of the public file format and must not be changed."""

    def locations(self) -> Sequence[Row]: ...

    def location(self, location_id: str) -> Row | None: ...

    def location_named(self, name: str) -> Row | None:
        """The place of that name, forgiving up to two wrong letters."""
        ...

    def weather(self, location_id: str) -> Row | None:
        """The forecast of a location: `{location_id, location_name, weather: [slots]}`."""
        ...

    def contacts(self) -> Sequence[Row]: ...

    def contact(self, contact_id: str) -> Row | None: ...

    def contact_with_email(self, email: str) -> Row | None: ...

    def calendar(self, calendar_id: str) -> Row | None: ...


def place(world: World, place_id: str) -> Row | None:
    """A location or a point of interest by its id."""
    return world.location(place_id) if place_id.startswith("loc_") else world.poi(place_id)


class FileWorld:
    """A world held in memory, indexed by id; later rows with the same id replace earlier ones."""

    def __init__(
        self,
        locations: Sequence[Row] = (),
        weather: Sequence[Row] = (),
        contacts: Sequence[Row] = (),
        calendars: Sequence[Row] = (),
        atlas: Places | None = None,
    ) -> None:
        self._locations = {row["id"]: row for row in locations}
        self._weather = {row["location_id"]: row for row in weather}
        self._contacts = {row["id"]: row for row in contacts}
        self._calendars = {row["id"]: row for row in calendars}
        self._emails = {row["email"]: row for row in self._contacts.values()}
        self._atlas: Places = atlas or Atlas()

    @classmethod
    def load(cls, folder: Path) -> "FileWorld":
        """Read locations, weather, contacts and calendars.jsonl; may raise `WorldError`.

        Places and routes are read as far as there are files of them. The public benchmark's
        complete ones take gigabytes this way: they want an import.
        """
        try:
            locations, weather, contacts, calendars = (
                list(rows(folder / f"{name}.jsonl"))
                for name in ("locations", "weather", "contacts", "calendars")
            )
            return cls(locations, weather, contacts, calendars, Atlas.load(folder))
        except KeyError as error:
            raise WorldError(f"{folder}: a row lacks {error}") from error

    def locations(self) -> Sequence[Row]:
        return tuple(self._locations.values())

    def location(self, location_id: str) -> Row | None:
        return self._locations.get(location_id)

    def location_named(self, name: str) -> Row | None:
        wanted = name.lower()
        distances = [
            (edit_distance(wanted, row["name"].lower(), CLOSEST_NAME), row)
            for row in self._locations.values()
        ]
        distance, nearest = min(distances, key=lambda pair: pair[0], default=(99, None))
        return nearest if distance <= CLOSEST_NAME else None

    def weather(self, location_id: str) -> Row | None:
        return self._weather.get(location_id) if location_id in self._locations else None

    def contacts(self) -> Sequence[Row]:
        return tuple(self._contacts.values())

    def contact(self, contact_id: str) -> Row | None:
        return self._contacts.get(contact_id)

    def contact_with_email(self, email: str) -> Row | None:
        return self._emails.get(email)

    def calendar(self, calendar_id: str) -> Row | None:
        return self._calendars.get(calendar_id)

    def poi(self, poi_id: str) -> Row | None:
        return self._atlas.poi(poi_id)

    def pois_at(self, location_id: str, category: str) -> Sequence[Row]:
        return self._atlas.pois_at(location_id, category)

    def pois_along(
        self, route_id: str, category: str, at_kilometer: float | None, within_km: float
    ) -> Sequence[Row]:
        return self._atlas.pois_along(route_id, category, at_kilometer, within_km)

    def has_category(self, category: str) -> bool:
        return self._atlas.has_category(category)

    def route(self, route_id: str) -> Row | None:
        return self._atlas.route(route_id)

    def routes(self, start_id: str, destination_id: str) -> Sequence[Row]:
        return self._atlas.routes(start_id, destination_id)

    def stored_detour(self, poi_id: str, route_id: str) -> Row | None:
        return self._atlas.stored_detour(poi_id, route_id)


@lru_cache(maxsize=65_536)
def edit_distance(one: str, other: str, enough: int) -> int:
    """How many letters to insert, delete or replace to turn one word into the other.

    Words of very different length, known to be further apart than `enough`, are not compared.
    """
    if abs(len(one) - len(other)) > enough:
        return enough + 1
    above = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        row = [i]
        for j, counterpart in enumerate(other, start=1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != counterpart)))
        above = row
    return above[-1]
