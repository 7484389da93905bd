"""The car's variables as vehicle signals: one row each, short name to COVESA VSS v6.0 path.

What VSS cannot say (combined airflow, a route, who was called) has a path under the overlay
`Vehicle.Codriver`. A window, roof or shade position of 100 means fully open.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from vehicle_bus.car.state import FixedContext

OVERLAY = "Vehicle.Codriver."
COLOURS = {
    "OFF": "#000000",
    "RED": "#FF0000",
    "GREEN": "#00FF00",
    "BLUE": "#0000FF",
    "YELLOW": "#FFFF00",
    "WHITE": "#FFFFFF",
    "PINK": "#FFC0CB",
    "ORANGE": "#FFA500",
    "PURPLE": "#800080",
    "CYAN": "#00FFFF",
}
NAMES_OF_COLOURS = {value: name for name, value in COLOURS.items()}
Datatype = Literal[
    "boolean", "uint8", "int8", "uint16", "uint32", "float", "double", "string", "string[]"
]


@dataclass(frozen=True, slots=True)
class Conversion:
    """From the car's own value to that of VSS, and back."""

    to_vss: Callable[[Any], Any]
    from_vss: Callable[[Any], Any]


def same(value: Any) -> Any:
    return value


def levels(highest: int) -> Conversion:
    """Levels 0 to `highest` as percent."""
    return Conversion(
        lambda level: round(level * 100 / highest), lambda percent: round(percent * highest / 100)
    )


AS_IT_IS = Conversion(same, same)
LEVELS_OF_3 = levels(3)
LEVELS_OF_5 = levels(5)
COLOUR = Conversion(COLOURS.__getitem__, NAMES_OF_COLOURS.__getitem__)
OCCUPANCY = Conversion(
    lambda occupied: "OCCUPIED" if occupied else "EMPTY", lambda status: status == "OCCUPIED"
)
TRUNK = Conversion(
    lambda position: position in ("open", "OPEN"), lambda is_open: "open" if is_open else "closed"
)
KILOMETRES = Conversion(lambda km: round(km * 1000), lambda metres: metres / 1000)
WHOLE = Conversion(round, float)


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal of the vehicle signal specification and where its value comes from.

    `name` is a `CarState` variable, a dotted path in `FixedContext`, or a position variable with
    the part of it, such as its latitude.
    """

    name: str
    path: str
    datatype: Datatype
    unit: str = ""
    lowest: float | None = None
    highest: float | None = None
    conversion: Conversion = AS_IT_IS


def percent(
    name: str,
    path: str,
    datatype: Datatype = "uint8",
    lowest: float = 0,
    conversion: Conversion = AS_IT_IS,
) -> Signal:
    return Signal(name, path, datatype, "percent", lowest, 100, conversion)


def switch(name: str, path: str) -> Signal:
    return Signal(name, path, "boolean")


def heating(name: str, path: str) -> Signal:
    return percent(name, path, "int8", -100, LEVELS_OF_3)


def celsius(name: str, path: str) -> Signal:
    return Signal(name, path, "float", "Celsius")


def position(name: str, path: str) -> tuple[Signal, Signal]:
    """Latitude and longitude of a place."""
    return (
        Signal(f"{name}.latitude", f"{path}.Latitude", "double", "degrees", -90, 90),
        Signal(f"{name}.longitude", f"{path}.Longitude", "double", "degrees", -180, 180),
    )


def texts(name: str, path: str) -> Signal:
    return Signal(name, OVERLAY + path, "string[]")


def seat(name: str, path: str) -> Signal:
    path = f"Vehicle.Cabin.Seat.{path}.OccupancyStatus"
    return Signal(f"seats_occupied.{name}", path, "string", conversion=OCCUPANCY)


DOOR = "Vehicle.Cabin.Door"
SPOT = "Vehicle.Cabin.Light.Spotlight"
LIGHTS = "Vehicle.Body.Lights"
HVAC = "Vehicle.Cabin.HVAC"
BATTERY = "Vehicle.Powertrain.TractionBattery"

STATE_SIGNALS: tuple[Signal, ...] = (
    percent("sunroof_position", "Vehicle.Cabin.Sunroof.Position", "int8", lowest=-100),
    percent("sunshade_position", "Vehicle.Cabin.Sunroof.Shade.Position"),
    Signal("trunk_door_position", "Vehicle.Body.Trunk.Rear.IsOpen", "boolean", conversion=TRUNK),
    percent("window_driver_position", f"{DOOR}.Row1.DriverSide.Window.Position"),
    percent("window_passenger_position", f"{DOOR}.Row1.PassengerSide.Window.Position"),
    percent("window_driver_rear_position", f"{DOOR}.Row2.DriverSide.Window.Position"),
    percent("window_passenger_rear_position", f"{DOOR}.Row2.PassengerSide.Window.Position"),
    switch("reading_light_driver", f"{SPOT}.Row1.DriverSide.IsLightOn"),
    switch("reading_light_passenger", f"{SPOT}.Row1.PassengerSide.IsLightOn"),
    switch("reading_light_driver_rear", f"{SPOT}.Row2.DriverSide.IsLightOn"),
    switch("reading_light_passenger_rear", f"{SPOT}.Row2.PassengerSide.IsLightOn"),
    switch("fog_lights", f"{LIGHTS}.Fog.Front.IsOn"),
    switch("head_lights_low_beams", f"{LIGHTS}.Beam.Low.IsOn"),
    switch("head_lights_high_beams", f"{LIGHTS}.Beam.High.IsOn"),
    Signal(
        "ambient_light",
        "Vehicle.Cabin.Light.AmbientLight.Row1.DriverSide.Color",
        "string",
        conversion=COLOUR,
    ),
    celsius("climate_temperature_driver", f"{HVAC}.Station.Row1.Driver.Temperature"),
    celsius("climate_temperature_passenger", f"{HVAC}.Station.Row1.Passenger.Temperature"),
    heating("steering_wheel_heating", "Vehicle.Chassis.SteeringWheel.HeatingCooling"),
    heating("seat_heating_driver", "Vehicle.Cabin.Seat.Row1.DriverSide.HeatingCooling"),
    heating("seat_heating_passenger", "Vehicle.Cabin.Seat.Row1.PassengerSide.HeatingCooling"),
    percent("fan_speed", f"{HVAC}.Station.Row1.Driver.FanSpeed", conversion=LEVELS_OF_5),
    switch("window_front_defrost", f"{HVAC}.IsFrontDefrosterActive"),
    switch("window_rear_defrost", f"{HVAC}.IsRearDefrosterActive"),
    Signal("fan_airflow_direction", f"{OVERLAY}Cabin.HVAC.AirDistribution", "string"),
    switch("air_conditioning", f"{HVAC}.IsAirConditioningActive"),
    Signal("air_circulation", f"{OVERLAY}Cabin.HVAC.AirCirculation", "string"),
    switch("navigation_active", f"{OVERLAY}Navigation.IsActive"),
    texts("waypoints_id", "Navigation.Waypoints"),
    texts("routes_to_final_destination_id", "Navigation.Routes"),
    texts("email_addresses_sent_mail_to", "Communication.EmailsSentTo"),
    texts("phone_numbers_called", "Communication.NumbersCalled"),
    percent("charge_limit_percent", f"{BATTERY}.Charging.ChargeLimit"),
)
CONTEXT_SIGNALS: tuple[Signal, ...] = (
    Signal("car_color", "Vehicle.VehicleIdentification.VehicleExteriorColor", "string"),
    Signal("battery_capacity_kwh", f"{BATTERY}.GrossCapacity", "uint16", "kWh", conversion=WHOLE),
    percent("state_of_charge", f"{BATTERY}.StateOfCharge.Displayed", "float"),
    Signal("max_charging_power_ac", f"{OVERLAY}Powertrain.MaximumChargingPower.AC", "uint16", "kW"),
    Signal("max_charging_power_dc", f"{OVERLAY}Powertrain.MaximumChargingPower.DC", "uint16", "kW"),
    Signal("remaining_range_km", f"{BATTERY}.Range", "uint32", "m", conversion=KILOMETRES),
    seat("driver", "Row1.DriverSide"),
    seat("passenger", "Row1.PassengerSide"),
    seat("driver_rear", "Row2.DriverSide"),
    seat("passenger_rear", "Row2.PassengerSide"),
    *position("current_location.position", "Vehicle.CurrentLocation"),
)
DESTINATION_SIGNALS: tuple[Signal, ...] = position(
    "waypoints_id", "Vehicle.Cabin.Infotainment.Navigation.DestinationSet"
)
MOTION_SIGNALS: tuple[Signal, ...] = (
    Signal("speed_kmh", "Vehicle.Speed", "float", "km/h"),
    Signal("travelled_m", "Vehicle.TraveledDistance", "uint32", "m"),
    celsius("outside_c", "Vehicle.Exterior.AirTemperature"),
    celsius("cabin_c", f"{HVAC}.AmbientAirTemperature"),
)
SIGNALS = STATE_SIGNALS + CONTEXT_SIGNALS + DESTINATION_SIGNALS + MOTION_SIGNALS
STATE_BY_NAME = {signal.name: signal for signal in STATE_SIGNALS}
CONTEXT_BY_NAME = {signal.name: signal for signal in CONTEXT_SIGNALS}
# Result fields that show a signal under another name.
FIELD_NAMES = {
    ("get_charging_specs_and_status", "remaining_range"): "remaining_range_km",
    ("get_current_navigation_state", "waypoints"): "waypoints_id",
    ("get_current_navigation_state", "routes"): "routes_to_final_destination_id",
}


def state_signals(values: dict[str, Any]) -> dict[str, Any]:
    """State variables by short name to VSS values by path."""
    return {
        STATE_BY_NAME[name].path: STATE_BY_NAME[name].conversion.to_vss(value)
        for name, value in values.items()
    }


def context_signals(context: FixedContext) -> dict[str, Any]:
    """What stays fixed, as VSS values by path."""
    return {
        signal.path: signal.conversion.to_vss(_along(context, signal.name))
        for signal in CONTEXT_SIGNALS
    }


def motion_signals(readings: dict[str, float]) -> dict[str, Any]:
    """What only a moving car measures, by path."""
    return {signal.path: readings[signal.name] for signal in MOTION_SIGNALS}


def destination_signals(position: dict[str, float] | None) -> dict[str, Any]:
    """Where the navigation leads, by path; nowhere is null."""
    return {
        signal.path: position[signal.name.rpartition(".")[2]] if position else None
        for signal in DESTINATION_SIGNALS
    }


def hidden_paths(results: Iterable[tuple[str, ...]]) -> frozenset[str]:
    """Paths of the signals that show the same as a result field, given as (tool, field, …)."""
    hidden = {FIELD_NAMES.get((tool, name), name) for tool, *fields in results for name in fields}
    return frozenset(signal.path for signal in SIGNALS if signal.name.split(".")[0] in hidden)


def _along(context: FixedContext, name: str) -> Any:
    value: Any = context
    for part in name.split("."):
        value = getattr(value, part)
    return value
