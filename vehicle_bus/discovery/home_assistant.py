"""Retained messages by which Home Assistant finds the parts of a car on MQTT. Pure.

What a tool sets becomes a switch, a number, a select or a cover, everything else a sensor. Limits
and choices are those of the tool; its command is the entity's command.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from vehicle_bus.bus import Publication
from vehicle_bus.car.signals import COLOURS, LEVELS_OF_3, LEVELS_OF_5, Signal
from vehicle_bus.contract import Topics
from vehicle_bus.remote_car.setters import SETTERS, SIGNALS_BY_PATH

Json = dict[str, Any]
PREFIX = "homeassistant"
# Of a fixed payload; for a cover Home Assistant has no template of one.
CALL_ID = "home-assistant"
NEW_CALL_ID = "home-assistant-{{ now().timestamp() }}"  # where the command is a template
MARK = "\ue000"  # stands for the value until the command is a template
HIGHEST_LEVEL = {LEVELS_OF_3: 3, LEVELS_OF_5: 5}
COVERS = {
    "sunroof_position": "window",
    "sunshade_position": "shade",
    "trunk_door_position": "door",
    "window_driver_position": "window",
    "window_passenger_position": "window",
    "window_driver_rear_position": "window",
    "window_passenger_rear_position": "window",
}
DEVICE_CLASSES = {
    "state_of_charge": "battery",
    "remaining_range_km": "distance",
    "travelled_m": "distance",
    "speed_kmh": "speed",
    "outside_c": "temperature",
    "cabin_c": "temperature",
    "climate_temperature_driver": "temperature",
    "climate_temperature_passenger": "temperature",
}
UNITS = {"percent": "%", "Celsius": "°C", "degrees": "°"}


def discovery(
    topics: Topics, vin: str, declarations: Iterable[Json], paths: Iterable[str]
) -> list[Publication]:
    """One retained message for each signal that the car shows."""
    offered = {one["function"]["name"]: one["function"]["parameters"] for one in declarations}
    publications = []
    for path in paths:
        signal = SIGNALS_BY_PATH[path]
        tool = SETTERS[path].tool if path in SETTERS else None
        component, fields = (
            _sensor(signal)
            if tool is None or tool not in offered
            else _control(signal, topics.command(vin, tool), offered[tool])
        )
        name = signal.name.replace(".", "_")
        state_topic = topics.signal(vin, path)
        fields = {
            "name": name.replace("_", " ").removesuffix(" position").capitalize(),
            "unique_id": f"codriver_{vin}_{name}",
            "availability_topic": topics.status(vin),
            "availability_template": "{{ 'online' if value_json.online else 'offline' }}",
            "origin": {"name": "codriver"},
            "device": {"identifiers": [f"codriver_{vin}"], "name": vin, "manufacturer": "codriver"},
            **({} if "position_topic" in fields else {"state_topic": state_topic}),
            **fields,
        }
        if "position_topic" in fields:
            fields["position_topic"] = state_topic
        topic = f"{PREFIX}/{component}/codriver_{_plain(vin)}/{name}/config"
        publications.append(Publication(topic, orjson.dumps(fields), retain=True))
    return publications


def forgotten(publications: Iterable[Publication]) -> list[Publication]:
    """What makes Home Assistant forget the same."""
    return [Publication(each.topic, b"", retain=True) for each in publications]


def _plain(vin: str) -> str:
    """Topics of Home Assistant are of letters, digits, `_` and `-`."""
    return "".join(each if each.isalnum() or each in "_-" else "_" for each in vin)


def _sensor(signal: Signal) -> tuple[str, Json]:
    if signal.datatype == "boolean":
        return "binary_sensor", {"value_template": _on_off()}
    return "sensor", {"value_template": "{{ value_json.value }}", **_unit(signal)}


def _control(signal: Signal, command_topic: str, parameters: Json) -> tuple[str, Json]:
    to_car = SETTERS[signal.path].arguments
    if signal.name == "trunk_door_position":
        return "cover", {
            "command_topic": command_topic,
            "payload_open": _command(to_car("open")),
            "payload_close": _command(to_car("closed")),
            "payload_stop": None,
            "value_template": "{{ 'open' if value_json.value else 'closed' }}",
            "device_class": COVERS[signal.name],
        }
    if signal.name in COVERS:
        return "cover", {
            "command_topic": command_topic,
            "payload_open": _command(to_car(100)),
            "payload_close": _command(to_car(0)),
            "payload_stop": None,
            "set_position_topic": command_topic,
            "set_position_template": _template(to_car(MARK), "{{ position }}"),
            "position_topic": "",
            "position_template": "{{ value_json.value }}",
            "device_class": COVERS[signal.name],
        }
    if signal.datatype == "boolean":
        return "switch", {
            "command_topic": command_topic,
            "payload_on": _command(to_car(True)),
            "payload_off": _command(to_car(False)),
            "state_on": "ON",
            "state_off": "OFF",
            "value_template": _on_off(),
        }
    if signal.name == "ambient_light":
        names = orjson.dumps({value: name for name, value in COLOURS.items()}).decode()
        arguments = (
            '{"on": {{ "false" if value == "OFF" else "true" }}, '
            '"lightcolor": "{{ "NONE" if value == "OFF" else value }}"}'
        )
        return "select", {
            "command_topic": command_topic,
            "options": list(COLOURS),
            "command_template": f'{{"call_id": "{NEW_CALL_ID}", "arguments": {arguments}}}',
            "value_template": f"{{{{ {names}[value_json.value] }}}}",
        }
    [schema] = [
        parameters["properties"][name] for name, value in to_car(MARK).items() if value == MARK
    ]
    if "enum" in schema:
        return "select", {
            "command_topic": command_topic,
            "options": schema["enum"],
            "command_template": _template(to_car(MARK), '"{{ value }}"'),
            "value_template": "{{ value_json.value }}",
        }
    return "number", {
        "command_topic": command_topic,
        "command_template": _template(to_car(MARK), "{{ value }}"),
        "min": schema["minimum"],
        "max": schema["maximum"],
        "step": schema["multipleOf"],
        **_level_or_value(signal),
    }


def _level_or_value(signal: Signal) -> Mapping[str, Any]:
    highest = HIGHEST_LEVEL.get(signal.conversion)
    if highest is None:
        return {"value_template": "{{ value_json.value }}", **_unit(signal)}
    return {"value_template": f"{{{{ (value_json.value * {highest} / 100) | round | int }}}}"}


def _unit(signal: Signal) -> Json:
    fields: Json = {}
    if signal.unit:
        fields["unit_of_measurement"] = UNITS.get(signal.unit, signal.unit)
    if signal.name in DEVICE_CLASSES:
        fields["device_class"] = DEVICE_CLASSES[signal.name]
    return fields


def _on_off() -> str:
    return "{{ 'ON' if value_json.value else 'OFF' }}"


def _command(arguments: Json, call_id: str = CALL_ID) -> str:
    return orjson.dumps({"call_id": call_id, "arguments": arguments}).decode()


def _template(arguments: Json, value: str) -> str:
    """The command as a template, with the value in place of its mark."""
    return _command(arguments, NEW_CALL_ID).replace(f'"{MARK}"', value)
