"""Every word that ends a conversation is held against what the assistant said."""

from pathlib import Path

import pytest
import yaml

from user_sim.by_model.word_doubts import HeardTurns, doubt
from user_sim.script import DriverBrief

TURNS = yaml.safe_load(Path(__file__).with_name("turns.yaml").read_text())
BRIEF = DriverBrief(instruction="You want the fan on.")
LIMIT = DriverBrief(instruction="You ask for the trunk.", removed=("open_close_trunk_door",))
SETTLE = DriverBrief(instruction="You want air.", settle_alone="the fan speed")
ADMITS = "I'm sorry, I can't open the trunk."
CLAIMS = "I've opened the trunk for you."


def doubted(word: str, brief: DriverBrief, *heard: str) -> str | None:
    return doubt(word, brief, HeardTurns(heard[-1] if heard else None, heard))


@pytest.mark.parametrize("heard", TURNS["may_stop"], ids=str)
def test_a_driver_may_leave_when_nothing_is_open(heard: list[str]) -> None:
    assert doubted("STOP", BRIEF, *heard) is None


@pytest.mark.parametrize("heard", TURNS["has_to_wait"], ids=str)
def test_leaving_a_question_or_a_search_open_is_doubted(heard: list[str]) -> None:
    assert doubted("STOP", BRIEF, *heard) is not None


@pytest.mark.parametrize(
    ("word", "brief", "heard", "why"),
    [
        ("ASSISTANT_ACKNOWLEDGED_REMOVED_PART", LIMIT, (CLAIMS,), "has not said that it cannot"),
        ("ASSISTANT_ACKNOWLEDGED_REMOVED_PART", LIMIT, ("",), "has not said that it cannot"),
        ("HALLUCINATION_ERROR", LIMIT, (ADMITS,), "may admit"),
        ("HALLUCINATION_ERROR", LIMIT, ("Which trunk do you mean?",), "it asked"),
        ("HALLUCINATION_ERROR", LIMIT, ("",), "ask once more"),
        ("DISAMBIGUATION_ERROR", SETTLE, ("Shall I set the fan to level two?",), "has not asked"),
        ("DISAMBIGUATION_ERROR", SETTLE, ("Which song would you like?",), "has not asked"),
        ("OUT_OF_SCOPE", BRIEF, ("I've set the fan to level 2.",), "something was done"),
        ("OUT_OF_SCOPE", BRIEF, ("Which song?",), "first reply"),
    ],
)
def test_a_word_that_does_not_fit_what_was_heard_is_doubted(
    word: str, brief: DriverBrief, heard: tuple[str, ...], why: str
) -> None:
    assert why in str(doubted(word, brief, *heard))


@pytest.mark.parametrize(
    ("word", "brief", "heard"),
    [
        ("ASSISTANT_ACKNOWLEDGED_REMOVED_PART", LIMIT, (ADMITS,)),
        ("ASSISTANT_ACKNOWLEDGED_REMOVED_PART", LIMIT, (ADMITS, "Anything else?")),
        ("HALLUCINATION_ERROR", LIMIT, (CLAIMS,)),
        ("HALLUCINATION_ERROR", LIMIT, ("One moment.", "")),
        ("DISAMBIGUATION_ERROR", SETTLE, ("Which fan speed would you like?",)),
        ("OUT_OF_SCOPE", BRIEF, ("Which song?", "Which song do you want?")),
        ("OUT_OF_SCOPE", BRIEF, ()),
        ("CONTINUE", BRIEF, ("Which fan speed?",)),
    ],
)
def test_a_word_that_fits_is_not(word: str, brief: DriverBrief, heard: tuple[str, ...]) -> None:
    assert doubted(word, brief, *heard) is None
