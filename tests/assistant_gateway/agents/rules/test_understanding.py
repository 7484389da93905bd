"""What the rules agent takes from what drivers say."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from assistant_gateway.agents.rules.earlier_wishes import EarlierWishes
from assistant_gateway.agents.rules.understanding import wishes_in
from tests.assistant_gateway.agents.rules.briefly import briefly

CORPUS = Path(__file__).with_name("utterances.yaml")


def utterances() -> Iterator[tuple[str, list[str]]]:
    for section in yaml.safe_load(CORPUS.read_text(encoding="utf-8")).values():
        yield from section.items()


def understood(said: str, context: EarlierWishes | None = None) -> list[str]:
    return [briefly(wish) for wish in wishes_in(said, context or EarlierWishes())]


@pytest.mark.parametrize(("said", "wants"), list(utterances()))
def test_an_utterance_is_understood(said: str, wants: list[str]) -> None:
    assert understood(said) == wants


def test_the_corpus_is_large() -> None:
    assert len(list(utterances())) >= 150


@pytest.mark.parametrize(("before", "then", "wants"), [
    ("Open the window behind me halfway.", "And the one behind the passenger too.",
     "window open 50 PASSENGER_REAR"),
    ("Set the temperature to 21 degrees.", "Make it 22 instead.", "temperature set 22"),
    ("Set the fan to two.", "No, three.", "fan set 3"),
    ("Open the sunroof halfway.", "Close it again.", "sunroof close"),
    ("Turn on my reading light.", "Turn it off again.", "reading off DRIVER"),
    ("Make the ambient light red.", "Blue is nicer, make it blue.", "ambient set BLUE"),
    ("Seat heating on two for me.", "And for the passenger too.", "seat_heating on 2 PASSENGER"),
])  # fmt: skip
def test_a_follow_up_builds_on_what_was_said_before(before: str, then: str, wants: str) -> None:
    context = EarlierWishes().after(wishes_in(before, EarlierWishes()))
    assert understood(then, context) == [wants]
