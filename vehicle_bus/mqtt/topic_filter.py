"""MQTT topic filters: which topics a pattern with `+` and `#` stands for."""

from collections.abc import Iterator
from typing import Generic, TypeVar

Value = TypeVar("Value")


def matches(pattern: str, topic: str) -> bool:
    """Whether a subscription to `pattern` gets messages of `topic`."""
    if topic.startswith("$") and pattern[:1] in ("+", "#"):
        return False
    return covers(pattern, topic)


def covers(pattern: str, narrower: str) -> bool:
    """Whether every topic of the filter (or topic) `narrower` is also one of `pattern`."""
    allowed, wanted = pattern.split("/"), narrower.split("/")
    for depth, level in enumerate(allowed):
        if level == "#":
            return True
        if depth == len(wanted) or wanted[depth] == "#":
            return False
        if level not in ("+", wanted[depth]):
            return False
    return len(allowed) == len(wanted)


def is_filter(pattern: str) -> bool:
    """Whether wildcards stand only where MQTT allows them."""
    levels = pattern.split("/")
    if not pattern or "\0" in pattern or "#" in levels[:-1]:
        return False
    return all(level in ("+", "#") or not ({"+", "#"} & set(level)) for level in levels)


def is_topic(topic: str) -> bool:
    """Whether a message may be published under this name."""
    return bool(topic) and "+" not in topic and "#" not in topic and "\0" not in topic


class _Node(Generic[Value]):
    __slots__ = ("children", "values")

    def __init__(self) -> None:
        self.children: dict[str, _Node[Value]] = {}
        self.values: dict[str, Value] = {}


class FilterTree(Generic[Value]):
    """Values stored under (filter, key) and found by topic, level by level."""

    def __init__(self) -> None:
        self._root: _Node[Value] = _Node()

    def put(self, pattern: str, key: str, value: Value) -> bool:
        """Store a value; False if it replaced one."""
        node = self._root
        for level in pattern.split("/"):
            node = node.children.setdefault(level, _Node())
        is_new = key not in node.values
        node.values[key] = value
        return is_new

    def remove(self, pattern: str, key: str) -> bool:
        """Forget a value; False if there was none."""
        path = [self._root]
        levels = pattern.split("/")
        for level in levels:
            child = path[-1].children.get(level)
            if child is None:
                return False
            path.append(child)
        if path[-1].values.pop(key, None) is None:
            return False
        for parent, level, child in reversed(list(zip(path, levels, path[1:], strict=False))):
            if child.children or child.values:
                break
            del parent.children[level]
        return True

    def find(self, topic: str) -> Iterator[Value]:
        """Every value whose filter matches the topic."""
        levels = topic.split("/")
        below = [self._root]
        for depth, level in enumerate(levels):
            wildcards = depth > 0 or not topic.startswith("$")
            following: list[_Node[Value]] = []
            for node in below:
                children = node.children
                if wildcards and "#" in children:
                    yield from children["#"].values.values()
                if wildcards and "+" in children:
                    following.append(children["+"])
                if level in children:
                    following.append(children[level])
            below = following
        for node in below:
            yield from node.values.values()
            if "#" in node.children:  # `a/#` also stands for `a`
                yield from node.children["#"].values.values()
