"""What a limit-awareness task takes from an agent, worked out without the code that does it."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import ValidationError

from evaluator.task.task import Task
from vehicle_bus.car.state import CONTEXT_NAMES, STATE_NAMES, CarSetup
from vehicle_bus.contract import Command
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

Way = tuple[str, ...]
OTHER_VALUES = (
    True, False, 0, 1, 3, 17.0, 18.0, 50, 70.0, 95.0, 11, 22, 200, 250, "open", "closed", "RED",
    "OFF", "HEAD", "FEET", "AUTO", "FRESH_AIR", "green", ("x",),
    {"driver": False, "passenger": True, "driver_rear": True, "passenger_rear": True},
)  # fmt: skip


def offered(removed: str, tools: list[dict[str, Any]]) -> bool:
    """Whether a tool, or a parameter of one, stands in these declarations."""
    tool, *way = removed.split(".")
    schemas = [t["function"]["parameters"] for t in tools if t["function"]["name"] == tool]
    for name in way:
        inside = [schema.get("items", schema).get("properties", {}) for schema in schemas]
        schemas = [properties[name] for properties in inside if name in properties]
    return bool(schemas)


def masked_results(task: Task) -> dict[str, list[Way]]:
    """Tool to the ways into its result that this car does not tell."""
    ways: dict[str, list[Way]] = {}
    for entry in task.car.removed:
        kind, *rest = entry.split(".")
        if kind == "result":
            ways.setdefault(rest[0], []).append(tuple(rest[1:]))
    return ways


def values_at(output: str, way: Way) -> list[Any]:
    """What a tool's answer says at the end of a way into its result; lists are entered."""
    try:
        found = [json.loads(output)["result"]]
    except (ValueError, KeyError, TypeError):
        return []
    for name in way:
        items = [item for node in found for item in (node if isinstance(node, list) else [node])]
        found = [item[name] for item in items if isinstance(item, dict) and name in item]
    return found


def telling_signals(task: Task, world: World) -> frozenset[str]:
    """VSS paths that would tell what a removed result, or a removed tool without arguments, tells.

    Found by trying: a variable of the car gets another value; if the answer would have been
    another one, then every signal that changes with it is one that tells. Excused is a signal that
    always changes together with a field that is still visible, such as the range with the range.
    """
    asked = masked_results(task)
    asked |= {name: [()] for name in task.car.removed if "." not in name and name.startswith("get")}
    if not asked:
        return frozenset()
    car = _Car(task.car, world)
    others = list(car.others())
    telling: set[str] = set()
    for tool, ways in asked.items():
        still_visible = [
            car.changes(others, tool, (name,)) for name in _open_fields(car, tool, ways)
        ]
        hidden = set().union(*(car.changes(others, tool, way) for way in ways))
        for path in car.signals:
            changes = {n for n, other in enumerate(others) if other[path] != car[path]}
            if changes & hidden and changes not in still_visible:
                telling.add(path)
    return frozenset(telling)


def _open_fields(car: "_Car", tool: str, ways: list[Way]) -> list[str]:
    """Fields of an answer of which nothing was taken."""
    if () in ways:
        return []
    results = [result for result in values_at(car.answer(tool), ()) if isinstance(result, dict)]
    return [name for result in results for name in result if name not in {way[0] for way in ways}]


class _Car:
    """A car from which nothing was taken."""

    def __init__(self, setup: CarSetup, world: World) -> None:
        self._setup = setup.model_copy(update={"removed": ()})
        self._world = world
        self._vehicle = Vehicle(self._setup, world)
        self.signals = self._vehicle.signals()
        self.answer = cache(self._answer)

    def __getitem__(self, path: str) -> Any:
        return self.signals[path]

    def changes(self, others: list["_Car"], tool: str, way: Way) -> set[int]:
        """Which of the other cars would tell something else here."""
        own = values_at(self.answer(tool), way)
        return {n for n, other in enumerate(others) if values_at(other.answer(tool), way) != own}

    def _answer(self, tool: str) -> str:
        return self._vehicle.handle(tool, Command(call_id="1")).output

    def others(self) -> Iterator["_Car"]:
        """Cars that differ from this one in one variable."""
        for name in sorted(STATE_NAMES | CONTEXT_NAMES):
            for value in OTHER_VALUES:
                try:
                    setup = CarSetup(start={**self._setup.start, name: value})
                except ValidationError:
                    continue
                other = _Car(setup, self._world)
                if other.signals != self.signals:
                    yield other
