from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from evaluator.scoring.policies.agreement import agreement

PHRASES = yaml.safe_load(Path(__file__).with_name("agreements.yaml").read_text())
MEANING = {"yes": True, "no": False, "open": None}
LEFT_OPEN = {"I don't mind, go for it."}  # a person decides; nothing is decided wrongly


@pytest.mark.parametrize("meaning", MEANING)
def test_an_answer_is_read_as_a_person_reads_it(meaning: str) -> None:
    read = {phrase: agreement(phrase) for phrase in PHRASES[meaning]}
    expected = MEANING[meaning]
    assert {
        phrase: found
        for phrase, found in read.items()
        if found is not expected and not (phrase in LEFT_OPEN and found is None)
    } == {}


@given(st.text())
def test_any_answer_is_read(answer: str) -> None:
    assert agreement(answer) in (True, False, None)
