"""Lights outside and inside."""

from typing import Any, Literal

from vehicle_bus.car.car import Car
from vehicle_bus.car.tool import Coded, tool
from vehicle_bus.tools.openings import SEATS, Seat, is_list, seats

Colour = Literal[
    "RED", "GREEN", "BLUE", "YELLOW", "WHITE", "PINK", "ORANGE", "PURPLE", "CYAN", "NONE"
]


@tool("set", Coded("lightcolor", "SET_AMBIENT_LIGHT_001", code="SetAmbientLights_001"))
def set_ambient_lights(car: Car, on: bool, lightcolor: Colour) -> dict[str, Any]:
    """Switch the ambient light of the cabin on or off.

    Args:
        on: Whether the ambient light should be lit.
        lightcolor: The colour; needed when switching off too. NONE switches off in any case.
    """
    car.set(ambient_light=lightcolor if on and lightcolor != "NONE" else "OFF")
    return {"on": on, "lightcolor": lightcolor}


@tool("set")
def set_fog_lights(car: Car, on: bool) -> dict[str, Any]:
    """Switch the fog lights on or off.

    Args:
        on: Whether the fog lights should be lit.
    """
    car.set(fog_lights=on)
    return {"on": on}


@tool("set", confirm=True)
def set_head_lights_high_beams(car: Car, on: bool) -> dict[str, Any]:
    """Switch the high beams on or off. Ask the driver for an explicit yes before calling this.

    Args:
        on: Whether the high beams should be lit.
    """
    car.set(head_lights_high_beams=on)
    return {"on": on}


@tool("set")
def set_head_lights_low_beams(car: Car, on: bool) -> dict[str, Any]:
    """Switch the low beams on or off.

    Args:
        on: Whether the low beams should be lit.
    """
    car.set(head_lights_low_beams=on)
    return {"on": on}


@tool(
    "set",
    Coded("position", "SET_READING_LIGHT_001", only=is_list),
    Coded("position", "SET_READING_LIGHT_002"),
)
def set_reading_light(car: Car, position: Seat, on: bool) -> dict[str, Any]:
    """Switch reading lights on or off.

    Args:
        position: Which seat; DRIVER_REAR is the one behind the driver. ALL means all four.
        on: Whether the light should be lit.
    """
    car.set(**{f"reading_light_{seat}": on for seat in seats(car, position)})
    return {"position": position}


@tool("get")
def get_ambient_light_status_and_color(car: Car) -> dict[str, Any]:
    """Tell the colour of the ambient light, or OFF."""
    return car.values("ambient_light")


@tool("get")
def get_exterior_lights_status(car: Car) -> dict[str, Any]:
    """Tell which of fog lights, low beams and high beams are lit."""
    return car.values("fog_lights", "head_lights_low_beams", "head_lights_high_beams")


@tool("get")
def get_reading_lights_status(car: Car) -> dict[str, Any]:
    """Tell which of the four reading lights are lit."""
    return car.values(*(f"reading_light_{seat}" for seat in SEATS["ALL"]))
