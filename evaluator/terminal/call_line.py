"""A tool call as it is typed: `set_fan_speed level=3`, or the arguments as one JSON object."""

import json
import shlex
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from assistant_gateway.agents.agent import Call

Tools = Mapping[str, Mapping[str, Any]]  # their functions by name
TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class BadLine(Exception):
    """A line that is meant as a call and is none; the text says why."""


def read_call(line: str, tools: Tools) -> Call | None:
    """The call in a line, or None if its first word is no tool; raises `BadLine`."""
    name, _, rest = line.strip().partition(" ")
    tool = tools.get(name)
    if tool is None:
        if "_" in name:
            close = get_close_matches(name, tools, 1)
            raise BadLine(f"this car has no tool {name}" + "".join(f"; {each}?" for each in close))
        return None
    if rest.lstrip().startswith("{"):
        return Call(name, _json_object(rest))
    return Call(name, _arguments(rest, tool["parameters"]))


def _json_object(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadLine(f"the arguments are no JSON: {error}") from error
    assert isinstance(given, dict)
    return given


def _arguments(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """`name=value` for each; a dot leads into an object: `start.hour=7`."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BadLine(f"{error}: quotes belong around a value with spaces") from error
    arguments: dict[str, Any] = {}
    for word in words:
        path, equals, value = word.partition("=")
        if not equals:
            raise BadLine(f"{word!r} is no argument; write name=value, quoted if it has spaces")
        inside, here = arguments, schema
        *outer, name = path.split(".")
        for each in outer:
            inside = inside.setdefault(each, {})
            here = here.get("properties", {}).get(each, {})
        inside[name] = _value(value, here.get("properties", {}).get(name, {}))
    return arguments


def _value(text: str, schema: Mapping[str, Any]) -> Any:
    """As the schema wants it; what does not fit is left for whoever checks the call."""
    match schema.get("type"):
        case "boolean" if text.lower() in TRUTH:
            return TRUTH[text.lower()]
        case "array" if not text.startswith("["):
            items = schema.get("items", {})
            return [_value(each.strip(), items) for each in text.split(",") if each.strip()]
        case "string":
            return text
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def form(tool: Mapping[str, Any]) -> list[str]:
    """How a tool is called, a line per argument."""
    schema = tool["parameters"]
    needed = schema.get("required", ())
    lines = [f"{tool['name']}: {tool.get('description', '')}"]
    for name, each in schema.get("properties", {}).items():
        optional = "" if name in needed else ", may be left out"
        text = each.get("description", "")
        lines.append(f"  {name}={_values(each)}{optional}" + (f"  {text}" if text else ""))
    return lines


def _values(schema: Mapping[str, Any]) -> str:
    match schema:
        case {"enum": options}:
            return "|".join(options)
        case {"type": "boolean"}:
            return "true|false"
        case {"type": "array", "items": items}:
            return f"{_values(items)},…"
        case {"type": "object"}:
            inside = schema.get("properties", {})
            return f"{{{', '.join(f'{name}: {_values(each)}' for name, each in inside.items())}}}"
        case {"minimum": lowest, "maximum": highest}:
            step = f" in steps of {schema['multipleOf']:g}" if "multipleOf" in schema else ""
            return f"{lowest:g} to {highest:g}{step}"
    return str(schema.get("type", "value"))
