"""Everything a driver can wish for; frozen, so that a follow-up may build on it."""

from dataclasses import dataclass

from assistant_gateway.agents.rules.wishes.small_talk import Comfort, SmallTalk

# A verb that says nothing by itself, as in `turn the fan and the AC off`.
UNSAID = ""


@dataclass(frozen=True, slots=True)
class Adjust:
    """Something of the cabin shall change.

    `verb` is on, off, open, close, more, less or set. `amount` is percent, a level or degrees;
    with `is_step` it counts from where things are. `seats` are as in `cabin.yaml`, `choice` a
    colour, a direction, a mode or a pane,
    `like` another thing, or the same at other seats, whose value is taken.
    """

    thing: str
    verb: str
    amount: float | None = None
    is_step: bool = False
    strength: str | None = None
    vague: str | None = None
    seats: tuple[str, ...] = ()
    choice: str | None = None
    only_open: bool = False
    is_implied: bool = False
    like: tuple[str, tuple[str, ...]] | None = None

    @property
    def is_off(self) -> bool:
        return self.verb in ("off", "close")

    @property
    def says_how(self) -> bool:
        """Whether it says where to, not only that something should happen."""
        return bool(self.amount is not None or self.strength or self.choice or self.like)


@dataclass(frozen=True, slots=True)
class Inquire:
    """The driver asks how something of the car stands."""

    thing: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of several routes: by what it is best at, or by its roads."""

    best: str | None = None
    roads: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.best or self.roads)


@dataclass(frozen=True, slots=True)
class Goal:
    """A place: a name, or a kind of place somewhere."""

    name: str | None = None
    kind: str | None = None
    where: str | None = None
    filters: tuple[str, ...] = ()
    pick: str | None = None
    at_km: int | None = None
    is_along: bool = False


@dataclass(frozen=True, slots=True)
class Guide:
    """A trip to the last of the goals, over the others."""

    goals: tuple[Goal, ...]
    choice: Choice = Choice()
    is_straight: bool = False


@dataclass(frozen=True, slots=True)
class AddStop:
    goal: Goal
    before: str | None = None
    after: str | None = None
    choice: Choice = Choice()


@dataclass(frozen=True, slots=True)
class Swap:
    """Another place instead of a stop, or of the destination if none is named."""

    new: Goal
    old: Goal | None = None
    choice: Choice = Choice()


@dataclass(frozen=True, slots=True)
class Drop:
    """A stop, or the destination, is left out; `old` None is one of the stops."""

    old: Goal | None
    is_destination: bool = False
    choice: Choice = Choice()


@dataclass(frozen=True, slots=True)
class EndAt:
    goal: Goal
    choice: Choice = Choice()


@dataclass(frozen=True, slots=True)
class StopGuidance:
    pass


@dataclass(frozen=True, slots=True)
class Resume:
    """The stored trip is followed again."""


@dataclass(frozen=True, slots=True)
class TripStatus:
    pass


@dataclass(frozen=True, slots=True)
class RoutesTo:
    """What ways there are; nothing is started."""

    goal: Goal
    choice: Choice = Choice()


@dataclass(frozen=True, slots=True)
class Find:
    """Places of a kind; nothing is started."""

    goal: Goal


Journey = (
    Guide | AddStop | Swap | Drop | EndAt | StopGuidance | Resume | TripStatus | RoutesTo | Find
)


@dataclass(frozen=True, slots=True)
class Battery:
    """How full it is and how far it lasts; `until_percent` is what shall be left."""

    until_percent: int | None = None
    from_percent: int | None = None
    is_detailed: bool = False


@dataclass(frozen=True, slots=True)
class Reach:
    """Whether the battery gets the car somewhere; the destination of the trip if not named."""

    goal: Goal | None


@dataclass(frozen=True, slots=True)
class ChargingTime:
    """How long charging takes, or with `minutes` how far it gets."""

    station: Goal | None
    start_percent: int | None
    target_percent: int | None
    minutes: int | None = None
    wants_free: bool = False
    wants_dc: bool = False


@dataclass(frozen=True, slots=True)
class Weather:
    """The weather at a town; None is here. `said` holds the time."""

    where: str | None
    said: str


Asked = Battery | Reach | ChargingTime | Weather


@dataclass(frozen=True, slots=True)
class Meeting:
    """One of today's meetings: by words of its topic, by its time, or the next one."""

    words: tuple[str, ...] = ()
    said: str = ""


@dataclass(frozen=True, slots=True)
class PhoneCall:
    """A phone call to a person, or to a place that was found before."""

    name: str | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class Mail:
    """An e-mail; `text` None has to be asked for."""

    names: tuple[str, ...]
    meeting: Meeting | None
    text: str | None


@dataclass(frozen=True, slots=True)
class Agenda:
    """What is in the calendar today."""

    meeting: Meeting | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class ContactDetails:
    """The number or the address of somebody."""

    name: str


Contact = PhoneCall | Mail | Agenda | ContactDetails


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
