import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.car_bench.same_answer import same_answer, same_value

SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)
TOOL = "get_weather"


def fractional(node: Any) -> Any:
    """The same value with every whole number written as a fraction."""
    match node:
        case bool():
            return node
        case int():
            return float(node)
        case list():
            return [fractional(item) for item in node]
        case dict():
            return {name: fractional(item) for name, item in node.items()}
    return node


@given(VALUES)
def test_a_value_is_itself_however_its_numbers_are_written(value: Any) -> None:
    assert same_value(value, value)
    assert same_value(value, fractional(value))
    assert same_value(fractional(value), value)


@given(VALUES, VALUES)
def test_sameness_has_no_direction(one: Any, other: Any) -> None:
    assert same_value(one, other) == same_value(other, one)


@given(VALUES, VALUES)
def test_same_values_are_equal_in_python_too(one: Any, other: Any) -> None:
    if same_value(one, other):
        assert one == other


@given(st.dictionaries(st.text(max_size=6), VALUES))
def test_success_is_equal_by_value_whatever_the_order_and_the_spaces(
    result: dict[str, Any],
) -> None:
    turned = dict(reversed(result.items()))
    ours = json.dumps({"status": "SUCCESS", "result": result})
    recorded = json.dumps({"result": fractional(turned), "status": "SUCCESS"}, indent=1)
    assert same_answer(TOOL, ours, recorded)


@given(VALUES, VALUES)
def test_another_value_is_another_answer(one: Any, other: Any) -> None:
    texts = [json.dumps({"status": "SUCCESS", "result": value}) for value in (one, other)]
    assert same_answer(TOOL, texts[0], texts[1]) == same_value(one, other)


@given(st.lists(st.text(max_size=6), unique=True), st.text(), st.text())
def test_failures_are_equal_by_their_keys(keys: list[str], text: str, other: str) -> None:
    ours = json.dumps({"status": "FAILURE", "errors": dict.fromkeys(keys, text)})
    turned = dict.fromkeys(reversed(keys), other)
    assert same_answer(TOOL, ours, json.dumps({"status": "FAILURE", "errors": turned}))
    assert same_answer(TOOL, ours, json.dumps({"errors": turned}))
    more = json.dumps({"status": "FAILURE", "errors": turned | {"ANOTHER_001": ""}})
    assert same_answer(TOOL, ours, more) == ("ANOTHER_001" in keys)


@pytest.mark.parametrize(
    ("ours", "recorded", "same"),
    [
        ("true", "1", False),
        ("1", "1.0", True),
        ("", "", True),
        ("", " ", False),
        ('{"result": [false]}', '{"result": [0]}', False),
        ('{"result": null}', '{"result": {}}', False),
        ("Error: this car lacks it", "Error: missing 1 argument", True),
        ("Unknown action fly", "Unknown action dive", True),
        ("Unknown action fly", "Error: fly", False),
        ('{"status": "FAILURE", "errors": {"A": "b"}}', "Error: b", False),
        ('{"status": "FAILURE", "errors": {"A": "b"}}', '{"status": "SUCCESS"}', False),
    ],
)
def test_the_odd_ones(ours: str, recorded: str, same: bool) -> None:
    assert same_answer(TOOL, ours, recorded) is same
    assert same_answer(TOOL, recorded, ours) is same


@pytest.mark.parametrize(
    ("tool", "same"),
    [
        ("get_vehicle_window_positions", True),
        ("get_sunroof_and_sunshade_position", True),
        ("get_weather", False),
    ],
)
def test_constant_captions_do_not_count(tool: str, same: bool) -> None:
    ours, recorded = (
        json.dumps({"status": "SUCCESS", "result": {"position": 5, "description": caption}})
        for caption in ("0 is closed", "closed is 0")
    )
    assert same_answer(tool, ours, recorded) is same
