"""What of an earlier contract document no longer holds: `v1` may only gain fields. Pure.

Three kinds of readers are told apart. What peers send may ask for nothing new; what the gateway
sends has to keep all that it had; payloads of the bus may come from both sides, so both hold.
"""

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
LOWER = ("minimum", "exclusiveMinimum", "minItems", "minLength")
UPPER = ("maximum", "exclusiveMaximum", "maxItems", "maxLength")
# Schemas of what no field is named for, and what their sentences call it.
OTHERS = {"items": "items", "additionalProperties": "fields"}
REF = "#/components/schemas/"


def breaking_changes(before: Schema, now: Schema) -> list[str]:
    """One sentence for each; empty if all that was written for `before` still works."""
    found = list(_lost(before, now, "channels", "address"))
    found += _lost(before, now, "operations", "action")
    earlier, later = before["components"]["messages"], now["components"]["messages"]
    for name, message in earlier.items():
        if name not in later:
            found.append(f"message {name} is gone")
            continue
        comparison = _Comparison(
            before, now, sent=not name.startswith("from_"), received=not name.startswith("to_")
        )
        found += comparison.changes(name, message["payload"], later[name]["payload"])
    return list(dict.fromkeys(found))


def _lost(before: Schema, now: Schema, part: str, field: str) -> Iterator[str]:
    for name, earlier in before[part].items():
        later = now[part].get(name)
        if later is None:
            yield f"{part.removesuffix('s')} {name} is gone"
        elif later[field] != earlier[field]:
            yield f"{field} of {name} was {earlier[field]}, is {later[field]}"


class _Comparison:
    """Of one message, which is `sent` by the gateway, `received` by it, or both."""

    def __init__(self, before: Schema, now: Schema, *, sent: bool, received: bool) -> None:
        self._before = before["components"]["schemas"]
        self._now = now["components"]["schemas"]
        self._sent, self._received = sent, received

    def changes(self, where: str, before: Schema, now: Schema) -> Iterator[str]:
        """Sentences, each with the path of a field."""
        earlier, later = _by_type(before, self._before), _by_type(now, self._now)
        gone = [kind for kind in earlier if _allowing(kind, later) is None]
        new = [kind for kind in later if _allowing(kind, earlier) is None]
        if (gone and self._received) or (new and self._sent):
            yield f"{where} was {' or '.join(earlier)}, is {' or '.join(later)}"
        for kind, schema in earlier.items():
            if (allowing := _allowing(kind, later)) is not None:
                yield from self._same_type(where, schema, later[allowing])

    def _same_type(self, where: str, before: Schema, now: Schema) -> Iterator[str]:
        if "enum" in now and (lost := _missing(before.get("enum"), now["enum"])):
            yield f"{where} may not be {lost} any more"
        if self._received:
            yield from _narrower(where, before, now)
        fields, later = before.get("properties", {}), now.get("properties", {})
        for name, field in fields.items():
            if name in later:
                yield from self.changes(f"{where}.{name}", field, later[name])
            else:
                yield f"{where}.{name} is gone"
        needed, needs = set(before.get("required", ())), set(now.get("required", ()))
        if self._received:
            yield from (f"{where}.{name} is now required" for name in sorted(needs - needed))
        if self._sent:
            lost_fields = sorted(needed - needs)
            yield from (f"{where}.{name} may now be missing" for name in lost_fields)
        for keyword, what in OTHERS.items():
            others, later_others = before.get(keyword, True), now.get(keyword, True)
            if later_others is False and others is not False and self._received:
                yield f"{where} may have no other {what} any more"
            elif others is not later_others and others and later_others:
                yield from self.changes(f"{where}[]", _schema(others), _schema(later_others))


def _missing(before: list[Any] | None, now: list[Any]) -> str:
    """Values that are no longer among those named; any value was if none were."""
    if before is None:
        return f"other than {', '.join(map(str, now))}"
    return ", ".join(str(value) for value in before if value not in now)


def _narrower(where: str, before: Schema, now: Schema) -> Iterator[str]:
    for limit in (*LOWER, *UPPER):
        earlier, later = before.get(limit), now.get(limit)
        if later is None or later == earlier:
            continue
        if earlier is None or (later > earlier) == (limit in LOWER):
            yield f"{limit} of {where} was {earlier}, is {later}"
    earlier, later = before.get("multipleOf"), now.get("multipleOf")
    if later is not None and (earlier is None or earlier % later):
        yield f"multipleOf of {where} was {earlier}, is {later}"
    if now.get("pattern") not in (None, before.get("pattern")):
        yield f"pattern of {where} was {before.get('pattern')}, is {now['pattern']}"


def _schema(value: Schema | bool) -> Schema:
    """`true` is the schema of anything."""
    return {} if isinstance(value, bool) else value


def _allowing(kind: str, types: Mapping[str, Any]) -> str | None:
    """Which of some JSON types has all values of another one."""
    wider = (kind, "number", "anything") if kind == "integer" else (kind, "anything")
    return next((each for each in wider if each in types), None)


def _by_type(schema: Schema, components: Schema) -> dict[str, dict[str, Any]]:
    """The schema taken apart by the JSON types that it allows; `anything` if it names none."""
    if "$ref" in schema:
        inner = components[schema["$ref"].removeprefix(REF)]
        return _by_type({**inner, **{k: v for k, v in schema.items() if k != "$ref"}}, components)
    if "allOf" in schema:
        own = {key: value for key, value in schema.items() if key != "allOf"}
        return _joined([_by_type(part, components) for part in (*schema["allOf"], own)])
    for union in ("anyOf", "oneOf"):
        if union in schema:
            found: dict[str, dict[str, Any]] = {}
            for part in schema[union]:
                for kind, each in _by_type(part, components).items():
                    found[kind] = _either(found[kind], each) if kind in found else each
            return found
    return {kind: _plain(schema) for kind in _types(schema)}


def _plain(schema: Schema) -> dict[str, Any]:
    if "const" in schema:
        return {**schema, "enum": [schema["const"]]}
    return dict(schema)


def _types(schema: Schema) -> list[str]:
    named = schema.get("type")
    if isinstance(named, list):
        return named
    if isinstance(named, str):
        return [named]
    if "const" in schema:
        return [JSON_TYPES[type(schema["const"])]]
    return ["object"] if "properties" in schema or "required" in schema else ["anything"]


JSON_TYPES = {str: "string", int: "integer", bool: "boolean", float: "number", type(None): "null"}


def _either(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Two schemas of one type, of which one has to hold."""
    if "enum" in one and "enum" in other:
        return {**one, **other, "enum": [*one["enum"], *other["enum"]]}
    return {key: value for key, value in {**one, **other}.items() if key != "enum"}


def _joined(parts: list[dict[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Schemas that have to hold together: the fields of all, and what any of them requires."""
    typed = [part for part in parts if "anything" not in part]
    kinds = [kind for kind in typed[0] if all(kind in part for part in typed)] if typed else []
    made = {}
    for kind in kinds or ["anything"]:
        whole: dict[str, Any] = {}
        for part in (part.get(kind, {}) for part in parts):
            properties = {**whole.get("properties", {}), **part.get("properties", {})}
            required = [*whole.get("required", ()), *part.get("required", ())]
            whole = {**whole, **part, "properties": properties, "required": required}
        made[kind] = whole
    return made
