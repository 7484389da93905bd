"""How things of the cabin stand, in a sentence each."""

from collections.abc import Callable, Mapping
from typing import Any

from assistant_gateway.agents.rules.dialogue import (
    Declined,
    Dialogue,
    Prepared,
    Result,
    Steps,
    value,
)
from assistant_gateway.agents.rules.wishes.wish import Inquire
from assistant_gateway.wording.spoken import enumerated, spoken, words

CLIMATE = "get_climate_settings"
ROOF = "get_sunroof_and_sunshade_position"
LIGHTS = "get_exterior_lights_status"
Tell = Callable[[Callable[[str], Any]], str]
SEAT_NAMES = ("driver", "passenger", "driver_rear", "passenger_rear")
NAMES = {"color": "the colour of the car", "occupancy": "who sits where"}


def _on(is_on: Any) -> str:
    return "on" if is_on is True else "off"


def _open(percent: Any) -> str:
    if percent in (0, "closed", "CLOSE"):
        return "closed"
    if percent in (100, "open", "OPEN"):
        return "open"
    return f"{percent} percent open"


def _level(level: Any) -> str:
    return f"at level {level:g}" if level else "off"


def _panes(field: Callable[[str], Any]) -> str:
    shown = {seat: _open(_whole(field(f"window_{seat}_position"))) for seat in SEAT_NAMES}
    if len(set(shown.values())) == 1:
        return f"All windows are {shown['driver']}."
    told = [
        f"{words('arguments')['windows'][seat.upper()]} is {how}" for seat, how in shown.items()
    ]
    return f"{_capital(enumerated(told))}."


def _seats(field: Callable[[str], Any]) -> str:
    taken = field("seats_occupied")
    sitting = [spoken(seat) for seat in SEAT_NAMES if isinstance(taken, dict) and taken.get(seat)]
    return f"Taken seats: {enumerated(sitting)}." if sitting else "All seats are empty."


def _reading(field: Callable[[str], Any]) -> str:
    lit = [seat for seat in SEAT_NAMES if field(f"reading_light_{seat}") is True]
    if not lit:
        return "All reading lights are off."
    told = [words("arguments")["reading_lights"][seat.upper()] for seat in lit]
    return f"{_capital(enumerated(told))} {'is' if len(lit) == 1 else 'are'} on."


def _defrosters(field: Callable[[str], Any]) -> str:
    front, rear = _on(field("window_front_defrost")), _on(field("window_rear_defrost"))
    return f"The front defroster is {front}, and the rear defroster is {rear}."


def _degrees(field: Callable[[str], Any]) -> str:
    driver, other = (field(f"climate_temperature_{zone}") for zone in ("driver", "passenger"))
    if driver == other:
        return f"The temperature is set to {driver:g} degrees."
    return f"It is set to {driver:g} degrees for the driver and {other:g} for the passenger."


def _seat_heating(field: Callable[[str], Any]) -> str:
    driver, other = (field(f"seat_heating_{zone}") for zone in ("driver", "passenger"))
    return f"The driver's seat heating is {_level(driver)}, the passenger's is {_level(other)}."


def _lights(field: Callable[[str], Any]) -> str:
    fog, low = _on(field("fog_lights")), _on(field("head_lights_low_beams"))
    high = _on(field("head_lights_high_beams"))
    return f"The low beams are {low}, the high beams {high} and the fog lights {fog}."


def _airflow(field: Callable[[str], Any]) -> str:
    return f"The air goes to {spoken(field('fan_airflow_direction')).replace(' ', ' and ')}."


def _wheel(field: Callable[[str], Any]) -> str:
    return f"The steering wheel heating is {_level(field('steering_wheel_heating'))}."


def _switch(name: str, thing: str, are: str = "is") -> Tell:
    return lambda field: f"The {thing} {are} {_on(field(name))}."


def _position(name: str, thing: str) -> Tell:
    return lambda field: f"The {thing} is {_open(_whole(field(name)))}."


def _word(name: str, before: str) -> Tell:
    return lambda field: f"{before} {spoken(field(name))}."


TELL: Mapping[str, tuple[str, Tell]] = {
    "air_conditioning": (CLIMATE, _switch("air_conditioning", "air conditioning")),
    "airflow": (CLIMATE, _airflow),
    "ambient": (
        "get_ambient_light_status_and_color",
        _word("ambient_light", "The ambient light is"),
    ),
    "circulation": (CLIMATE, _word("air_circulation", "The air circulation is on")),
    "color": ("get_car_color", _word("car_color", "The car is")),
    "defrost": (CLIMATE, _defrosters),
    "exterior_lights": (LIGHTS, _lights),
    "fan": (CLIMATE, lambda field: f"The fan is {_level(field('fan_speed'))}."),
    "fog": (LIGHTS, _switch("fog_lights", "fog lights", "are")),
    "high_beams": (LIGHTS, _switch("head_lights_high_beams", "high beams", "are")),
    "lights": (LIGHTS, _lights),
    "low_beams": (LIGHTS, _switch("head_lights_low_beams", "low beams", "are")),
    "occupancy": ("get_seats_occupancy", _seats),
    "reading": ("get_reading_lights_status", _reading),
    "seat_heating": ("get_seat_heating_level", _seat_heating),
    "sunroof": (ROOF, _position("sunroof_position", "sunroof")),
    "sunshade": (ROOF, _position("sunshade_position", "sunshade")),
    "temperature": ("get_temperature_inside_car", _degrees),
    "trunk": ("get_trunk_door_position", _position("trunk_door_position", "trunk")),
    "wheel_heating": ("get_steering_wheel_heating_level", _wheel),
    "window": ("get_vehicle_window_positions", _panes),
}


def tell(wish: Inquire, talk: Dialogue) -> Steps[Prepared]:
    if wish.thing not in TELL:
        raise Declined("I'm sorry, I can't look that up: the car doesn't tell me.")
    tool, sentence = TELL[wish.thing]
    result: Result = yield from talk.look(tool)
    return Prepared(told=(sentence(lambda name: value(result, tool, name)),))


def _whole(amount: Any) -> Any:
    return int(amount) if isinstance(amount, float) and amount.is_integer() else amount


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
