"""Place and time, as far as the instructions of a session tell them."""

import re
from dataclasses import dataclass

_PLACE = re.compile(r"\bcar is at (?P<name>.+?) \(id (?P<id>loc_\w+)", re.IGNORECASE)
_TIME = re.compile(
    r"\bIt is (?P<hour>\d{1,2}):(?P<minute>\d{2}) on (?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
)


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
    place, time = _PLACE.search(instructions), _TIME.search(instructions)
    return Situation(
        place_id=place["id"] if place else None,
        place_name=place["name"] if place else None,
        now=Moment(**{name: int(text) for name, text in time.groupdict().items()})
        if time
        else None,
    )
