"""A plain function becomes a tool: its signature is the schema, its docstring the description."""

import inspect
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_type_hints

from pydantic import ValidationError

from vehicle_bus.car.car import Car
from vehicle_bus.car.schema import Schema, Violation, is_number, schema_of, violations
from vehicle_bus.contract import Status
from vehicle_bus.validation_problem import first_problem

Kind = Literal["set", "get", "no-op"]
CONFIRM = "REQUIRES_CONFIRMATION"
INVALID = "INVALID_ARGUMENTS"


class Refused(Exception):
    """A tool does not do what was asked. `text` goes back to the model under the error `key`.

    `logged` says whether the public benchmark counts it as a tool execution error, `has_status`
    whether its answer carries a status.
    """

    def __init__(
        self, key: str, text: str, *, logged: bool = True, has_status: bool = True
    ) -> None:
        super().__init__(f"{key}: {text}")
        self.key = key
        self.text = text
        self.logged = logged
        self.has_status = has_status


class BadArguments(Refused):
    """The call does not fit the schema, or cannot be understood."""

    def __init__(self, text: str) -> None:
        super().__init__(INVALID, text, logged=False)


def counts_as_number(given: Any, compat: frozenset[str]) -> bool:
    """Whether an unchecked value can be calculated with."""
    return is_number(given) or ("Q69" in compat and isinstance(given, bool))


def number(name: str, given: Any, compat: frozenset[str]) -> float:
    """The value of an unchecked parameter that has to be a number."""
    if not counts_as_number(given, compat):
        raise BadArguments(f"{name} must be a number, not {given!r:.40}")
    checked: float = given
    return checked


@dataclass(frozen=True, slots=True)
class Errors:
    """The numbered failures of one tool: `Errors("NAV_X", "NavX")(7, "…")` has key NAV_X_007."""

    key: str
    code: str
    has_status: bool = True

    def __call__(self, number: int, text: str, *, code: str | None = None) -> Refused:
        """A failure whose text starts with its code, which is another one for broken policies."""
        text = f"{code or f'{self.code}_{number:03}'}: {text}"
        return Refused(f"{self.key}_{number:03}", text, has_status=self.has_status)


@dataclass(frozen=True, slots=True)
class Bare:
    """An answer without envelope: the exact text, and whether it reports a failure."""

    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Coded:
    """An unusable value of `parameter` has an error key of its own instead of the general one.

    Without `anything`, that is so for values out of range or not among the choices; with it, for
    whatever is wrong. `only` narrows it by value and quirks.
    """

    parameter: str
    key: str
    code: str | None = None
    anything: bool = False
    logged: bool = True
    only: Callable[[Any, frozenset[str]], bool] | None = None

    def covers(
        self, violation: Violation, arguments: dict[str, Any], compat: frozenset[str]
    ) -> bool:
        return (
            violation.path[0] == self.parameter
            and (self.anything or violation.kind in ("range", "enum"))
            and (self.only is None or self.only(arguments[self.parameter], compat))
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call came to.

    `output` is the exact text for the caller, `result` the object in it, `error` the key of a
    failure, `logged` whether the public benchmark counts it as a tool execution error. The vehicle
    adds `changes`, pairs of VSS path and value, and its revision before and after the call.
    """

    status: Status
    output: str
    result: dict[str, Any] | None = None
    error: str | None = None
    logged: bool = False
    changes: tuple[tuple[str, Any], ...] = ()
    revision_before: int = 0
    revision_after: int = 0


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of the car.

    Of `unchecked` parameters only the presence is checked before it runs: it looks at the values
    itself, in an order that matters; of `loose` ones too, where quirk Q69 is reproduced. A `heavy`
    tool may take milliseconds.
    """

    name: str
    kind: Kind
    description: str
    parameters: Schema
    run: Callable[..., dict[str, Any] | Bare]
    coded: tuple[Coded, ...] = ()
    nullable: frozenset[str] = frozenset()
    unchecked: frozenset[str] = frozenset()
    loose: frozenset[str] = frozenset()
    heavy: bool = False
    ends_conversation: bool = False

    def declaration(self) -> dict[str, Any]:
        """The OpenAI-style declaration, with `ends_conversation` beside it."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": self.parameters,
            },
            "ends_conversation": self.ends_conversation,
        }

    def call(self, car: Car, arguments: dict[str, Any]) -> Answer:
        """Check the arguments and run; whatever the caller did wrong is in the answer."""
        given = {
            name: value
            for name, value in arguments.items()
            if value is not None or name not in self.nullable
        }
        try:
            self._check(given, car.compat)
            result = self.run(car, **given)
        except Refused as refused:
            return failure(refused, with_status=refused.has_status or "Q03" not in car.compat)
        except ValidationError as error:
            if "Q69" not in car.compat:
                raise
            return failure(BadArguments(first_problem(error)))
        if isinstance(result, Bare):
            return Answer("FAILURE" if result.failed else "SUCCESS", result.text)
        return success(result)

    def _check(self, arguments: dict[str, Any], compat: frozenset[str]) -> None:
        loosely = "Q69" in compat
        unchecked = self.unchecked | self.loose if loosely else self.unchecked
        wrong = [
            item
            for item in violations(self.parameters, arguments)
            if item.is_about_presence
            or not (item.path[0] in unchecked or (loosely and item.kind == "truth"))
        ]
        if not wrong:
            return
        misshapen = [item for item in wrong if len(item.path) == 1 and item.is_about_presence]
        if misshapen:
            raise BadArguments(_sentence(misshapen))
        for coded in self.coded:
            for item in wrong:
                if coded.covers(item, arguments, compat):
                    raise refusal(coded.key, str(item), code=coded.code, logged=coded.logged)
        raise BadArguments(_sentence(wrong))


def refusal(key: str, text: str, *, code: str | None = None, logged: bool = True) -> Refused:
    """A failure whose text starts with its code: OPEN_SUNROOF_001 → `OpenSunroof_001: …`."""
    if code is None:
        *words, number = key.split("_")
        code = f"{''.join(word.capitalize() for word in words)}_{number}"
    return Refused(key, f"{code}: {text}" if code else text, logged=logged)


def success(result: dict[str, Any]) -> Answer:
    return Answer("SUCCESS", json.dumps({"status": "SUCCESS", "result": result}), result=result)


def is_failure(output: str) -> bool:
    """Whether the exact text of an answer tells of a failure; some successes are bare values."""
    try:
        answer = json.loads(output)
    except (json.JSONDecodeError, RecursionError):
        return output.startswith(("Error", "Unknown"))
    return isinstance(answer, dict) and ("errors" in answer or answer.get("status") == "FAILURE")


def failure(refused: Refused, *, with_status: bool = True) -> Answer:
    errors = {"errors": {refused.key: refused.text}}
    output = json.dumps({"status": "FAILURE", **errors} if with_status else errors)
    return Answer("FAILURE", output, error=refused.key, logged=refused.logged)


def tool(
    kind: Kind,
    *coded: Coded,
    confirm: bool = False,
    unchecked: tuple[str, ...] = (),
    loose: tuple[str, ...] = (),
    heavy: bool = False,
    ends_conversation: bool = False,
) -> Callable[[Callable[..., dict[str, Any] | Bare]], Tool]:
    """Make a function `(car, arguments…)` a tool; `coded` in the order the values are looked at."""

    def made(function: Callable[..., dict[str, Any] | Bare]) -> Tool:
        description, described = _read_docstring(function)
        return Tool(
            name=function.__name__,
            kind=kind,
            description=f"{CONFIRM}. {description}" if confirm else description,
            parameters=_parameters(function, described),
            run=function,
            coded=coded,
            nullable=frozenset(
                name
                for name, parameter in inspect.signature(function).parameters.items()
                if parameter.default is None
            ),
            unchecked=frozenset(unchecked),
            loose=frozenset(loose),
            heavy=heavy,
            ends_conversation=ends_conversation,
        )

    return made


def _parameters(function: Callable[..., Any], described: dict[str, str]) -> Schema:
    hints = get_type_hints(function, include_extras=True)
    _car, *parameters = inspect.signature(function).parameters.values()
    properties = {}
    for parameter in parameters:
        schema = schema_of(hints[parameter.name])
        if parameter.default not in (parameter.empty, None):
            schema["default"] = parameter.default
        properties[parameter.name] = schema | {"description": described[parameter.name]}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    if parameters:
        schema["required"] = [p.name for p in parameters if p.default is p.empty]
    return schema


def _read_docstring(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    description, _, arguments = (inspect.getdoc(function) or "").partition("\nArgs:\n")
    return " ".join(description.split()), dict(_argument_lines(arguments))


def _argument_lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, found, description = line.strip().partition(": ")
        if found:
            yield name, description


def _sentence(wrong: list[Violation]) -> str:
    return "; ".join(str(item) for item in wrong[:3])
