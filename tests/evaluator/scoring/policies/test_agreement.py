from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from evaluator.scoring.policies.agreement import agreement

PHRASES = yaml.safe_load(Path(__file__).with_name("agreements.yaml").read_text())
MEANING = {"yes": True, "no": False, "open": None}


@pytest.mark.parametrize("meaning", MEANING)
def test_an_answer_is_read_as_a_person_reads_it(meaning: str) -> None:
    read = {phrase: agreement(phrase) for phrase in PHRASES[meaning]}
    assert read == dict.fromkeys(PHRASES[meaning], MEANING[meaning])


@given(st.text())
def test_any_answer_is_read(answer: str) -> None:
    assert agreement(answer) in (True, False, None)
