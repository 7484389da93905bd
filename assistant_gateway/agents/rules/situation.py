"""Place and time, as far as the instructions of a session tell them."""

from dataclasses import dataclass

from assistant_gateway.agents.rules.language.patterns import Patterns

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
