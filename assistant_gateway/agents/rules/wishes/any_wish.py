"""Everything a driver can wish for."""

from dataclasses import dataclass

from assistant_gateway.agents.rules.wishes.asked import Asked, Reach, Weather
from assistant_gateway.agents.rules.wishes.comfort import Comfort
from assistant_gateway.agents.rules.wishes.contact import Contact
from assistant_gateway.agents.rules.wishes.journey import (
    AddStop,
    Drop,
    EndAt,
    Find,
    Guide,
    Journey,
    Resume,
    RoutesTo,
    StopGuidance,
    Swap,
    TripStatus,
)
from assistant_gateway.agents.rules.wishes.small_talk import SmallTalk
from assistant_gateway.agents.rules.wishes.wish import Adjust, Inquire

WET = ("rain", "snow", "hail", "thunder", "drizzle", "storm")
JOURNEYS = (Guide, AddStop, Swap, Drop, EndAt, StopGuidance, Resume, TripStatus, RoutesTo, Find)


@dataclass(frozen=True, slots=True)
class EnoughCharge:
    """The battery gets the car there with so many percent left."""

    where: Reach
    percent: float


@dataclass(frozen=True, slots=True)
class Sky:
    """It rains, or does not; `words` are those a forecast would say it with."""

    weather: Weather
    is_wet: bool
    words: tuple[str, ...] = WET


@dataclass(frozen=True, slots=True)
class Degrees:
    """It is warmer outside than so many degrees, or colder."""

    weather: Weather
    degrees: float
    is_above: bool


Condition = EnoughCharge | Sky | Degrees


@dataclass(frozen=True, slots=True)
class OnlyIf:
    """A wish that holds under a condition."""

    condition: Condition
    wish: "Wish"


Wish = Adjust | Inquire | SmallTalk | Comfort | Journey | Asked | Contact | OnlyIf
