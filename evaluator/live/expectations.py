"""What a test may expect of a car: its commands, its signals now and at the start."""

from difflib import get_close_matches
from typing import Any

from evaluator.live.observer import Observer
from evaluator.live.wording import call_lines, call_text, conversation_lines, failed
from evaluator.record.record import Call, State
from vehicle_bus.car.signals import CONTEXT_SIGNALS, STATE_SIGNALS
from vehicle_bus.tools import BY_NAME

BY_SHORT_NAME = {row.name: row for row in (*STATE_SIGNALS, *CONTEXT_SIGNALS)}
BY_PATH = {row.path: row for row in (*STATE_SIGNALS, *CONTEXT_SIGNALS)}
ANYTHING = object()


class UnknownSignal(LookupError):
    """No signal has that name; the text says which are close."""


class Expectations:
    """A car as a test sees it. Names of signals are short (`fan_speed`) or VSS paths.

    `turns` are the last turns as lines.
    """

    def __init__(
        self, observer: Observer, at_start: State, turns: list[tuple[str, ...]] | None = None
    ) -> None:
        self.observer = observer
        self.at_start = at_start
        self.turns = [] if turns is None else turns

    @property
    def calls(self) -> tuple[Call, ...]:
        """All commands to the car, from any sender, each with its reply."""
        return self.observer.since().calls

    def signal(self, name: str) -> Any:
        """The value of a signal now: as the car has it by short name, as VSS has it by path."""
        if name in self.at_start:
            return self.observer.state[name]
        row = BY_SHORT_NAME.get(name) or BY_PATH.get(name)
        signals = self.observer.signals
        if row is not None and row.path in signals:
            value = signals[row.path]
            return row.conversion.from_vss(value) if name == row.name else value
        if name in signals:
            return signals[name]
        if row is not None:
            raise UnknownSignal(f"{name} is not on the bus: this car does not publish it")
        known = {*self.at_start, *BY_SHORT_NAME, *BY_PATH}
        near = get_close_matches(name, known, n=3, cutoff=0.5)
        raise UnknownSignal(f"no signal {name!r}; did you mean {' or '.join(near) or 'another'}?")

    def changed(self, name: str, to: Any = ANYTHING) -> Any:
        """Expect that a signal differs from the start, and that it is `to`, if given."""
        __tracebackhide__ = True
        now, before = self.signal(name), self._at_start(name)
        if now == before:
            raise self._failed(f"{name} is still {now!r}, expected {_wanted(to)}")
        if to is not ANYTHING and now != to:
            raise self._failed(f"{name} changed from {before!r} to {now!r}, expected {to!r}")
        return now

    def unchanged(self, *names: str) -> None:
        """Expect that signals are as they were at the start; without names, that all are."""
        __tracebackhide__ = True
        for name in names or self.at_start:
            now, before = self.signal(name), self._at_start(name)
            if now != before:
                raise self._failed(f"{name} changed from {before!r} to {now!r}")

    def commanded(self, tool: str, **arguments: Any) -> Call:
        """Expect a command with at least these arguments; the last such call, with its reply."""
        __tracebackhide__ = True
        check_tool(tool)
        matching = [call for call in self.calls if _fits(call, tool, arguments)]
        if not matching:
            what = f"expected the command {call_text(tool, arguments)}"
            raise self._failed(what, *call_lines(tool, self.calls))
        return matching[-1]

    def not_commanded(self, tool: str, **arguments: Any) -> None:
        """Expect no command with these arguments; without arguments, none of this tool."""
        __tracebackhide__ = True
        check_tool(tool)
        if any(_fits(call, tool, arguments) for call in self.calls):
            what = f"expected no command {call_text(tool, arguments)}"
            raise self._failed(what, *call_lines(tool, self.calls))

    def _at_start(self, name: str) -> Any:
        if name in self.at_start:
            return self.at_start[name]
        row = BY_PATH.get(name)
        if row is None or row.name not in self.at_start:
            raise UnknownSignal(f"the value of {name} at the start is not known")
        return row.conversion.to_vss(self.at_start[row.name])

    def _failed(self, what: str, *more: str) -> AssertionError:
        return failed(what, *more, *conversation_lines(self.turns))


def _fits(call: Call, tool: str, arguments: dict[str, Any]) -> bool:
    return call.tool == tool and all(
        name in call.arguments and call.arguments[name] == value
        for name, value in arguments.items()
    )


def check_tool(tool: str) -> None:
    """Raises `LookupError` for an unknown tool: it would make `not_commanded` always true."""
    if tool not in BY_NAME:
        near = get_close_matches(tool, BY_NAME, n=3, cutoff=0.5)
        raise LookupError(f"no car has a tool {tool!r}; did you mean {' or '.join(near)}?")


def _wanted(to: Any) -> str:
    return "it to change" if to is ANYTHING else repr(to)
