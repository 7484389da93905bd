"""What a limit-awareness task takes away from a car: whole tools, parameters, parts of results.

A removal is a dotted path: `tool`, `tool.param[.sub]` or `result.tool.path`.
"""

import copy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from vehicle_bus.car.schema import Schema

UNKNOWN = "unknown"
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Removal:
    """The removals of one car, by kind; the first element of a path is the tool."""

    tools: frozenset[str]
    parameters: tuple[Path, ...]
    results: tuple[Path, ...]

    def refusal(self, tool: str, parameters: Schema, arguments: dict[str, Any]) -> str | None:
        """Why a call must not be answered, or None: it asks for, or needs, what was removed."""
        if tool in self.tools:
            return f"Error: this car does not offer {tool}."
        for path in self._parameters_of(tool):
            if _leads_to(arguments, path):
                return f"Error: {tool} has no argument {'.'.join(path)} in this car."
            if _is_required(parameters, path) and _leads_to(arguments, path[:-1]):
                return (
                    f"Error: {tool} cannot run: its argument {'.'.join(path)} is not available "
                    f"in this car, so do not call it."
                )
        return None

    def offered(self, declaration: dict[str, Any]) -> dict[str, Any]:
        """A declaration without the removed parameters."""
        paths = self._parameters_of(declaration["function"]["name"])
        if not paths:
            return declaration
        offered = copy.deepcopy(declaration)
        for path in paths:
            _delete(offered["function"]["parameters"], path)
        return offered

    def masks(self, tool: str) -> bool:
        return any(path[0] == tool for path in self.results)

    def masked(self, result: dict[str, Any]) -> dict[str, Any]:
        """A copy of a result in which every removed value reads `unknown`.

        Like in the public benchmark all removed paths apply, whichever tool they name.
        """
        masked = copy.deepcopy(result)
        for _tool, *path in self.results:
            if path:
                _mask(masked, tuple(path))
        return masked

    def _parameters_of(self, tool: str) -> list[Path]:
        return [path[1:] for path in self.parameters if path[0] == tool]


@lru_cache(maxsize=1024)
def removal(removed: tuple[str, ...]) -> Removal:
    """Sort dotted paths by what they take away."""
    paths = [tuple(entry.split(".")) for entry in removed]
    return Removal(
        tools=frozenset(path[0] for path in paths if len(path) == 1),
        parameters=tuple(path for path in paths if path[0] != "result" and len(path) > 1),
        results=tuple(path[1:] for path in paths if path[0] == "result" and len(path) > 1),
    )


def _leads_to(arguments: Any, path: Path) -> bool:
    for name in path:
        if isinstance(arguments, list):
            return any(_leads_to(item, path) for item in arguments)
        if not isinstance(arguments, dict) or name not in arguments:
            return False
        arguments, path = arguments[name], path[1:]
    return True


def _inside(schema: Schema, path: Path) -> Schema | None:
    """The object schema that holds the last name of a path; arrays are entered."""
    for name in path[:-1]:
        inner = schema.get("properties", {}).get(name)
        if inner is None:
            return None
        schema = inner.get("items", inner)
    return schema


def _is_required(parameters: Schema, path: Path) -> bool:
    schema = _inside(parameters, path)
    return schema is not None and path[-1] in schema.get("required", ())


def _delete(parameters: Schema, path: Path) -> None:
    schema = _inside(parameters, path)
    if schema is None:
        return
    schema.get("properties", {}).pop(path[-1], None)
    if path[-1] in schema.get("required", ()):
        schema["required"].remove(path[-1])


def _mask(node: Any, path: Path) -> None:
    """Hide the end of a path; where the path breaks, its last name is hidden at that depth."""
    *way, leaf = path
    for index, name in enumerate(way):
        if isinstance(node, list):
            for item in node:
                _mask_inside(item, way[index:], leaf)
            return
        if not isinstance(node, dict) or name not in node:
            break
        node = node[name]
    for item in node if isinstance(node, list) else [node]:
        if isinstance(item, dict) and leaf in item:
            item[leaf] = UNKNOWN


def _mask_inside(node: Any, way: list[str], leaf: str) -> None:
    for name in way:
        if not isinstance(node, dict) or name not in node:
            return
        node = node[name]
    if isinstance(node, dict) and leaf in node:
        node[leaf] = UNKNOWN
