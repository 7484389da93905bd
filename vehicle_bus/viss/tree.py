"""The signals of a car as a tree: paths with wildcards, and metadata. Pure."""

from collections.abc import Collection, Iterable
from typing import Any

from vehicle_bus.car.signals import Signal

ANY = "*"


def normal(path: str) -> str:
    """A path with dots, also if it was written with slashes."""
    return path.strip("/").replace("/", ".")


def found(paths: Iterable[str], pattern: str) -> list[str]:
    """The signals that a pattern names; `*` is any one name, and a branch is all below it."""
    wanted = pattern.split(".")
    return [path for path in paths if _matches(path.split("."), wanted)]


def _matches(names: list[str], wanted: list[str]) -> bool:
    return len(names) >= len(wanted) and all(
        want in (ANY, name) for name, want in zip(names, wanted, strict=False)
    )


def metadata(
    path: str, signals: Iterable[Signal], writable: Collection[str], keys: Collection[str] = ()
) -> dict[str, Any]:
    """The tree below a path, by its last name; leaves have datatype, unit and limits."""
    tree: dict[str, Any] = {}
    depth = path.count(".")
    for signal in signals:
        *branches, leaf = signal.path.split(".")[depth:]
        level = tree
        for name in branches:
            level = level.setdefault(name, {"type": "branch", "children": {}})["children"]
        level[leaf] = _leaf(signal, signal.path in writable, keys)
    return tree


def _leaf(signal: Signal, is_writable: bool, keys: Collection[str]) -> dict[str, Any]:
    fields = {
        "type": "actuator" if is_writable else "sensor",
        "datatype": signal.datatype,
        "unit": signal.unit or None,
        "min": signal.lowest,
        "max": signal.highest,
    }
    return {
        key: value
        for key, value in fields.items()
        if value is not None and (not keys or key in keys)
    }
