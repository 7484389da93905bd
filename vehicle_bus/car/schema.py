"""JSON Schema from Python annotations, and arguments checked against it.

Only what tool arguments need: numbers, texts, booleans, choices, lists and objects.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

Schema = dict[str, Any]
ViolationKind = Literal["missing", "unexpected", "type", "truth", "range", "step", "enum"]
PLAIN: dict[Any, str] = {float: "number", int: "integer", str: "string", bool: "boolean"}
NUMBERS = ("number", "integer")
COUNTABLE = 2**63


@dataclass(frozen=True, slots=True)
class Limits:
    """Which numbers make sense: bounds are inclusive."""

    lowest: float | None = None
    highest: float | None = None
    step: float | None = None

    def schema(self) -> Schema:
        named = {"multipleOf": self.step, "minimum": self.lowest, "maximum": self.highest}
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Description:
    """The description of a field inside an object."""

    text: str

    def schema(self) -> Schema:
        return {"description": self.text}


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing wrong with an argument; `path` leads to it, its first element is the parameter.

    Of kind `truth` is a truth value in place of a number, and whatever stands for a truth value.
    """

    path: tuple[str, ...]
    kind: ViolationKind
    text: str

    @property
    def is_about_presence(self) -> bool:
        return self.kind in ("missing", "unexpected")

    def __str__(self) -> str:
        return f"{'.'.join(self.path)} {self.text}"


def schema_of(annotation: Any) -> Schema:
    """The JSON Schema of a type; `X | None` is the schema of X, for what may be left out.

    What `Annotated` adds is `Limits`, a `Description`, or a schema itself.
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is NotRequired:
        return schema_of(arguments[0])
    if origin is Annotated:
        schema = schema_of(arguments[0])
        for extra in arguments[1:]:
            schema |= extra if isinstance(extra, dict) else extra.schema()
        return schema
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": schema_of(arguments[0])}
    if origin in (UnionType, Union):
        return schema_of(next(option for option in arguments if option is not NoneType))
    if origin is dict:
        return {"type": "object"}
    if is_typeddict(annotation):
        return _object(annotation)
    return {"type": PLAIN[annotation]}


def _object(annotation: Any) -> Schema:
    hints = get_type_hints(annotation, include_extras=True)
    schema: Schema = {
        "type": "object",
        "properties": {name: schema_of(hint) for name, hint in hints.items()},
    }
    required = [name for name in hints if name in annotation.__required_keys__]
    return schema | ({"required": required} if required else {})


def violations(schema: Schema, value: Any, path: tuple[str, ...] = ()) -> Iterator[Violation]:
    """Everything about `value` that the schema does not allow."""
    if "enum" in schema:
        if not any(value == option for option in schema["enum"]):
            yield Violation(path, "enum", f"must be one of {', '.join(schema['enum'])}")
        return
    kind = schema["type"]
    if not _is_a(kind, value):
        about_truth = kind == "boolean" or (kind in NUMBERS and isinstance(value, bool))
        text = f"must be of type {kind}, not {_named(value)}"
        yield Violation(path, "truth" if about_truth else "type", text)
    elif kind in NUMBERS:
        yield from _number_violations(schema, value, path)
    elif kind == "array":
        for index, item in enumerate(value):
            yield from violations(schema["items"], item, (*path, str(index)))
    elif kind == "object":
        yield from _object_violations(schema, value, path)


def _is_a(kind: str, value: Any) -> bool:
    match kind:
        case "boolean":
            return isinstance(value, bool)
        case "number":
            return is_number(value)
        case "integer":
            return is_number(value) and value == int(value)
        case "string":
            return isinstance(value, str)
        case "array":
            return isinstance(value, list)
        case _:
            return isinstance(value, dict)


def is_number(value: Any) -> bool:
    """Whether a value is a finite number of reasonable size; truth values are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) if isinstance(value, float) else abs(value) < COUNTABLE


def _named(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", str: "string", list: "array", dict: "object"}
    return names.get(type(value), f"{value!r:.40}")


def _number_violations(schema: Schema, value: float, path: tuple[str, ...]) -> Iterator[Violation]:
    lowest, highest = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    if not lowest <= value <= highest:
        yield Violation(path, "range", f"must be between {lowest} and {highest}, not {value}")
    elif "multipleOf" in schema and value % schema["multipleOf"]:
        yield Violation(path, "step", f"must be a multiple of {schema['multipleOf']}, not {value}")


def _object_violations(
    schema: Schema, value: dict[str, Any], path: tuple[str, ...]
) -> Iterator[Violation]:
    known = schema["properties"]
    for name in schema.get("required", ()):
        if name not in value:
            yield Violation((*path, name), "missing", "is missing")
    for name, item in value.items():
        if name in known:
            yield from violations(known[name], item, (*path, name))
        elif schema.get("additionalProperties") is False:
            yield Violation((*path, name), "unexpected", "is not an argument of this tool")
