"""What a driver can ask about battery, charging and weather; frozen."""

from dataclasses import dataclass

from assistant_gateway.agents.rules.wishes.journey import Goal


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
