"""Lines of a script that somebody on another seat says."""

import pytest
from pydantic import ValidationError

from user_sim.script import Script

SCRIPT = Script(
    opening="My seat on one, please.",
    followups=("And mine on two.", "Thanks."),
    speakers={"followups.0": "passenger"},
)


@pytest.mark.parametrize(
    ("said", "zone"),
    [
        ("My seat on one, please.", "driver"),
        ("And mine on two.", "passenger"),
        ("That's not quite what I asked for. And mine on two.", "passenger"),
        ("Yes, please.", "driver"),
    ],
)
def test_who_says_a_line_also_says_it_again(said: str, zone: str) -> None:
    assert SCRIPT.zone_of(said) == zone


def test_in_other_words_it_is_said_from_the_same_seat() -> None:
    other = SCRIPT.saying({"followups.0": "Two for me, please."})
    assert other.zone_of("Two for me, please.") == "passenger"
    assert other.zone_of("And mine on two.") == "driver"


def test_a_speaker_of_no_line_is_refused_with_the_lines_there_are() -> None:
    with pytest.raises(ValidationError, match=r"followups\.7 is no line; expected one of opening"):
        Script.model_validate({**SCRIPT.model_dump(), "speakers": {"followups.7": "passenger"}})
