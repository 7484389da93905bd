"""What a car knows of itself: what tools change, what stays fixed, how a task sets it up."""

from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from vehicle_bus.car.fault import Fault
from vehicle_bus.same_object import SameObject

Percent = Annotated[int, Field(ge=0, le=100)]
HeatLevel = Annotated[int, Field(ge=0, le=3)]
FanLevel = Annotated[int, Field(ge=0, le=5)]
Celsius = Annotated[float, Field(ge=16, le=28, multiple_of=0.5)]
AmbientLight = Literal[
    "OFF", "RED", "GREEN", "BLUE", "YELLOW", "WHITE", "PINK", "ORANGE", "PURPLE", "CYAN"
]
Airflow = Literal[
    "FEET",
    "HEAD",
    "HEAD_FEET",
    "WINDSHIELD",
    "WINDSHIELD_FEET",
    "WINDSHIELD_HEAD",
    "WINDSHIELD_HEAD_FEET",
]
AirCirculation = Literal["AUTO", "FRESH_AIR", "RECIRCULATION"]
ChargeLimit = Annotated[int, Field(ge=50, le=100, multiple_of=5)]
Compat = Literal["codriver", "car-bench"]


class CarState(BaseModel):
    """The 32 variables that tools change; percent is 0 closed to 100 fully open, temperatures °C.

    All but the last, the charge limit, are those of the public benchmark; no tool of its tasks
    changes that one. `trunk_door_position` is `closed` or `open`; the public benchmark also knows
    `OPEN` and `CLOSE`, which its tool leaves behind.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sunroof_position: Percent = 0
    sunshade_position: Percent = 0
    trunk_door_position: Literal["closed", "open", "OPEN", "CLOSE"] = "closed"
    window_driver_position: Percent = 0
    window_passenger_position: Percent = 0
    window_driver_rear_position: Percent = 0
    window_passenger_rear_position: Percent = 0
    reading_light_driver: bool = False
    reading_light_passenger: bool = False
    reading_light_driver_rear: bool = False
    reading_light_passenger_rear: bool = False
    fog_lights: bool = False
    head_lights_low_beams: bool = False
    head_lights_high_beams: bool = False
    ambient_light: AmbientLight = "OFF"
    climate_temperature_driver: Celsius = 20.0
    climate_temperature_passenger: Celsius = 20.0
    steering_wheel_heating: HeatLevel = 0
    seat_heating_driver: HeatLevel = 0
    seat_heating_passenger: HeatLevel = 0
    fan_speed: FanLevel = 0
    window_front_defrost: bool = False
    window_rear_defrost: bool = False
    fan_airflow_direction: Airflow = "FEET"
    air_conditioning: bool = False
    air_circulation: AirCirculation = "AUTO"
    navigation_active: bool = False
    waypoints_id: tuple[str, ...] = ()
    routes_to_final_destination_id: tuple[str, ...] = ()
    email_addresses_sent_mail_to: tuple[str, ...] = ()
    phone_numbers_called: tuple[str, ...] = ()
    charge_limit_percent: ChargeLimit = 100

    def changed(self, **values: Any) -> "CarState":
        """The same car with some variables set; raises `ValidationError` if one does not fit."""
        return CarState.model_validate({**self.__dict__, **values})


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Position(Part):
    longitude: float
    latitude: float


class Place(Part):
    id: str
    name: str
    position: Position


class Moment(Part):
    year: int
    month: int
    day: int
    hour: int
    minute: int


class Seats(Part):
    driver: bool = True
    passenger: bool = False
    driver_rear: bool = False
    passenger_rear: bool = False


class ChargingCurve(Part):
    """Share of the maximum power, in percent, up to and including each state of charge."""

    soc_tresholds: tuple[float, ...] = (5, 10, 20, 50, 70, 80, 90, 95, 100)
    power_percentages: tuple[float, ...] = (60, 90, 100, 100, 100, 90, 70, 40, 20)


class PlacePreferences(Part):
    airports: tuple[str, ...] = ()
    bakery: tuple[str, ...] = ()
    fast_food: tuple[str, ...] = ()
    parking: tuple[str, ...] = ()
    public_toilets: tuple[str, ...] = ()
    restaurants: tuple[str, ...] = ()
    supermarkets: tuple[str, ...] = ()
    charging_stations: tuple[str, ...] = ()


class RoutePreferences(Part):
    route_selection: tuple[str, ...] = ()


class CabinPreferences(Part):
    climate_control: tuple[str, ...] = ()
    vehicle_settings: tuple[str, ...] = ()


class TalkPreferences(Part):
    email: tuple[str, ...] = ()
    calendar: tuple[str, ...] = ()


class WeatherPreferences(Part):
    weather: tuple[str, ...] = ()


class Preferences(Part):
    """What the car has learned about its driver, as sentences."""

    points_of_interest: PlacePreferences = PlacePreferences()
    navigation_and_routing: RoutePreferences = RoutePreferences()
    vehicle_settings: CabinPreferences = CabinPreferences()
    productivity_and_communication: TalkPreferences = TalkPreferences()
    weather: WeatherPreferences = WeatherPreferences()


class FixedContext(Part):
    """The 12 things no tool changes: the build of the car, who sits in it, where and when."""

    car_color: str = "blue"
    battery_capacity_kwh: Annotated[float, Field(ge=60, le=100)] = 80.0
    useable_battery_percentage: Annotated[float, Field(ge=90, le=100)] = 95.0
    max_charging_power_ac: Literal[11, 22] = 11
    max_charging_power_dc: Literal[150, 200, 250, 268, 300, 350, 1000] = 250
    energy_consumption: Annotated[float, Field(ge=10, le=20)] = 15.0
    charging_curve_parameters: ChargingCurve = ChargingCurve()
    state_of_charge: Annotated[float, Field(ge=10, le=100)] = 10.0
    seats_occupied: Seats = Seats()
    current_location: Place = Place(
        id="loc_mun_9995", name="Munich", position=Position(longitude=11.575, latitude=48.1375)
    )
    current_datetime: Moment = Moment(year=2025, month=2, day=14, hour=12, minute=0)
    user_preferences: Preferences = Preferences()

    @property
    def usable_kwh(self) -> float:
        return self.battery_capacity_kwh * self.useable_battery_percentage / 100

    @property
    def remaining_range_km(self) -> float:
        return self.range_km(self.state_of_charge)

    def range_km(self, percent: float) -> float:
        """How far a share of the usable battery takes the car."""
        return percent / 100 * self.usable_kwh / self.energy_consumption * 100


STATE_NAMES = frozenset(CarState.model_fields)
# Snapshots of earlier versions lack these; their values are then those of a new car.
NEWER_VARIABLES: dict[str, Any] = {"charge_limit_percent": CarState().charge_limit_percent}
CONTEXT_NAMES = frozenset(FixedContext.model_fields)


def state_at_start(start: dict[str, Any]) -> CarState:
    """Of a start that is not changed any more, as those of `CarSetup` are."""
    return _at_start(SameObject(start))[0]


def context_at_start(start: dict[str, Any]) -> FixedContext:
    """Of a start that is not changed any more, as those of `CarSetup` are."""
    return _at_start(SameObject(start))[1]


@lru_cache(maxsize=1024)
def _at_start(same: SameObject[dict[str, Any]]) -> tuple[CarState, FixedContext]:
    return _read(same.thing)


def _read(start: dict[str, Any]) -> tuple[CarState, FixedContext]:
    return (
        CarState.model_validate({k: v for k, v in start.items() if k in STATE_NAMES}),
        FixedContext.model_validate({k: v for k, v in start.items() if k in CONTEXT_NAMES}),
    )


def values_of_a_car(values: dict[str, Any]) -> dict[str, Any]:
    """The same values; `ValueError` if no car has one of the names, or a value does not fit."""
    known = STATE_NAMES | CONTEXT_NAMES
    if unknown := sorted(values.keys() - known):
        raise ValueError(f"no car has {', '.join(unknown)}; known are {', '.join(sorted(known))}")
    _read(values)
    return values


LATEST_S = 1_000_000_000.0  # of a car that has been up for years, too


class PlannedEvent(BaseModel):
    """At `at_s` of session time variables of the car are set, as a hand would set them.

    `kind` names the event on the bus, `by` the person who did it. The gateway sends the car the
    time once per turn, so what is due in between happens before the next command is carried out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    at_s: float = Field(ge=0, le=LATEST_S)
    set: dict[str, Any] = Field(min_length=1)
    kind: str = Field(default="knob", pattern=r"^[a-z_]+$")
    by: str = "passenger"

    @field_validator("set")
    @classmethod
    def _is_of_a_car(cls, values: dict[str, Any]) -> dict[str, Any]:
        return values_of_a_car(values)

    @property
    def at_ns(self) -> int:
        return round(self.at_s * 1_000_000_000)


class UnderWay(BaseModel):
    """A car that is under way when a session begins: so far along the first route of its trip."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at_kilometer: float = Field(default=0.0, ge=0, le=40_000)


class CarSetup(BaseModel):
    """The car's part of a task.

    `start` holds `CarState` and `FixedContext` values by name; what is left out has its default.
    `removed` lists what this car lacks, as dotted paths: `tool`, `tool.param`, `result.tool.path`.
    `happenings` are events during a session, `faults` hit commands and replies.
    With `motion` it drives along its trip, from a standstill or from the middle of its first route;
    without, everything around it stands still.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    start: dict[str, Any] = {}
    calendar_id: str | None = None
    removed: tuple[str, ...] = ()
    compat: Compat = "codriver"
    public_tools_only: bool = False
    happenings: tuple[PlannedEvent, ...] = ()
    motion: bool | UnderWay = False
    faults: tuple[Fault, ...] = ()

    @field_validator("faults")
    @classmethod
    def _are_of_a_car(cls, faults: tuple[Fault, ...]) -> tuple[Fault, ...]:
        for fault in faults:
            values_of_a_car(fault.set)
            if fault.kind == "contradiction" and not fault.set.keys() <= STATE_NAMES:
                raise ValueError("a contradiction can only be about what tools change")
        return faults

    @field_validator("start")
    @classmethod
    def _is_a_car(cls, start: dict[str, Any]) -> dict[str, Any]:
        return values_of_a_car(start)

    def under_way(self) -> "CarSetup":
        """The same car, moving, from where it is if it is not under way already."""
        return self if self.motion else self.model_copy(update={"motion": True})

    @model_validator(mode="after")
    def _has_one_driver(self) -> "CarSetup":
        moved = any("current_location" in event.set for event in self.happenings)
        if self.motion and moved:
            raise ValueError("a moving car is where its route leads, no event may move it")
        return self
