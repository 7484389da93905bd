"""JSON Schemas of all payloads and frames, made from their models.

A payload of the bus may leave out what has a default. A peer may do so in its frames, too; what the
gateway sends is always whole.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from assistant_gateway.sound.audio_capability import AudioCapability
from assistant_gateway.timing.budgets import TurnVerdict
from evaluator.contract_document.channels import ENDPOINTS, TOPICS, Endpoint, Way
from vehicle_bus.car.fault import Fault

Schema = dict[str, Any]
REF = "#/components/schemas/"
NESTED: tuple[type[BaseModel], ...] = (Fault, TurnVerdict, AudioCapability)

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
OBJECT: Schema = {"type": "object"}
# Parts that no model describes: the code reads them as plain JSON.
PARTS: dict[str, Schema] = {
    "ToolDeclaration": {
        "type": "object",
        "description": "A tool as a function declaration of OpenAI. One that `ends_conversation` "
        "ends the session after its message; agents are not told.",
        "required": ["type", "function"],
        "properties": {
            "type": {"const": "function"},
            "function": {
                "type": "object",
                "required": ["name", "description", "parameters"],
                "properties": {"name": TEXT, "description": TEXT, "parameters": OBJECT},
            },
            "ends_conversation": {"type": "boolean"},
        },
    },
    "LoggedFrame": {
        "type": "object",
        "description": "A frame of a socket: `in` from a peer or `out` to it. Of an `ignored` one "
        "the type is in its data. Of `session.start` only names of tools are kept.",
        "required": ["way", "peer", "type", "turn", "rid", "cid", "t_ns", "mono_ns", "data"],
        "properties": {
            "way": {"enum": ["in", "out", "ignored"], "type": "string"},
            "peer": {"enum": ["agent", "user"], "type": "string"},
            "type": TEXT,
            "turn": {"type": ["integer", "null"]},
            "rid": {"type": ["string", "null"]},
            "cid": {"type": ["string", "null"]},
            "t_ns": WHOLE,
            "mono_ns": WHOLE,
            "data": OBJECT,
            "traceparent": TEXT,
        },
    },
    "AgentCapabilities": {
        "type": "object",
        "description": "What an agent asks for; all of it is off unless it does.",
        "properties": {
            "partials": {"type": "boolean", "default": False},
            "speech_events": {"type": "boolean", "default": True},
            "vehicle_events": {"type": "boolean", "default": False},
            "lockstep": {"type": "boolean", "default": False},
            "audio": {"anyOf": [{"$ref": f"{REF}AudioCapability"}, {"type": "null"}]},
        },
    },
    "SentEnvelope": {
        "type": "object",
        "description": "What every frame from the gateway has.",
        "required": ["v", "type", "sid", "seq", "turn", "rid", "cid", "ts", "data"],
        "properties": {
            "v": {"const": 1, "type": "integer"},
            "type": TEXT,
            "sid": TEXT,
            "seq": WHOLE,
            "turn": {"type": ["integer", "null"]},
            "rid": {"type": ["string", "null"]},
            "cid": {"type": ["string", "null"]},
            "ts": {
                "type": "object",
                "required": ["mono_ns", "clk"],
                "properties": {"mono_ns": WHOLE, "clk": TEXT, "due_ns": WHOLE},
            },
            "data": OBJECT,
        },
    },
    "ReceivedEnvelope": {
        "type": "object",
        "description": "What every frame of a peer may have. `sid` is that of `session.start`; "
        "`seq`, if there is one, counts 1, 2, 3, … `traceparent` is W3C Trace Context.",
        "required": ["type"],
        "properties": {
            "v": {},
            "type": TEXT,
            "sid": {"type": ["string", "null"]},
            "seq": {"type": ["integer", "null"]},
            "turn": {"type": ["integer", "null"]},
            "rid": {"type": ["string", "null"]},
            "cid": {"type": ["string", "null"]},
            "ts": {
                "type": ["object", "null"],
                "properties": {
                    "mono_ns": {"type": ["integer", "null"]},
                    "due_ns": {"type": ["integer", "null"]},
                },
            },
            "data": {"type": ["object", "null"]},
            "traceparent": {"type": ["string", "null"]},
        },
    },
}
# Fields that hold one of these, or the model of another file: (model, field) to its schema.
HOLDS: dict[tuple[str, str], Schema] = {
    ("Capabilities", "tools"): {"type": "array", "items": {"$ref": f"{REF}ToolDeclaration"}},
    ("Frames", "frames"): {"type": "array", "items": {"$ref": f"{REF}LoggedFrame"}},
    ("FaultOrder", "fault"): {"anyOf": [{"$ref": f"{REF}Fault"}, {"type": "null"}]},
    ("TurnFinished", "verdict"): {"$ref": f"{REF}TurnVerdict"},
    ("SessionStart", "tools"): {"type": "array", "items": {"$ref": f"{REF}ToolDeclaration"}},
    ("SessionReady", "capabilities"): {"$ref": f"{REF}AgentCapabilities"},
}


def component_schemas() -> dict[str, Schema]:
    """By name: payloads, bodies of frames, and what they hold; references are to components."""
    payloads = [payload for topic in TOPICS for payload in topic.payloads]
    bodies = [
        body
        for endpoint in ENDPOINTS
        for frames in endpoint.frames.values()
        for body in frames.values()
    ]
    models = dict.fromkeys([*payloads, *bodies, *NESTED])
    _, made = models_json_schema(
        [(model, "validation") for model in models], ref_template=f"{REF}{{model}}"
    )
    schemas = {**made["$defs"], **PARTS}
    for (model, field), schema in HOLDS.items():
        properties = schemas[model]["properties"]
        kept = {key: properties[field][key] for key in ("default",) if key in properties[field]}
        properties[field] = {**schema, **kept} if "$ref" not in schema else dict(schema)
    return {name: _plain(schemas[name]) for name in sorted(schemas)}


def frame_schema(endpoint: Endpoint, way: Way, kind: str) -> Schema:
    """A whole frame: its envelope, its type and its data."""
    body = endpoint.frames[way][kind]
    data: Schema = {"$ref": f"{REF}{body.__name__}"}
    required = {"type"}
    if way == "to" and body.model_fields:
        data = {"allOf": [data], "required": list(body.model_fields)}
    elif any(field.is_required() for field in body.model_fields.values()):
        required.add("data")
    elif way == "from":
        data = {"anyOf": [data, {"type": "null"}]}
    return {
        "allOf": [{"$ref": f"{REF}{'SentEnvelope' if way == 'to' else 'ReceivedEnvelope'}"}],
        "type": "object",
        "required": sorted(required),
        "properties": {"type": {"const": kind, "type": "string"}, "data": data},
    }


def bundles() -> dict[str, Schema]:
    """Schema documents by file name: one for the bus, one for each direction of a socket.

    Each has its payloads or frames in `$defs`; those of a socket describe any of its frames.
    """
    components = component_schemas()
    payloads = {payload.__name__ for topic in TOPICS for payload in topic.payloads}
    made = {"bus": _bundle("Payloads of the bus", {}, payloads, components)}
    for endpoint in ENDPOINTS:
        for way, frames in endpoint.frames.items():
            whole = {kind: frame_schema(endpoint, way, kind) for kind in frames}
            title = f"Frames {way} {endpoint.name}"
            made[f"{way}_{endpoint.name}"] = _bundle(title, whole, (), components)
    return made


def _bundle(
    title: str, roots: Mapping[str, Schema], names: Iterable[str], components: Mapping[str, Schema]
) -> Schema:
    needed: set[str] = set()
    waiting = [*names, *(name for root in roots.values() for name in _referred(root))]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += _referred(components[name])
    definitions = {**roots, **{name: components[name] for name in sorted(needed)}}
    head: Schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    if roots:
        head["oneOf"] = [{"$ref": f"{REF}{kind}"} for kind in roots]
    moved: Schema = _moved({**head, "$defs": definitions})
    return moved


def _moved(value: Any) -> Any:
    """The same with references to `$defs` instead of components."""
    if isinstance(value, dict):
        return {
            key: f"#/$defs/{each.removeprefix(REF)}" if key == "$ref" else _moved(each)
            for key, each in value.items()
        }
    return [_moved(each) for each in value] if isinstance(value, list) else value


def _referred(value: Any) -> list[str]:
    """Names of the components that a schema refers to."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            return [value["$ref"].removeprefix(REF)]
        return [name for each in value.values() for name in _referred(each)]
    return [name for each in value for name in _referred(each)] if isinstance(value, list) else []


def _plain(value: Any) -> Any:
    """Without the titles that pydantic gives to fields, which only repeat their names."""
    if isinstance(value, dict):
        named = isinstance(value.get("title"), str)
        return {key: _plain(each) for key, each in value.items() if key != "title" or not named}
    return [_plain(each) for each in value] if isinstance(value, list) else value
