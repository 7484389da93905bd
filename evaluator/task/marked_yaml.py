"""YAML that remembers on which line everything stood.

Only `true` and `false` are booleans and dates stay texts, so `on: true` and `2025-03-10 07:45`
mean what they say.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from vehicle_bus.data_folder import QUICK

SURELY_SHALLOW = 10_000  # characters, so that nothing in them is nested more deeply
Where = tuple[str | int, ...]
FieldProblem = tuple[Where, str]  # a place in a file, and what was expected there


class BadYaml(Exception):
    """The text is not usable YAML; `line` counts from 1."""

    def __init__(self, line: int, expected: str) -> None:
        super().__init__(f"{line}: {expected}")
        self.line = line
        self.expected = expected


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = {  # noqa: RUF012 - pyyaml reads this class attribute
        first: [
            (tag, pattern)
            for tag, pattern in resolvers
            if tag not in ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp")
        ]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]  # so are its stubs
            raise BadYaml(mark.line + 1, "expected everything written out, not an alias")
        return super().compose_node(parent, index)


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), ["t", "f"])


@dataclass(frozen=True, slots=True)
class Marked:
    """A value and the lines of its parts, by path."""

    value: Any
    lines: dict[Where, int]

    def line(self, where: Where) -> int:
        """The line of a part; of the nearest thing around it when it is not there."""
        while where not in self.lines:
            where = where[:-1]
        return self.lines[where]

    def problem_line(self, file: Path, problem: FieldProblem) -> str:
        """`file:line: field: what was expected`, in one line."""
        where, expected = problem
        field = ".".join(str(part) for part in where)
        sentence = f"{field}: {expected}" if field else expected
        return f"{file}:{self.line(where)}: {' '.join(sentence.split())}"


class _QuickLoader(QUICK):  # type: ignore[misc]  # libyaml may not be there
    """Twenty times as fast where libyaml is there; takes aliases, and crashes if nested deeply."""

    yaml_implicit_resolvers = _Loader.yaml_implicit_resolvers


def read(text: str) -> Marked:
    """Read one document; raises `BadYaml`."""
    if len(text) <= SURELY_SHALLOW:
        with suppress(Exception):  # whatever is wrong is found again and told in our words
            return _read(_QuickLoader(text))
    try:
        return _read(_Loader(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise BadYaml(line, f"expected YAML, but {error.problem}") from error
    except yaml.YAMLError as error:
        raise BadYaml(1, "expected plain text without control characters") from error
    except (KeyError, ValueError) as error:
        raise BadYaml(1, "expected plain values, a tag here does not fit its value") from error
    except RecursionError as error:
        raise BadYaml(1, "expected a task, this is nested too deeply") from error


def _read(loader: yaml.SafeLoader) -> Marked:
    node = loader.get_single_node()
    if node is None:
        raise BadYaml(1, "expected a task, the file is empty")
    if max(Counter(map(id, _nodes(node))).values()) > 1:
        raise BadYaml(1, "expected everything written out, not an alias")
    lines: dict[Where, int] = {}
    _mark(node, (), node.start_mark.line + 1, lines)
    return Marked(loader.construct_document(node), lines)


def _nodes(node: yaml.Node) -> Iterator[yaml.Node]:
    """A node and all below it, an alias as often as it stands there."""
    yield node
    if isinstance(node, yaml.MappingNode):
        for _, value in node.value:
            yield from _nodes(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _nodes(item)


def _mark(node: yaml.Node, where: Where, line: int, lines: dict[Where, int]) -> None:
    lines[where] = line
    match node:
        case yaml.MappingNode():
            for key, value in node.value:
                line = key.start_mark.line + 1
                if key.tag != "tag:yaml.org,2002:str":
                    raise BadYaml(line, "expected a name before the colon")
                inside = (*where, key.value)
                if inside in lines:
                    raise BadYaml(line, f"expected {key.value} only once")
                _mark(value, inside, line, lines)
        case yaml.SequenceNode():
            for index, item in enumerate(node.value):
                _mark(item, (*where, index), item.start_mark.line + 1, lines)
