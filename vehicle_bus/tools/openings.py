"""Sunroof, sunshade, trunk and windows."""

from typing import Annotated, Any, Literal

from vehicle_bus.car.car import Car
from vehicle_bus.car.schema import Limits
from vehicle_bus.car.tool import Coded, tool

Percent = Annotated[float, Limits(0, 100, step=1)]
Seat = Literal[
    "ALL", "DRIVER", "PASSENGER", "DRIVER_REAR", "PASSENGER_REAR", "RIGHT_REAR", "LEFT_REAR"
]
SEATS: dict[str, tuple[str, ...]] = {
    "ALL": ("driver", "passenger", "driver_rear", "passenger_rear"),
    "DRIVER": ("driver",),
    "PASSENGER": ("passenger",),
    "DRIVER_REAR": ("driver_rear",),
    "PASSENGER_REAR": ("passenger_rear",),
    "LEFT_REAR": ("driver_rear",),
    "RIGHT_REAR": ("passenger_rear",),
}
OTHER_SIDE = {"LEFT_REAR": "RIGHT_REAR", "RIGHT_REAR": "LEFT_REAR"}


def seats(car: Car, named: str) -> tuple[str, ...]:
    """The seats that a name stands for; the driver sits on the left, but under Q12."""
    return SEATS[OTHER_SIDE.get(named, named) if "Q12" in car.compat else named]


def is_list(value: Any, _compat: frozenset[str]) -> bool:
    return isinstance(value, list)


@tool("set", Coded("percentage", "OPEN_CLOSE_SUNROOF_001"))
def open_close_sunroof(car: Car, percentage: Percent) -> dict[str, Any]:
    """Open or close the sunroof. The sunshade below it is not moved along.

    Args:
        percentage: Target opening in percent; 0 is closed, 100 fully open.
    """
    car.set(sunroof_position=percentage)
    return {"percentage": percentage}


@tool("set", Coded("percentage", "OPEN_CLOSE_SUNSHADE_001"))
def open_close_sunshade(car: Car, percentage: Percent) -> dict[str, Any]:
    """Open or close the shade under the sunroof.

    Args:
        percentage: Target opening in percent; 0 is closed, 100 fully open.
    """
    car.set(sunshade_position=percentage)
    return {"percentage": percentage}


@tool("set", Coded("action", "OPEN_CLOSE_TRUNK_DOOR_001"), confirm=True)
def open_close_trunk_door(car: Car, action: Literal["OPEN", "CLOSE"]) -> dict[str, Any]:
    """Open or close the trunk. Ask the driver for an explicit yes before calling this.

    Args:
        action: What the trunk door should do.
    """
    plain = {"OPEN": "open", "CLOSE": "closed"}
    car.set(trunk_door_position=action if "Q10" in car.compat else plain[action])
    return {"action": action}


@tool(
    "set",
    Coded("percentage", "OPEN_CLOSE_WINDOW_001"),
    Coded("window", "OPEN_CLOSE_WINDOW_002", only=is_list),
    Coded("window", "OPEN_CLOSE_WINDOW_003"),
)
def open_close_window(car: Car, window: Seat, percentage: Percent) -> dict[str, Any]:
    """Open or close windows.

    Args:
        window: Which window; DRIVER_REAR is the one behind the driver. ALL moves all four.
        percentage: Target opening in percent; 0 is closed, 100 fully open.
    """
    car.set(**{f"window_{seat}_position": percentage for seat in seats(car, window)})
    return {"window": window, "percentage": percentage}


@tool("get")
def get_sunroof_and_sunshade_position(car: Car) -> dict[str, Any]:
    """Tell how far sunroof and sunshade are open, in percent (0 closed, 100 fully open)."""
    caption = "Opening of sunroof and sunshade in percent"
    return {"description": caption, **car.values("sunroof_position", "sunshade_position")}


@tool("get")
def get_trunk_door_position(car: Car) -> dict[str, Any]:
    """Tell whether the trunk door is open or closed."""
    return car.values("trunk_door_position")


@tool("get")
def get_vehicle_window_positions(car: Car) -> dict[str, Any]:
    """Tell how far each of the four windows is open, in percent (0 closed, 100 fully open)."""
    return {
        "description": "Percent: 0 is closed, 100 is fully open",
        **car.values(*(f"window_{seat}_position" for seat in SEATS["ALL"])),
    }
