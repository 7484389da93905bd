"""Air: temperature, fan, direction, circulation, defrost."""

from typing import Annotated, Any, Literal

from vehicle_bus.car.car import Car
from vehicle_bus.car.schema import Limits
from vehicle_bus.car.state import Airflow
from vehicle_bus.car.tool import Coded, tool

Zone = Literal["ALL_ZONES", "DRIVER", "PASSENGER"]
ZONES: dict[str, tuple[str, ...]] = {
    "ALL_ZONES": ("driver", "passenger"),
    "DRIVER": ("driver",),
    "PASSENGER": ("passenger",),
}


def is_a_tool_error(temperature: Any, compat: frozenset[str]) -> bool:
    return "Q13" not in compat or not 0 <= temperature <= 100


@tool("set", Coded("mode", "SET_AIR_CIRCULATION_001"))
def set_air_circulation(
    car: Car, mode: Literal["FRESH_AIR", "RECIRCULATION", "AUTO"]
) -> dict[str, Any]:
    """Choose where the air in the cabin comes from.

    Args:
        mode: Air from outside, the same air again, or left to the car.
    """
    car.set(air_circulation=mode)
    return {"mode": mode}


@tool("set")
def set_air_conditioning(car: Car, on: bool) -> dict[str, Any]:
    """Switch the air conditioning (cooling and drying of the air) on or off.

    Args:
        on: Whether the air conditioning should run.
    """
    car.set(air_conditioning=on)
    return {"on": on}


@tool(
    "set",
    Coded("temperature", "SET_CLIMATE_TEMPERATURE_001", only=is_a_tool_error),
    Coded("seat_zone", "SET_CLIMATE_TEMPERATURE_002"),
)
def set_climate_temperature(
    car: Car, temperature: Annotated[float, Limits(16, 28, step=0.5)], seat_zone: Zone
) -> dict[str, Any]:
    """Set the wanted cabin temperature.

    Args:
        temperature: Degrees Celsius, in steps of half a degree.
        seat_zone: Whose side of the car, or both.
    """
    car.set(**{f"climate_temperature_{zone}": temperature for zone in ZONES[seat_zone]})
    return {"temperature": temperature, "seat_zone": seat_zone}


@tool("set", Coded("direction", "SET_FAN_AIRFLOW_DIRECTION_001"))
def set_fan_airflow_direction(car: Car, direction: Airflow) -> dict[str, Any]:
    """Choose where the air of the fan goes.

    Args:
        direction: One target, or several joined by an underscore.
    """
    car.set(fan_airflow_direction=direction)
    return {"direction": direction}


@tool("set", Coded("level", "SET_FAN_SPEED_001"))
def set_fan_speed(car: Car, level: Annotated[float, Limits(0, 5, step=1)]) -> dict[str, Any]:
    """Set the fan of the air vents.

    Args:
        level: How strongly it blows: 0 is off, 5 the strongest.
    """
    car.set(fan_speed=level)
    return {"level": level}


@tool("set", Coded("defrost_window", "SET_WINDOW_DEFROST_001"))
def set_window_defrost(
    car: Car, on: bool, defrost_window: Literal["ALL", "FRONT", "REAR"]
) -> dict[str, Any]:
    """Switch defrosting on or off; nothing else changes.

    Args:
        on: Whether to defrost.
        defrost_window: Windshield, rear window, or both.
    """
    panes = ("front", "rear") if defrost_window == "ALL" else (defrost_window.lower(),)
    car.set(**{f"window_{pane}_defrost": on for pane in panes})
    return {"on": on, "defrost_window": defrost_window}


@tool("get")
def get_climate_settings(car: Car) -> dict[str, Any]:
    """Tell fan level, fan direction, air conditioning, air circulation and both defrosters."""
    return car.values(
        "fan_speed",
        "fan_airflow_direction",
        "air_conditioning",
        "air_circulation",
        "window_front_defrost",
        "window_rear_defrost",
    )


@tool("get")
def get_temperature_inside_car(car: Car) -> dict[str, Any]:
    """Tell the temperature set for driver and front passenger, in degrees Celsius."""
    return {
        **car.values("climate_temperature_driver", "climate_temperature_passenger"),
        "temperature_unit": "Celsius",
    }
