"""Frames, topics, tools, rules and the task format as pages."""

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from evaluator.contract_document.channels import ENDPOINTS, PARAMETERS, TOPICS
from evaluator.scoring.policies import RULES_OF
from evaluator.task.task import Task
from vehicle_bus.contract import Stamped
from vehicle_bus.tools import NOT_PUBLIC, TOOLS

WRITTEN = "<!-- written by scripts/reference -->"
WAYS = {"to": "gateway to {}", "from": "{} to gateway"}
HIDDEN = set(Stamped.model_fields)


def frames_page() -> str:
    return _page("Frames", _frames())


def topics_page() -> str:
    return _page("Topics", _topics())


def tools_page() -> str:
    return _page("Tools of the car", _tools())


def rules_page() -> str:
    return _page("Rules of the car", _rules())


def tasks_page() -> str:
    return _page("Task format", _tasks())


def _page(title: str, lines: Iterator[str]) -> str:
    return "\n".join([f"# {title}", "", WRITTEN, *lines]) + "\n"


# --- sockets and bus


def _frames() -> Iterator[str]:
    yield "The frames of the WebSockets, each `{type, data, …}` in JSON. What they mean in a "
    yield "conversation is in [protocol.md](../protocol.md), their JSON Schemas in"
    yield "[contract](../contract/README.md)."
    for endpoint in ENDPOINTS:
        yield from (
            "",
            f"## {endpoint.address}",
            "",
            f"{endpoint.summary} Subprotocol `{endpoint.subprotocol}`.",
        )
        for way, frames in endpoint.frames.items():
            direction = WAYS[way].format("agent" if endpoint.name == "agent" else "driver")
            yield from ("", f"### {direction.capitalize()}")
            for name, body in frames.items():
                yield from ("", f"**`{name}`**", "", _prose(body))
                yield from _fields(body)


def _topics() -> Iterator[str]:
    yield "What travels on the bus: MQTT 5 (3.1.1 works, too), JSON, QoS 1. Each payload also"
    yield "carries `src`, `seq`, `n`, `t_ns` and `mono_ns`"
    yield "([why](../architecture.md#order-and-completeness)). JSON Schemas and AsyncAPI:"
    yield "[contract](../contract/README.md)."
    yield from ("", "| in a topic | |", "|---|---|")
    yield from (f"| `{{{name}}}` | {_cell(text)} |" for name, text in PARAMETERS.items())
    for topic in TOPICS:
        retained = ", retained" if topic.retained else ""
        readers = ", ".join(topic.readers)
        yield from (
            "",
            f"## {topic.name}",
            "",
            f"`{topic.address}`: {topic.sender} to {readers}{retained}",
            "",
        )
        yield topic.summary
        for payload in topic.payloads:
            yield from ("", f"**{payload.__name__}**", "", _prose(payload))
            yield from _fields(payload, HIDDEN)


# --- the car


def _tools() -> Iterator[str]:
    kinds = {kind: sum(tool.kind == kind for tool in TOOLS) for kind in ("set", "get", "no-op")}
    changing, looking, nothing = kinds.values()
    yield f"What an assistant can call: {changing} tools that change the car, {looking} that look"
    yield f"something up, {nothing} that do nothing. These are the declarations that models are"
    yield "sent; a task may take tools, parameters or results away."
    yield from ("", "| tool | | |", "|---|---|---|")
    for tool in TOOLS:
        text = _declared(tool)["description"].removeprefix("REQUIRES_CONFIRMATION. ")
        first = _cell(text.split(". ")[0]).rstrip(".")
        yield f"| [`{tool.name}`](#{tool.name}) | {tool.kind} | {first} |"
    for tool in TOOLS:
        declared = _declared(tool)
        public = "; not in the public benchmark" if tool.name in NOT_PUBLIC else ""
        yield from (
            "",
            f"## {tool.name}",
            "",
            f"*{tool.kind}{public}*",
            "",
            _text(declared["description"]),
        )
        parameters = declared["parameters"]
        if parameters.get("properties"):
            yield from ("", "| parameter | | |", "|---|---|---|")
        required = parameters.get("required", ())
        for name, schema in parameters.get("properties", {}).items():
            needed = "" if name in required else "optional; "
            yield f"| `{name}` | {_kind(schema)} | {needed}{_cell(schema.get('description', ''))} |"


def _declared(tool: Any) -> dict[str, Any]:
    declaration: dict[str, Any] = tool.declaration()["function"]
    return declaration


def _rules() -> Iterator[str]:
    yield "What every assistant is told and judged by. `code` decides a rule from the record alone;"
    yield "`language` means that words count as well: as far as code can read them, and a judge"
    yield "decides the rest."
    yield from (
        "",
        "| rule | decided by | what has to be looked up before | what goes with it |",
        "|---|---|---|---|",
    )
    profiles = {name: rules for name, rules in RULES_OF.items() if name != "car-bench"}
    known = {policy.id: policy for rules in profiles.values() for policy in rules.values()}
    for policy in sorted(known.values(), key=lambda each: each.id):
        looks_up, with_it = (_codes(names) for names in (policy.looks_up, policy.goes_with))
        yield f"| [{policy.id}](#rule-{policy.id}) | {policy.decided_by} | {looks_up} | {with_it} |"
    for policy in sorted(known.values(), key=lambda each: each.id):
        only = "" if policy.id in RULES_OF["codriver"] else "*Only in profile `car-bench-2026`.* "
        yield from ("", f"## Rule {policy.id}", "", only + _text(policy.rule))


def _codes(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


# --- tasks


def _tasks() -> Iterator[str]:
    yield "The fields of a task file, level by level; [tasks.md](../tasks.md) says how."
    yield "Unknown fields are errors."
    schema = Task.model_json_schema()
    models = {"Task": schema} | schema.get("$defs", {})
    for name in _reached("Task", models):
        model = models[name]
        if "properties" not in model:
            continue
        yield from ("", f"## {name}", "", _text(inspect.cleandoc(model.get("description", ""))))
        yield from ("", "| field | | |", "|---|---|---|")
        for field, shown in model["properties"].items():
            needed = "required" if field in model.get("required", ()) else _default(shown)
            yield f"| `{field}` | {_kind(shown, models)} | {needed} |"


def _reached(first: str, models: Mapping[str, Any]) -> list[str]:
    """The models in the order in which a reader meets them."""
    found, waiting = [], [first]
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found.append(name)
            waiting += _references(models[name])
    return found


def _references(schema: Any) -> list[str]:
    if isinstance(schema, dict):
        own = [schema["$ref"].rpartition("/")[2]] if "$ref" in schema else []
        return own + [
            name for key, each in schema.items() if key != "$defs" for name in _references(each)
        ]
    return (
        [name for each in schema for name in _references(each)] if isinstance(schema, list) else []
    )


def _default(schema: Mapping[str, Any]) -> str:
    default = schema.get("default")
    return (
        "" if default in (None, "", [], {}) or isinstance(default, dict) else f"default `{default}`"
    )


# --- models and schemas


def _fields(model: type[BaseModel], hidden: Collection[str] = ()) -> Iterator[str]:
    schema = model.model_json_schema()
    models = {"": schema} | schema.get("$defs", {})
    shown = {
        name: each for name, each in schema.get("properties", {}).items() if name not in hidden
    }
    if not shown:
        return
    yield from ("", "| field | | |", "|---|---|---|")
    for name, each in shown.items():
        needed = "required" if name in schema.get("required", ()) else _default(each)
        yield f"| `{name}` | {_kind(each, models, link=False)} | {needed} |"


def _kind(schema: Any, models: Mapping[str, Any] | None = None, *, link: bool = True) -> str:
    """A JSON Schema in a few words."""
    below: Callable[[Any], str] = lambda each: _kind(each, models, link=link)  # noqa: E731
    match schema:
        case {"$ref": str(path)}:
            name = path.rpartition("/")[2]
            model = (models or {}).get(name, {})
            if "properties" in model:
                return (
                    f"[{name}](#{name.lower()})"
                    if link
                    else f"object ({', '.join(model['properties'])})"
                )
            return below(model) if model else name
        case {"anyOf": list(kinds)} | {"oneOf": list(kinds)}:
            return " or ".join(dict.fromkeys(map(below, kinds)))
        case {"allOf": [only]}:
            return below(only)
        case {"enum": list(values)}:
            return ", ".join(f"`{value}`" for value in values)
        case {"const": value}:
            return f"`{value}`"
        case {"type": "array", "prefixItems": list(kinds)}:
            return f"list of {', '.join(map(below, kinds))}"
        case {"type": "array"}:
            return f"list of {below(schema.get('items', {}))}"
        case {"type": "object", "additionalProperties": dict(kind)}:
            return f"object of {below(kind)}"
        case {"type": str(name)}:
            return f"{name}{_range(schema)}"
    return "any value"


def _range(schema: Mapping[str, Any]) -> str:
    least = schema.get("minimum", schema.get("exclusiveMinimum"))
    most = schema.get("maximum", schema.get("exclusiveMaximum"))
    if most is not None and abs(most) > 2**40:  # a limit of JSON readers, not of the subject
        least, most = (least if least == 0 else None), None
    if least is None and most is None:
        return ""
    return (
        f" from {least} to {most}"
        if None not in (least, most)
        else (f" from {least}" if most is None else f" up to {most}")
    )


def _prose(model: type) -> str:
    return _text(inspect.cleandoc(model.__dict__.get("__doc__") or ""))


def _text(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n")).replace("<", "&lt;")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|").replace("<", "&lt;")
