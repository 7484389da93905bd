"""What an assistant has learned about places, routes and people from its tools."""

from collections.abc import Iterator, Mapping
from typing import Any

from vehicle_bus.world.world import Row


class Known:
    """Rows by id, gathered from results; speaks as an `Atlas` for sentences."""

    def __init__(self) -> None:
        self._rows: dict[str, Row] = {}

    def name_place(self, place_id: str, name: str) -> None:
        """A place that is known by id and name only."""
        self._rows.setdefault(place_id, {"id": place_id, "name": name})

    def learn(self, result: Any) -> None:
        """Remember every row with an id that stands anywhere in a result."""
        for row in _rows(result):
            self._rows[str(row.get("route_id") or row.get("id"))] = dict(row)

    def location(self, location_id: str) -> Row | None:
        return self._rows.get(location_id) if location_id.startswith("loc_") else None

    def poi(self, poi_id: str) -> Row | None:
        row = self._rows.get(poi_id) if poi_id.startswith("poi_") else None
        return row if row and "category" in row else None

    def route(self, route_id: str) -> Row | None:
        row = self._rows.get(route_id)
        return row if row and "route_id" in row else None

    def contact(self, contact_id: str) -> Row | None:
        row = self._rows.get(contact_id)
        return row if row and isinstance(row.get("name"), dict) else None

    def contact_with_email(self, email: str) -> Row | None:
        people = (row for row in self._rows.values() if row.get("email") == email)
        return next(people, None)


def _rows(result: Any) -> Iterator[Mapping[str, Any]]:
    match result:
        case dict():
            if isinstance(result.get("route_id"), str) or (
                isinstance(result.get("id"), str) and "name" in result
            ):
                yield result
            for inner in result.values():
                yield from _rows(inner)
        case list():
            for inner in result:
                yield from _rows(inner)
