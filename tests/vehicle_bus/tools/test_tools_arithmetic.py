import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vehicle_bus.cars import call, car


def output(expression: str) -> str:
    handled = call(car(), "calculate_math", expression=expression)
    assert (handled.status == "FAILURE") == handled.output.startswith("Error: ")
    assert (handled.error, handled.logged) == (None, False)
    return handled.output


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("2 + 2", "4.0"),
        ("1/3", "0.33"),
        ("7//2", "3.0"),
        ("2**10", "1024.0"),
        ("-2**2", "-4.0"),
        (" 1.5*(3+.5) ", "5.25"),
        ("--3", "3.0"),
        ("2**-1", "0.5"),
        ("750.11 + 178.9", "929.01"),
    ],
)
def test_sums_follow_the_rules_of_python(expression: str, expected: str) -> None:
    assert output(expression) == expected


@pytest.mark.parametrize(
    "expression",
    ["", "1 +", "1/0", "2 x 3", "1e5", "()", "2(3)", "9**9**9", "9.9**999", "(-8)**.5", "05",
     "(" * 300 + "1" + ")" * 300, "1+" * 250 + "1", "9" * 399, "a"],
)  # fmt: skip
def test_what_has_no_value_is_an_error_text(expression: str) -> None:
    assert output(expression).startswith("Error: ")


@given(st.text("0123456789+-*/(). ", max_size=30))
def test_no_expression_hurts(expression: str) -> None:
    output(expression)


START: dict[str, float] = {"year": 2025, "month": 2, "day": 14, "hour": 22, "minute": 45}


def added(compat: Any, start: dict[str, float], *spans: tuple[float, float]) -> Any:
    handled = call(
        car(compat),
        "calculate_datetime",
        original_datetime=start,
        times_to_add=[{"hours": hours, "minutes": minutes} for hours, minutes in spans],
    )
    return json.loads(handled.output) if handled.status == "SUCCESS" else handled.output


@pytest.mark.parametrize("compat", ["codriver", "car-bench"])
def test_spans_are_added_and_the_answer_has_no_envelope(compat: Any) -> None:
    answer = added(compat, START, (1, 30), (0, 50))
    assert answer == {"year": 2025, "month": 2, "day": 15, "hour": 1, "minute": 5}
    assert added(compat, START) == START


def test_months_end_by_the_calendar_or_for_the_public_benchmark_not_at_all() -> None:
    late = START | {"day": 28}
    assert added("codriver", late, (2, 0)) == START | {"month": 3, "day": 1, "hour": 0}
    assert added("car-bench", late, (2, 0)) == START | {"day": 29, "hour": 0}
    assert added("car-bench", START | {"day": 30}, (2, 0)).startswith("Error: ")


@pytest.mark.parametrize("start", [START | {"day": 31}, START | {"hour": 1.5}])
def test_what_is_no_moment_is_an_error_text(start: dict[str, float]) -> None:
    assert added("codriver", start, (1, 0)).startswith("Error: ")


def test_spans_out_of_all_proportion_are_an_error_text() -> None:
    assert added("codriver", START, (1e18, 0)).startswith("Error: ")


def test_a_span_without_minutes_is_a_bad_argument() -> None:
    arguments = {"original_datetime": START, "times_to_add": [{"hours": 1}]}
    assert call(car(), "calculate_datetime", **arguments).error == "INVALID_ARGUMENTS"
