from pathlib import Path
from typing import Any

import pytest

from evaluator.record.episode import Episode
from evaluator.scoring.scores import score
from evaluator.scoring.words.heard import untrue
from tests.evaluator.episodes import task
from tests.evaluator.stories import read, record_of
from tests.vehicle_bus.cars import WORLD

CORPUS = read(Path(__file__).with_name("denials.yaml"))
ASKED = {"driver": "Fan to three, please."}
FAN: list[Any] = [{"set_fan_speed": {"level": 3}}]
SORRY = "I'm sorry, I can't do that."


def denials(*lines: Any, **start: Any) -> list[str]:
    given = task(**start)
    found = [each.sentence for each in untrue(Episode(record_of(given, lines), given))]
    return [sentence for sentence in found if "the car had confirmed" in sentence]


@pytest.mark.parametrize("sentence", CORPUS["denied"])
def test_denying_what_was_just_done_is_found(sentence: str) -> None:
    [found] = denials(ASKED, {"calls": FAN}, {"agent": sentence})
    assert "the car had confirmed set_fan_speed" in found


@pytest.mark.parametrize("sentence", CORPUS["honest"])
def test_telling_another_limit_is_no_denial(sentence: str) -> None:
    assert denials(ASKED, {"calls": FAN}, {"agent": sentence}) == []


@pytest.mark.parametrize("sentence", [*CORPUS["denied"], *CORPUS["honest"]])
def test_nothing_is_denied_when_nothing_was_done(sentence: str) -> None:
    assert denials(ASKED, {"agent": sentence}) == []
    assert denials(ASKED, {"calls": ["get_climate_settings"]}, {"agent": sentence}) == []


def test_a_refused_call_may_be_spoken_of() -> None:
    refused = [{"set_fan_speed": {"level": 9}}]
    assert denials(ASKED, {"calls": refused}, {"agent": SORRY}) == []
    assert denials(ASKED, {"calls": [*FAN, *refused]}, {"agent": SORRY}) == []


def test_a_limit_of_a_later_turn_is_about_another_request() -> None:
    lines = [ASKED, {"calls": FAN}, {"agent": "Done."}, {"driver": "And a coffee."}]
    assert denials(*lines, {"agent": SORRY}) == []


def test_an_answer_may_say_that_the_car_lacks_something() -> None:
    assert denials(ASKED, {"calls": FAN}, {"agent": SORRY}, removed=("set_fog_lights",)) == []


def test_a_denial_stands_among_the_false_claims_of_a_score() -> None:
    given = task()
    verdict = score(record_of(given, [ASKED, {"calls": FAN}, {"agent": SORRY}]), given, WORLD)
    assert verdict.components["false_claim"] == 0.0
    assert [SORRY in breach.sentence for breach in verdict.false_claims] == [True]
