"""A line of a script: one text, or several that mean the same, of which a trial says one."""

from collections.abc import Sequence
from random import Random
from typing import Annotated, Any

from pydantic import PlainSerializer, ValidatorFunctionWrapHandler, WrapValidator


class Ways(str):
    """A line that can be said in several ways; as a text it is the first of them."""

    ways: tuple[str, ...]

    def __new__(cls, ways: Sequence[str]) -> "Ways":
        line = super().__new__(cls, ways[0])
        line.ways = tuple(ways)
        return line

    def __getnewargs__(self) -> tuple[Any, ...]:  # for copies and other processes
        return (self.ways,)


def ways_of(line: str) -> tuple[str, ...]:
    """Every text that a line can be said in."""
    return line.ways if isinstance(line, Ways) else (line,)


def one_way(line: str, trial: int, seed: str) -> str:
    """The text that is said in a trial; each is said once before any is said again."""
    ways = ways_of(line)
    again, number = divmod(trial, len(ways))
    return Random(f"{seed}/{again}").sample(ways, len(ways))[number]


def _read(value: Any, text: ValidatorFunctionWrapHandler) -> str:
    if isinstance(value, Ways):
        return value
    if not isinstance(value, list | tuple):
        return str(text(value))
    ways = [str(text(each)) for each in value]
    if not ways or len({*ways}) < len(ways):
        raise ValueError("expected a text, or several different ones in a list")
    return Ways(ways) if len(ways) > 1 else ways[0]


def _written(line: str) -> str | list[str]:
    return list(line.ways) if isinstance(line, Ways) else line


Line = Annotated[str, WrapValidator(_read), PlainSerializer(_written)]
