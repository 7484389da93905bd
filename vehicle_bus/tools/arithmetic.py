"""Sums, and adding to a date and time."""

import ast
import json
import operator
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Annotated, Any, TypedDict

from vehicle_bus.car.car import Car
from vehicle_bus.car.schema import Description
from vehicle_bus.car.tool import Bare, tool

ALLOWED = frozenset("0123456789+-*/(). ")
LONGEST_EXPRESSION = 400
LARGEST_POWER_BITS = 4096
BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}


class NoNumber(Exception):
    """An expression that has no value; the text says why."""


@tool("get")
def calculate_math(car: Car, expression: str) -> Bare:
    """Work out a sum and give the number, rounded to two decimals.

    Args:
        expression: Numbers, + - * / and parentheses; // divides to a whole number, ** is a power.
    """
    try:
        return Bare(str(round(float(value_of(expression)), 2)))
    except (NoNumber, ArithmeticError, TypeError) as error:
        return Bare(f"Error: {error}", failed=True)


def value_of(expression: str) -> Any:
    """The value by Python's rules, without Python's freedom; `NoNumber` if it has none."""
    if not ALLOWED.issuperset(expression):
        raise NoNumber("only digits, + - * / ( ) . and spaces can be calculated with")
    if len(expression) > LONGEST_EXPRESSION:
        raise NoNumber(f"more than {LONGEST_EXPRESSION} characters is too long")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise NoNumber(f"{expression!r} is not a sum") from error
    return _value(tree.body)


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return +_value(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left), _value(right))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
            return BINARY[type(op)](_value(left), _value(right))
        case _:
            raise NoNumber("an operator is missing")


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int):
        bits = base.bit_length() * abs(exponent)
        if bits > LARGEST_POWER_BITS and abs(base) > 1:
            raise NoNumber("that number is too large")
    return base**exponent


class DateAndTime(TypedDict):
    year: float
    month: float
    day: float
    hour: float
    minute: float


class Span(TypedDict):
    hours: Annotated[float, Description("Hours to add.")]
    minutes: Annotated[float, Description("Minutes to add.")]


@tool("get")
def calculate_datetime(car: Car, original_datetime: DateAndTime, times_to_add: list[Span]) -> Bare:
    """Add spans of time to a date and time, one after the other.

    Args:
        original_datetime: Where to start.
        times_to_add: What to add, for example a drive of 1 hour 30 minutes and a break.
    """
    add = _add_thirty_day_months if "Q59" in car.compat else _add
    try:
        return Bare(json.dumps(add(original_datetime, times_to_add)))
    except (ValueError, OverflowError) as error:
        return Bare(f"Error: {error}", failed=True)


def _add(start: DateAndTime, spans: list[Span]) -> dict[str, float]:
    parts = (start["year"], start["month"], start["day"], start["hour"], start["minute"])
    if any(part != int(part) for part in parts):
        raise ValueError("a date and time is made of whole numbers")
    year, month, day, hour, minute = map(int, parts)
    moment = datetime(year, month, day, hour, minute)  # noqa: DTZ001 - the car's own clock has no zone
    for span in spans:
        moment += timedelta(hours=span["hours"], minutes=span["minutes"])
    return {field: getattr(moment, field) for field in DateAndTime.__annotations__}


def _add_thirty_day_months(start: DateAndTime, spans: list[Span]) -> dict[str, float]:
    day, hour, minute = start["day"], start["hour"], start["minute"]
    for span in spans:
        hour, minute = hour + span["hours"], minute + span["minutes"]
        if minute >= 60:
            hour, minute = hour + minute // 60, minute % 60
        if hour >= 24:
            day, hour = day + hour // 24, hour % 24
        if day > 30:
            raise ValueError("the sum reaches into another month, which cannot be calculated")
    return {
        "year": start["year"],
        "month": start["month"],
        "day": day,
        "hour": hour,
        "minute": minute,
    }
