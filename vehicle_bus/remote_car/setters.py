"""Which tool sets which signal, and how a value becomes its arguments. Pure.

A signal that no single tool owns, such as the waypoints of a route, is read-only.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vehicle_bus.car.signals import SIGNALS, STATE_BY_NAME, Signal

SIGNALS_BY_PATH: Mapping[str, Signal] = {signal.path: signal for signal in SIGNALS}
OFF = "OFF"


class BadValue(ValueError):
    """A value that the signal cannot have; the text says what it can."""


@dataclass(frozen=True, slots=True)
class Setter:
    """The tool that sets a signal; `arguments` makes its arguments of the car's own value."""

    tool: str
    arguments: Callable[[Any], dict[str, Any]]


def parameter(tool: str, name: str, **fixed: str) -> Setter:
    """The value is one parameter, and the others are fixed."""
    return Setter(tool, lambda value: {name: value, **fixed})


def _trunk(value: str) -> dict[str, Any]:
    return {"action": "OPEN" if value == "open" else "CLOSE"}


def _ambient_light(colour: str) -> dict[str, Any]:
    return {"on": colour != OFF, "lightcolor": "NONE" if colour == OFF else colour}


_SETTERS = {
    "sunroof_position": parameter("open_close_sunroof", "percentage"),
    "sunshade_position": parameter("open_close_sunshade", "percentage"),
    "trunk_door_position": Setter("open_close_trunk_door", _trunk),
    "fog_lights": parameter("set_fog_lights", "on"),
    "head_lights_low_beams": parameter("set_head_lights_low_beams", "on"),
    "head_lights_high_beams": parameter("set_head_lights_high_beams", "on"),
    "ambient_light": Setter("set_ambient_lights", _ambient_light),
    "steering_wheel_heating": parameter("set_steering_wheel_heating", "level"),
    "fan_speed": parameter("set_fan_speed", "level"),
    "window_front_defrost": parameter("set_window_defrost", "on", defrost_window="FRONT"),
    "window_rear_defrost": parameter("set_window_defrost", "on", defrost_window="REAR"),
    "fan_airflow_direction": parameter("set_fan_airflow_direction", "direction"),
    "air_conditioning": parameter("set_air_conditioning", "on"),
    "air_circulation": parameter("set_air_circulation", "mode"),
    "charge_limit_percent": parameter("set_charge_limit", "limit_percent"),
    **{
        f"window_{seat}_position": parameter("open_close_window", "percentage", window=seat.upper())
        for seat in ("driver", "passenger", "driver_rear", "passenger_rear")
    },
    **{
        f"reading_light_{seat}": parameter("set_reading_light", "on", position=seat.upper())
        for seat in ("driver", "passenger", "driver_rear", "passenger_rear")
    },
    **{
        f"climate_temperature_{zone}": parameter(
            "set_climate_temperature", "temperature", seat_zone=zone.upper()
        )
        for zone in ("driver", "passenger")
    },
    **{
        f"seat_heating_{zone}": parameter("set_seat_heating", "level", seat_zone=zone.upper())
        for zone in ("driver", "passenger")
    },
}
SETTERS: Mapping[str, Setter] = {
    STATE_BY_NAME[name].path: setter for name, setter in _SETTERS.items()
}


def call_for(path: str, value: Any) -> tuple[str, dict[str, Any]]:
    """Tool and arguments that give a signal of `SETTERS` this VSS value; raises `BadValue`.

    What the car knows in levels becomes the nearest level. Its own limits are the car's business.
    """
    signal, setter = SIGNALS_BY_PATH[path], SETTERS[path]
    try:
        return setter.tool, setter.arguments(signal.conversion.from_vss(value))
    except KeyError as error:
        raise BadValue(f"{path} cannot be {value}") from error


def read_value(signal: Signal, given: Any) -> Any:
    """A value of the signal's datatype, perhaps written as text; raises `BadValue`."""
    value = _read(signal, given)
    if isinstance(value, int | float) and not isinstance(value, bool):
        lowest, highest = signal.lowest, signal.highest
        if (lowest is not None and value < lowest) or (highest is not None and value > highest):
            raise BadValue(f"{signal.path} is from {lowest:g} to {highest:g}, not {value:g}")
    return value


def _read(signal: Signal, given: Any) -> Any:
    try:
        match signal.datatype, given:
            case "boolean", bool():
                return given
            case "boolean", str() if given.lower() in ("true", "false"):
                return given.lower() == "true"
            case "string", str():
                return given
            case "float" | "double", int() | float() | str() if not isinstance(given, bool):
                number = float(given)
                if math.isfinite(number):
                    return number
            case "uint8" | "int8" | "uint16" | "uint32", int() | float() | str() if not isinstance(
                given, bool
            ):
                number = float(given)
                if number.is_integer():
                    return int(number)
    except ValueError:
        pass
    raise BadValue(f"{signal.path} is a {signal.datatype}, not {given!r:.60}")
