"""What makes noise in the cabin, read from the signals of the car, and how loud it is there."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat

from assistant_gateway.sound.pcm import sum_db
from vehicle_bus.car.signals import (
    MOTION_SIGNALS,
    STATE_BY_NAME,
    STATE_SIGNALS,
    state_signals,
)

Source = Literal["microphone", "tyres", "wind", "openings", "fan", "rain"]
SOURCES: tuple[Source, ...] = get_args(Source)
Share = Annotated[float, Field(ge=0, le=1)]

MICROPHONE_DBFS = -66.0
AT_KMH = 100.0  # the speed at which the levels of tyres and wind are given
TYRES_DBFS, TYRES_PER_DECADE = -48.0, 30.0
WIND_DBFS, WIND_PER_DECADE = -46.0, 50.0
WINDOW_DB = 20.0  # a window that is fully open, above the wind of a closed car
ROOF_SHARE = 0.6  # of what a window lets in
TILTED_SHARE = 0.1
FAN_DBFS = (-69.0, -44.0)  # barely on, and at full speed
RAIN_DBFS = (-64.0, -44.0)  # first drops, and a cloudburst

PATHS = {signal.name: signal.path for signal in (*STATE_SIGNALS, *MOTION_SIGNALS)}
WINDOWS = tuple(PATHS[name] for name in PATHS if name.startswith("window_") and "position" in name)
RAIN = "Vehicle.Body.Raindetection.Intensity"  # of VSS; ours has none, cars of others may


class Cabin(BaseModel):
    """How fast it goes, how far all windows together (0 to 4) and the roof are open, fan, rain."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    speed_kmh: NonNegativeFloat = 0.0
    windows: Annotated[float, Field(ge=0, le=len(WINDOWS))] = 0.0
    roof: Annotated[float, Field(ge=-1, le=1)] = 0.0  # below 0 it is tilted
    fan: Share = 0.0
    rain: Share = 0.0

    @classmethod
    def of_signals(cls, signals: Mapping[str, Any]) -> "Cabin":
        """From a snapshot of the car: values by VSS path; what is not there is off or closed."""

        def percent(path: str) -> float:
            return (signals.get(path) or 0) / 100

        return cls(
            speed_kmh=abs(signals.get(PATHS["speed_kmh"]) or 0),
            windows=math.fsum(map(percent, WINDOWS)),
            roof=percent(PATHS["sunroof_position"]),
            fan=percent(PATHS["fan_speed"]),
            rain=percent(RAIN),
        )

    @classmethod
    def of_state(cls, state: Mapping[str, Any], speed_kmh: float = 0.0) -> "Cabin":
        """From the state of the car by short names, at a speed."""
        known = {name: value for name, value in state.items() if name in STATE_BY_NAME}
        return cls.of_signals({**state_signals(known), PATHS["speed_kmh"]: speed_kmh})

    def levels(self) -> dict[Source, float]:
        """The level of each source that can be heard, in dBFS within the band of speech."""
        tyres = _at_speed(TYRES_DBFS, TYRES_PER_DECADE, self.speed_kmh)
        wind = _at_speed(WIND_DBFS, WIND_PER_DECADE, self.speed_kmh)
        found = {
            "microphone": MICROPHONE_DBFS,
            "tyres": tyres,
            "wind": wind,
            "openings": _let_in(wind, self._open),
            "fan": _between(FAN_DBFS, self.fan),
            "rain": _between(RAIN_DBFS, self.rain),
        }
        return {source: found[source] for source in SOURCES if found[source] > -math.inf}

    @property
    def noise_dbfs(self) -> float:
        """All of it together."""
        return sum_db(tuple(self.levels().values()))

    @property
    def _open(self) -> float:
        """As if so many windows were fully open."""
        return self.windows + ROOF_SHARE * (
            self.roof if self.roof > 0 else -TILTED_SHARE * self.roof
        )


def _at_speed(level: float, per_decade: float, speed_kmh: float) -> float:
    return level + per_decade * math.log10(speed_kmh / AT_KMH) if speed_kmh else -math.inf


def _let_in(wind: float, windows: float) -> float:
    return wind + WINDOW_DB + 10 * math.log10(windows) if windows else -math.inf


def _between(levels: tuple[float, float], share: float) -> float:
    least, most = levels
    return least + (most - least) * share if share else -math.inf
