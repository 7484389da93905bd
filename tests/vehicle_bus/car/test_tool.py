import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vehicle_bus.cars import car
from vehicle_bus.car.car import Car
from vehicle_bus.car.schema import Description, Limits, schema_of, violations
from vehicle_bus.car.state import CarState, FixedContext
from vehicle_bus.car.tool import Bare, Coded, is_failure, refusal, tool
from vehicle_bus.tools import NOT_PUBLIC, TOOLS
from vehicle_bus.world.world import World

PUBLIC: dict[str, Any] = json.loads(
    Path(__file__).with_name("public_tools.json").read_text(encoding="utf-8")
)


class Stop(TypedDict):
    place: Annotated[str, Description("Where to stop.")]
    minutes: NotRequired[int]


@tool("set", Coded("speed", "DRIVE_001"), Coded("gear", "DRIVE_002", anything=True, logged=False))
def drive(
    car: Car,
    speed: Annotated[float, Limits(0, 130, step=10)],
    gear: Literal["FORWARD", "BACKWARD"],
    stops: list[Stop] | None = None,
    loudly: bool = False,
) -> dict[str, Any]:
    """Drive somewhere
    at a speed.

    Args:
        speed: In km/h.
        gear: Which way.
        stops: Where to rest.
        loudly: With the horn.
    """
    return {"speed": speed, "gear": gear, "stops": stops, "loudly": loudly}


def inside() -> Car:
    return Car(CarState(), FixedContext(), World(), frozenset())


def test_signature_and_docstring_become_the_declaration() -> None:
    function = drive.declaration()["function"]
    assert function["name"] == "drive"
    assert function["description"] == "Drive somewhere at a speed."
    assert function["parameters"] == {
        "type": "object",
        "properties": {
            "speed": {
                "type": "number",
                "multipleOf": 10,
                "minimum": 0,
                "maximum": 130,
                "description": "In km/h.",
            },
            "gear": {
                "type": "string",
                "enum": ["FORWARD", "BACKWARD"],
                "description": "Which way.",
            },
            "stops": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "place": {"type": "string", "description": "Where to stop."},
                        "minutes": {"type": "integer"},
                    },
                    "required": ["place"],
                },
                "description": "Where to rest.",
            },
            "loudly": {"type": "boolean", "default": False, "description": "With the horn."},
        },
        "additionalProperties": False,
        "required": ["speed", "gear"],
    }


@pytest.mark.parametrize(
    ("arguments", "key", "logged"),
    [
        ({"gear": "FORWARD"}, "INVALID_ARGUMENTS", False),
        ({"speed": 50, "gear": "FORWARD", "colour": 1}, "INVALID_ARGUMENTS", False),
        ({"speed": "50", "gear": "FORWARD"}, "INVALID_ARGUMENTS", False),
        ({"speed": True, "gear": "FORWARD"}, "INVALID_ARGUMENTS", False),
        ({"speed": float("nan"), "gear": "FORWARD"}, "INVALID_ARGUMENTS", False),
        ({"speed": 10**30, "gear": "FORWARD"}, "INVALID_ARGUMENTS", False),
        ({"speed": 55, "gear": "FORWARD"}, "INVALID_ARGUMENTS", False),
        ({"speed": 140, "gear": "FORWARD"}, "DRIVE_001", True),
        ({"speed": 140, "gear": "UP"}, "DRIVE_001", True),
        ({"speed": 50, "gear": 7}, "DRIVE_002", False),
        ({"speed": 50, "gear": "FORWARD", "stops": [{}]}, "INVALID_ARGUMENTS", False),
        ({"speed": 50, "gear": "FORWARD", "loudly": None}, "INVALID_ARGUMENTS", False),
    ],
)
def test_a_bad_call_says_what_is_wrong(arguments: Any, key: str, logged: bool) -> None:
    answer = drive.call(inside(), arguments)
    assert (answer.status, answer.error, answer.logged) == ("FAILURE", key, logged)
    assert json.loads(answer.output)["errors"][key]


def test_an_integral_float_is_an_integer_and_is_echoed_as_given() -> None:
    stops = [{"place": "Linz", "minutes": 10.0}]
    answer = drive.call(inside(), {"speed": 50.0, "gear": "FORWARD", "stops": stops})
    assert answer.status == "SUCCESS"
    assert '"speed": 50.0' in answer.output


def test_null_stands_for_an_argument_left_out() -> None:
    answer = drive.call(inside(), {"speed": 50, "gear": "FORWARD", "stops": None})
    assert answer.result == {"speed": 50, "gear": "FORWARD", "stops": None, "loudly": False}


def test_bare_values_are_successes_and_errors_are_not() -> None:
    assert not any(map(is_failure, ("4.0", "", '"text"', '{"status": "SUCCESS"}')))
    assert all(map(is_failure, ('{"errors": {"A": "b"}}', '{"status": "FAILURE"}', "Unknown x")))


def test_a_failure_text_starts_with_its_code() -> None:
    assert refusal("OPEN_CLOSE_SUNROOF_001", "no").text == "OpenCloseSunroof_001: no"
    assert refusal("ANY", "no", code="AUT-POL:024").text == "AUT-POL:024: no"


def test_output_is_ascii_and_a_bare_answer_is_its_text() -> None:
    @tool("get")
    def where(car: Car) -> dict[str, Any]:
        """Tell where the car is."""
        return {"city": "Zürich"}

    @tool("no-op")
    def hum(car: Car) -> Bare:
        """Hum."""
        return Bare("")

    assert where.call(inside(), {}).output == (
        '{"status": "SUCCESS", "result": {"city": "Z\\u00fcrich"}}'
    )
    assert hum.call(inside(), {}).output == ""


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists, max_leaves=5))
def test_checking_never_raises(value: Any) -> None:
    for annotation in (float, int, str, bool, list[Stop], Stop, Literal["A"]):
        list(violations(schema_of(annotation), value))


def plain(schema: Any) -> Any:
    """A schema without descriptions, `additionalProperties`, empty `required`, null defaults."""
    if not isinstance(schema, dict):
        return schema
    return {
        name: plain(value)
        for name, value in schema.items()
        if name not in ("description", "additionalProperties")
        and (name, value) not in (("required", []), ("default", None))
    }


def test_tools_come_in_public_order_and_none_is_forgotten() -> None:
    assert [made.name for made in TOOLS if made.name not in NOT_PUBLIC] == list(PUBLIC)
    assert set(PUBLIC) == {made.name for made in TOOLS} - NOT_PUBLIC


def test_the_car_has_27_setters_29_getters_and_2_that_do_nothing() -> None:
    kinds = Counter(made.kind for made in TOOLS)
    assert kinds == {"set": 27, "get": 29, "no-op": 2}


@pytest.mark.parametrize(
    "made", [made for made in TOOLS if made.name not in NOT_PUBLIC], ids=lambda made: made.name
)
def test_schema_is_the_public_one(made: Any) -> None:
    public = PUBLIC[made.name]
    assert plain(made.parameters) == plain(public["parameters"])
    assert made.description.startswith("REQUIRES_CONFIRMATION") == public["confirm"]
    assert made.ends_conversation == public["ends"]


def test_every_tool_and_parameter_is_described() -> None:
    for declaration in car().declarations():
        function = declaration["function"]
        assert len(function["description"]) > 20
        for schema in function["parameters"]["properties"].values():
            assert schema["description"].endswith(".")
