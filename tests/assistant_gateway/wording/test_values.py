from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.wording.values import Wording, amount_in, value_of

EXAMPLES = Path(__file__).with_name("values_said.yaml")
FIELDS = yaml.load(EXAMPLES.read_text(encoding="utf-8"), yaml.CSafeLoader)


def sentences(key: str) -> list[Any]:
    return [
        pytest.param(row["field"], row["value"], str(text), id=f"{row['value']}: {text}")
        for row in FIELDS
        for text in row[key]
    ]


@pytest.mark.parametrize(("field", "value", "text"), sentences("told"))
def test_a_value_is_told_in_any_words_for_it(field: str, value: object, text: str) -> None:
    meant = value_of(field, value)
    assert meant is not None
    assert meant.is_told(text)


@pytest.mark.parametrize(("field", "value", "text"), sentences("not_told"))
def test_another_value_does_not_tell_it(field: str, value: object, text: str) -> None:
    meant = value_of(field, value)
    assert meant is not None
    assert not meant.is_told(text)


@pytest.mark.parametrize("raw", [[], None, {}, ["a"]])
def test_what_cannot_be_said_is_no_value(raw: object) -> None:
    assert value_of("x", raw) is None


@pytest.mark.parametrize(
    "written", ["12 min", "18:30", "310 km", "9 °C", "80 %", "1 h 5 min", "350 kW"]
)
def test_an_amount_is_read_as_it_is_shown(written: str) -> None:
    assert str(amount_in(written)) == written


@given(st.text())
def test_any_text_can_be_searched_for_any_value(text: str) -> None:
    for row in FIELDS[::5]:
        meant = value_of(row["field"], row["value"])
        assert meant is not None
        assert meant.is_told(text) in (True, False)
        assert meant.is_of_kind_in(text) in (True, False)


def test_words_are_found_in_upper_and_lower_case_alike() -> None:
    assert Wording("Groningen", "Groningen").is_told("It is Groningen.")
    assert not Wording("Groningen", "Groningen").is_told("It is not Groningen.")
