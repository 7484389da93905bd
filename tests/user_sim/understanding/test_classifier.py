import json
from pathlib import Path

import pytest

from user_sim.understanding import classifier as shipped
from user_sim.understanding.classifier import classifier

SCORES = [
    json.loads(line)
    for line in Path(__file__).with_name("scores.jsonl").read_text(encoding="utf-8").splitlines()
]
LARGEST = 3_000_000


def test_fifty_sentences_are_scored_as_on_any_other_machine() -> None:
    assert len({row["sentence"] for row in SCORES}) == 50
    for row in SCORES:
        sure = classifier().sure(row["before"], row["sentence"], row["after"])
        assert sure == pytest.approx(row["sure"], abs=0.01), row["sentence"]


def test_each_act_is_among_the_fifty() -> None:
    assert {act for row in SCORES for act, how in row["sure"].items() if how > 0.5} == set(
        SCORES[0]["sure"]
    )


def test_the_weights_are_small() -> None:
    assert Path(shipped.__file__).with_name("acts.npz").stat().st_size < LARGEST


def test_nothing_to_read_is_scored_without_an_error() -> None:
    assert all(0 <= how <= 1 for how in classifier().sure("", "...", "").values())
