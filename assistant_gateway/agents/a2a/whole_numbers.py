"""Numbers that lost their kind on the way: a protobuf `Value` knows only floats."""

from typing import Any

JsonSchema = dict[str, Any]


def whole_where_asked(value: Any, schema: Any) -> Any:
    """The value with integral floats as integers wherever the schema asks for integers."""
    if not isinstance(schema, dict):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and _is_a(schema, "integer") else value
    if isinstance(value, dict):
        known = schema.get("properties") or {}
        others = schema.get("additionalProperties")
        return {name: whole_where_asked(v, known.get(name, others)) for name, v in value.items()}
    if isinstance(value, list):
        return [whole_where_asked(item, schema.get("items")) for item in value]
    return value


def whole(value: Any) -> Any:
    """The value with every integral float as an integer."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: whole(item) for name, item in value.items()}
    return [whole(item) for item in value] if isinstance(value, list) else value


def _is_a(schema: JsonSchema, kind: str) -> bool:
    declared = schema.get("type")
    return kind in declared if isinstance(declared, list) else declared == kind
