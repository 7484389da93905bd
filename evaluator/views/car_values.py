"""The values of a car for people: groups, labels and texts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vehicle_bus.world.world import World

Shown = Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Row:
    """One value of the car: its name, its label within the group, and the text of a value.

    In a sentence `thing` follows the label: driver window. What `moves` changes by itself while
    the car drives.
    """

    name: str
    label: str
    shown: Shown
    thing: str = ""
    moves: bool = False

    @property
    def noun(self) -> str:
        return f"{self.label} {self.thing}".strip().lower()


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    rows: tuple[Row, ...]


def opening(value: Any) -> str:
    return {0: "closed", 100: "open"}.get(value, f"{value} %")


def switch(value: Any) -> str:
    return "on" if value else "off"


def level(value: Any) -> str:
    return f"level {value}" if value else "off"


def words(value: Any) -> str:
    return str(value).replace("_", " + ").lower()


def circulation(value: Any) -> str:
    return str(value).replace("_", " ").lower()


def celsius(value: Any) -> str:
    return f"{value:.1f} °C"


def percent(value: Any) -> str:
    return f"{value:g} %"


def kilometres(value: Any) -> str:
    return f"{value:.0f} km"


def speed(value: Any) -> str:
    return f"{value:.0f} km/h"


def driven(value: Any) -> str:
    return f"{value / 1000:.1f} km"


def latitude(value: Any) -> str:
    return f"{abs(value):.4f}° {'N' if value >= 0 else 'S'}"


def longitude(value: Any) -> str:
    return f"{abs(value):.4f}° {'E' if value >= 0 else 'W'}"


def trunk(value: Any) -> str:
    return "open" if str(value).lower() == "open" else "closed"


def occupied(value: Any) -> str:
    return "occupied" if value else "empty"


def several(value: Any) -> str:
    return ", ".join(value) or "none"


def legs(value: Any) -> str:
    return "1 leg" if len(value) == 1 else f"{len(value)} legs" if value else "none"


def stops(value: Any) -> str:
    return " → ".join(value) or "none"


GROUPS: tuple[Group, ...] = (
    Group(
        "Drive",
        (
            Row("speed_kmh", "Speed", speed, moves=True),
            Row("travelled_m", "Driven", driven, "distance", moves=True),
            Row("current_location.position.latitude", "Latitude", latitude, moves=True),
            Row("current_location.position.longitude", "Longitude", longitude, moves=True),
            Row("outside_c", "Outside", celsius, "temperature", moves=True),
            Row("cabin_c", "Inside", celsius, "temperature", moves=True),
        ),
    ),
    Group(
        "Route",
        (
            Row("navigation_active", "Navigation", switch),
            Row("waypoints_id", "Destination", stops),
            Row("routes_to_final_destination_id", "Route", legs),
        ),
    ),
    Group(
        "Battery",
        (
            Row("state_of_charge", "Charge", percent, moves=True),
            Row("remaining_range_km", "Range", kilometres, moves=True),
            Row("charge_limit_percent", "Charge limit", percent),
        ),
    ),
    Group(
        "Windows and roof",
        (
            Row("window_driver_position", "Driver", opening, "window"),
            Row("window_passenger_position", "Passenger", opening, "window"),
            Row("window_driver_rear_position", "Rear driver", opening, "window"),
            Row("window_passenger_rear_position", "Rear passenger", opening, "window"),
            Row("sunroof_position", "Sunroof", opening),
            Row("sunshade_position", "Sunshade", opening),
            Row("trunk_door_position", "Trunk", trunk),
        ),
    ),
    Group(
        "Car",
        (
            Row("seats_occupied.driver", "Driver", occupied, "seat"),
            Row("seats_occupied.passenger", "Passenger", occupied, "seat"),
            Row("seats_occupied.driver_rear", "Rear driver", occupied, "seat"),
            Row("seats_occupied.passenger_rear", "Rear passenger", occupied, "seat"),
            Row("car_color", "Paint", words),
        ),
    ),
    Group(
        "Contacted",
        (
            Row("phone_numbers_called", "Called", several, "number"),
            Row("email_addresses_sent_mail_to", "Mailed", several, "address"),
        ),
    ),
    Group(
        "Climate",
        (
            Row("climate_temperature_driver", "Driver", celsius, "temperature"),
            Row("climate_temperature_passenger", "Passenger", celsius, "temperature"),
            Row("air_conditioning", "Air conditioning", switch),
            Row("fan_speed", "Fan", level),
            Row("fan_airflow_direction", "Airflow", words),
            Row("air_circulation", "Circulation", circulation),
            Row("window_front_defrost", "Front defrost", switch),
            Row("window_rear_defrost", "Rear defrost", switch),
            Row("seat_heating_driver", "Driver seat heating", level),
            Row("seat_heating_passenger", "Passenger seat heating", level),
            Row("steering_wheel_heating", "Steering wheel heating", level),
        ),
    ),
    Group(
        "Lights",
        (
            Row("head_lights_low_beams", "Low beams", switch),
            Row("head_lights_high_beams", "High beams", switch),
            Row("fog_lights", "Fog lights", switch),
            Row("ambient_light", "Ambient light", words),
            Row("reading_light_driver", "Driver reading", switch, "light"),
            Row("reading_light_passenger", "Passenger reading", switch, "light"),
            Row("reading_light_driver_rear", "Rear driver reading", switch, "light"),
            Row("reading_light_passenger_rear", "Rear passenger reading", switch, "light"),
        ),
    ),
)
ROWS: Mapping[str, Row] = {row.name: row for group in GROUPS for row in group.rows}


def layout() -> list[dict[str, Any]]:
    """The groups as a page needs them."""
    return [
        {
            "title": group.title,
            "rows": [[row.name, row.label, row.moves, row.noun] for row in group.rows],
        }
        for group in GROUPS
    ]


def written(values: Mapping[str, Any], world: World) -> dict[str, Any]:
    """Values by name as `{value, text}`, places by their names in the world."""
    return {
        name: {"value": value, "text": ROWS[name].shown(place_names(name, value, world))}
        for name, value in values.items()
        if name in ROWS
    }


def place_names(name: str, value: Any, world: World) -> Any:
    """A value of the car; if it has ids of places, their names."""
    return [place_name(world, place_id) for place_id in value] if name == "waypoints_id" else value


def is_news(values: Mapping[str, Any]) -> bool:
    """Whether a value changed that does not move by itself."""
    return not all(ROWS[name].moves for name in values)


def place_name(world: World, place_id: str) -> str:
    place = world.location(place_id) if place_id.startswith("loc_") else world.poi(place_id)
    return str(place["name"]) if place else place_id
