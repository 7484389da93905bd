"""What an assistant knows: where and when it is, and what its tools answered."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assistant_gateway.agents.rules.language.patterns import Patterns
from vehicle_bus.world.world import Row

_SAYS = Patterns(__file__)


@dataclass(frozen=True, slots=True)
class Moment:
    """A minute of one day."""

    year: int
    month: int
    day: int
    hour: int
    minute: int

    @property
    def minute_of_day(self) -> int:
        return 60 * self.hour + self.minute


@dataclass(frozen=True, slots=True)
class Situation:
    """Where the car is and when it is; None if nobody said so."""

    place_id: str | None
    place_name: str | None
    now: Moment | None


def situation(instructions: str) -> Situation:
    """Read place and time out of the instructions."""
    place, time = _SAYS["place"].search(instructions), _SAYS["time"].search(instructions)
    return Situation(
        place_id=place["id"] if place else None,
        place_name=place["name"] if place else None,
        now=Moment(**{name: int(text) for name, text in time.groupdict().items()})
        if time
        else None,
    )


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
