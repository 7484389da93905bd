"""Heating of seats and steering wheel, who sits where, and the car's colour."""

from typing import Annotated, Any

from vehicle_bus.car.car import Car
from vehicle_bus.car.schema import Limits
from vehicle_bus.car.tool import Coded, tool
from vehicle_bus.tools.climate import ZONES, Zone

Level = Annotated[float, Limits(0, 3, step=1)]


@tool("set", Coded("level", "SET_SEAT_HEATING_001"), Coded("seat_zone", "SET_SEAT_HEATING_002"))
def set_seat_heating(car: Car, level: Level, seat_zone: Zone) -> dict[str, Any]:
    """Set the heating of the front seats.

    Args:
        level: 0 is off, 3 the warmest.
        seat_zone: Which front seat, or both.
    """
    car.set(**{f"seat_heating_{zone}": level for zone in ZONES[seat_zone]})
    return {"level": level, "seat_zone": seat_zone}


@tool("set", Coded("level", "SET_STEERING_WHEEL_HEATING_001"))
def set_steering_wheel_heating(car: Car, level: Level) -> dict[str, Any]:
    """Set the heating of the steering wheel.

    Args:
        level: 0 is off, 3 the warmest.
    """
    car.set(steering_wheel_heating=level)
    return {"level": level}


@tool("get")
def get_car_color(car: Car) -> dict[str, Any]:
    """Tell the colour this car is painted in."""
    return {"car_color": car.context.car_color}


@tool("get")
def get_seat_heating_level(car: Car) -> dict[str, Any]:
    """Tell the heating level of both front seats, 0 (off) to 3."""
    return car.values("seat_heating_driver", "seat_heating_passenger")


@tool("get")
def get_seats_occupancy(car: Car) -> dict[str, Any]:
    """Tell on which of the four seats somebody sits."""
    return {"seats_occupied": car.context.seats_occupied.model_dump()}


@tool("get")
def get_steering_wheel_heating_level(car: Car) -> dict[str, Any]:
    """Tell the heating level of the steering wheel, 0 (off) to 3."""
    return car.values("steering_wheel_heating")
