"""Which tools tell what other tools need: typed edges, read from signatures and from results.

What a tool takes stands in its parameters. What it tells is read from its result on a car in a
world: starting from what a driver and the instructions tell, every look-up is made whose arguments
are known by then.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from evaluator.scoring.course.identifiers import identifiers
from evaluator.scoring.policies import POLICIES
from evaluator.task.expected_course import ExpectedCourse, expected_course, result_of
from evaluator.task.task import Task
from vehicle_bus.car.schema import Schema
from vehicle_bus.car.state import STATE_NAMES, CarSetup, context_at_start
from vehicle_bus.car.tool import Tool
from vehicle_bus.contract import Command
from vehicle_bus.tools import TOOLS
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

MOST_TRIES = 400
KEPT = 6  # values of a kind to try
RULE, SETTING = "rule", "setting"
SETTINGS = "|".join(sorted(STATE_NAMES - {"navigation_active", "waypoints_id"}))


@dataclass(frozen=True, slots=True)
class Kind:
    """Something that is handed from tool to tool, known by names of parameters and of fields.

    Values of some kinds look like nothing else; `form` is how.
    """

    name: str
    parameters: str
    fields: str = "(?!)"
    form: str = "(?!)"


KINDS = (
    Kind("contact", r"contact_ids", form=r"con_\d+"),
    Kind("e-mail address", r"email_addresses", form=r"\S+@\S+"),
    Kind("phone number", r"phone_number", form=r"\+\d[\d ]+"),
    Kind("plug", r"charging_station_plug_id", form=r"plg_\w+"),
    Kind("station", r"charging_station_id", form=r"poi_cha_\d+"),
    Kind("route", r"route_ids?(_.*)?", form=r"r(ll|lp|pl|pp)_\w+"),
    Kind("place", r".*(waypoint|destination|start|location)(_or_poi)?_id.*", form=r"(loc|poi)_.*"),
    Kind("state of charge", r".*state_of_charge|limit_percent", r"state_of_charge|soc_in_.*"),
    Kind("kilometre", r"distance_km|at_kilometer", r"distance_km.*|remaining_range|at_route_.*"),
    Kind("duration", r"charging_time|times_to_add", r"duration.*|time_(from|min).*|detour.*_time"),
    Kind("clock", r"month|day|original_datetime|time_(hour.*|min.*)", r"start|opening_.*|hour"),
    Kind("name", r"location|contact_(first|last)_name", r"location|(first|last)_name"),
    Kind("seat", r"window|position|seat_zone|defrost_window", r"seats_occup.*|(window|reading)_.*"),
    Kind("setting", r"level|percentage|temperature|on|lightcolor|direction|mode|action",
         rf"car_color|{SETTINGS}"),
    Kind("weather", r"(?!)", r"condition|temperature_c"),
    Kind("preference", r"level|percentage|temperature|lightcolor|direction|mode|route_ids",
         r"climate_control|vehicle_settings|route_selection"),
)  # fmt: skip
OTHER_WAYS = {"convert_route_distance_and_time": {"time_minutes": "duration"}}


@dataclass(frozen=True, slots=True)
class Edge:
    """`source` tells something that `target` takes, or that a rule wants to be looked at first."""

    source: str
    kind: str
    target: str


@dataclass(frozen=True, slots=True)
class ToolGraph:
    """What each tool takes and tells, by kind, and the edges that follow."""

    takes: Mapping[str, frozenset[str]]
    tells: Mapping[str, frozenset[str]]

    @property
    def edges(self) -> Iterator[Edge]:
        for source, told in self.tells.items():
            for target, taken in self.takes.items():
                yield from (Edge(source, kind, target) for kind in sorted(told & taken))
        yield from rule_edges()


def tool_graph(world: World) -> ToolGraph:
    """The graph of all tools of the car."""
    takes = {tool.name: frozenset(_taken(tool)) for tool in TOOLS}
    tells = {name: _told(result) for name, result in results(world).items()}
    return ToolGraph(takes, tells)


def rule_edges() -> Iterator[Edge]:
    """The look-ups that a rule of the car wants before a call with some arguments."""
    for tool in TOOLS:
        samples = list(_samples(tool.parameters)) if tool.kind == "set" else []
        wanted = {
            look_up
            for policy in POLICIES.values() if any(policy.about(tool.name, one) for one in samples)
            for look_up in policy.looks_up
        }  # fmt: skip
        yield from (Edge(look_up, RULE, tool.name) for look_up in sorted(wanted))


def edges_of(task: Task, graph: ToolGraph, world: World) -> set[Edge]:
    """The edges that the expected calls of a task use.

    An earlier call has to tell something that a later one takes: where that is an id the same, and
    of settings the one that is changed, or its new value.
    """
    course, actions, used = expected_course(task, world), task.expect.actions, set[Edge]()
    given = [identifiers(action.arguments) for action in actions]
    told = [identifiers(course.result(index) or {}) for index in range(len(actions))]
    possible = {(edge.source, edge.target): set[Edge]() for edge in graph.edges}
    for edge in graph.edges:
        possible[edge.source, edge.target].add(edge)
    for later, target in enumerate(actions):
        for earlier, source in enumerate(actions[:later]):
            shared = told[earlier] & given[later]
            for edge in possible.get((source.name, target.name), ()):
                if edge.kind in BY_FORM:
                    used |= {edge} if any(_is_a(edge.kind, one) for one in shared) else set()
                elif edge.kind != SETTING or _is_followed(course, earlier, later):
                    used.add(edge)
    return used


def _is_followed(course: ExpectedCourse, look_up: int, change: int) -> bool:
    """Whether a look-up tells a setting that a call changes, or the value that it gets."""
    told = course.result(look_up) or {}
    before, after = course.snapshots[change : change + 2]
    changed = {name: value for name, value in after.items() if value != before[name]}
    return not changed.keys().isdisjoint(told) or any(
        value in told.values() for value in changed.values() if not isinstance(value, bool)
    )


def uses(
    tasks: Iterable[Task], graph: ToolGraph, world: World
) -> tuple[Counter[str], Counter[Edge]]:
    """In how many tasks each tool is expected, and each edge used."""
    tools, edges = Counter[str](), Counter[Edge]()
    for task in tasks:
        tools.update({action.name for action in task.expect.actions})
        edges.update(edges_of(task, graph, world))
    return tools, edges


def picture(graph: ToolGraph) -> str:
    """The graph as a Mermaid diagram: look-ups on the left, kinds in the middle."""
    nodes = {kind.name: f"k{number}([{kind.name}])" for number, kind in enumerate(KINDS)}
    lines = ["flowchart LR"]
    for name, node in nodes.items():
        key = node.partition("(")[0]
        sources = sorted(tool for tool, told in graph.tells.items() if name in told)
        targets = sorted(tool for tool, taken in graph.takes.items() if name in taken)
        lines += [f"  {node}"]
        lines += [f"  {tool} --> {key}" for tool in sources]
        lines += [f"  {key} --> {tool}" for tool in targets] if sources else []
    rules = sorted({(edge.source, edge.target) for edge in rule_edges()})
    return "\n".join([*lines, *(f"  {source} -. rule .-> {target}" for source, target in rules)])


def results(world: World) -> dict[str, list[Any]]:
    """What each look-up answers on a car in this world, with arguments known by then."""
    car = _probe_car(world)
    known = _said_at_first(world, car)
    found: dict[str, list[Any]] = {}
    for _ in TOOLS:
        new = [tool for tool in TOOLS if tool.kind == "get" and tool.name not in found]
        for tool in new:
            answers = list(_answers(tool, car, known))
            if answers:
                found[tool.name] = answers
            for kind, value in (pair for answer in answers for pair in _values(answer)):
                if value not in known.setdefault(kind, []):
                    known[kind].append(value)
    return found


BY_FORM = frozenset(kind.name for kind in KINDS if kind.form != "(?!)")


def _taken(tool: Tool) -> Iterator[str]:
    for name in tool.parameters["properties"]:
        other = OTHER_WAYS.get(tool.name, {}).get(name)
        yield from (
            (other,) if other else (k.name for k in KINDS if re.fullmatch(k.parameters, name))
        )


def _told(answers: Iterable[Any]) -> frozenset[str]:
    return frozenset(kind for answer in answers for kind, _ in _values(answer))


def _values(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Each value of a result with its kinds; names of fields may be values as well."""
    for kind in KINDS:
        if re.fullmatch(kind.fields, name) or _is_a(kind.name, value):
            yield kind.name, value
    match value:
        case dict():
            for key, inner in value.items():
                yield from ((kind.name, key) for kind in KINDS if _is_a(kind.name, key))
                yield from _values(inner, str(key))
        case list() | tuple():
            for inner in value:
                yield from _values(inner, name)


def _is_a(kind: str, value: Any) -> bool:
    return isinstance(value, str) and any(
        each.name == kind and re.fullmatch(each.form, value) for each in KINDS
    )


def _probe_car(world: World) -> Vehicle:
    """A car with a calendar of today, a preference and a trip."""
    calendar = world.calendars()[0]
    today = {**calendar["date"], "hour": 12, "minute": 0}
    likes = {"vehicle_settings": {"climate_control": ("The driver likes it cool.",)}}
    here, there = world.locations()[:2]
    route = world.routes(here["id"], there["id"])[0]
    start = {
        "current_location": {name: here[name] for name in ("id", "name", "position")},
        "current_datetime": today, "user_preferences": likes, "navigation_active": True,
        "waypoints_id": (here["id"], there["id"]),
        "routes_to_final_destination_id": (route["route_id"],),
    }  # fmt: skip
    return Vehicle(CarSetup(start=start, calendar_id=calendar["id"]), world)


def _said_at_first(world: World, car: Vehicle) -> dict[str, list[Any]]:
    """What drivers and instructions tell, by kind or by the name of a parameter."""
    now = context_at_start(car.setup.start).current_datetime
    clock = {"month": now.month, "day": now.day, "time_hour_24hformat": now.hour}
    person = world.contacts()[0]["name"]
    return {
        **{name: [value] for name, value in clock.items()},
        "location": [world.locations()[1]["name"]],
        "contact_first_name": [person["first_name"]],
        "contact_last_name": [person["last_name"]],
        "expression": ["2 * 3"],
        "original_datetime": [now.model_dump()],
        "times_to_add": [[{"hours": 1, "minutes": 30}]],
        "preference_categories": [{"vehicle_settings": {"climate_control": True}}],
        **{name: [40] for name in ("start_state_of_charge", "initial_state_of_charge")},
        **{name: [50] for name in ("at_kilometer", "distance_km", "time_minutes", "charging_time")},
        "target_state_of_charge": [80],
        "detailed_information": [True],
    }


def _answers(tool: Tool, car: Vehicle, known: Mapping[str, list[Any]]) -> Iterator[Any]:
    """What a look-up answers to arguments that are known."""
    required = tool.parameters.get("required", [])
    optional = [name for name in tool.parameters["properties"] if name not in required]
    for more in ([], *([name] for name in optional)):
        yield from islice(_answers_with([*required, *more], tool, car, known), KEPT)


def _answers_with(
    names: list[str], tool: Tool, car: Vehicle, known: Mapping[str, list[Any]]
) -> Iterator[Any]:
    properties = tool.parameters["properties"]
    choices = [list(_choices(name, properties[name], known)) for name in names]
    for values in islice(product(*choices), MOST_TRIES):
        given = dict(zip(names, values, strict=True))
        answer = car.handle(tool.name, Command(call_id="probe", arguments=given))
        if answer.status == "SUCCESS":
            yield result_of(answer) or json.loads(answer.output)


def _choices(name: str, schema: Schema, known: Mapping[str, list[Any]]) -> Iterator[Any]:
    if name in known:
        yield from known[name]
    elif "enum" in schema:
        yield from reversed(schema["enum"])
    else:
        for kind in KINDS:
            if re.fullmatch(kind.parameters, name):
                values = known.get(kind.name, [])[:KEPT]
                yield from ([each] for each in values) if schema["type"] == "array" else values


def _samples(schema: Schema) -> Iterator[dict[str, Any]]:
    """Arguments that switch on, open and choose, with every choice there is."""
    values = {
        name: each.get("enum")
        or ([True] if each["type"] == "boolean" else [each.get("maximum", "")])
        for name, each in schema["properties"].items()
    }
    for combination in islice(product(*values.values()), MOST_TRIES):
        yield dict(zip(values, combination, strict=True))
