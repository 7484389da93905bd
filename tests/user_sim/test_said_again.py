"""What is left of a request when it is said again."""

import pytest

from user_sim.said_again import asks_to_be_told, part_about, without_questions

FAN, SEAT = frozenset({"fan"}), frozenset({"seat_heating"})


@pytest.mark.parametrize(
    ("request_", "wanted", "left"),
    [
        (
            "We leave at nine, no rests. When are we there? Over 13 degrees fan off, otherwise on.",
            FAN,
            "Over 13 degrees fan off, otherwise on.",
        ),
        (
            "Fan to level three, please. And how warm is her side?",
            FAN,
            "Fan to level three, please.",
        ),
        ("How far is it? And my seat heating on one.", SEAT, "My seat heating on one."),
        # a question whose case follows, one that is a condition, and nothing but a question
        ("Is the fan on? Then turn it off.", FAN, "Is the fan on? Then turn it off."),
        ("Could you put the fan on two?", FAN, "Could you put the fan on two?"),
        ("How strong is the fan?", FAN, "How strong is the fan?"),
        # it would leave the seat unnamed
        ("My seat heating like hers is, okay? And how far is it?", SEAT, None),
    ],
)
def test_only_what_is_answered_is_left_out(
    request_: str, wanted: frozenset[str], left: str | None
) -> None:
    assert without_questions(request_, wanted) == (left or request_)


def test_a_question_is_asked_without_the_deed_before_it() -> None:
    asked = asks_to_be_told("Fan on one, and how long do we drive?")
    assert asked == "And how long do we drive?"


@pytest.mark.parametrize(
    "request_",
    [
        "At what time are we there, and how warm is it?",
        "If we leave now, are we early, and how warm is it?",
    ],
)
def test_of_two_questions_and_of_a_condition_none_is_left_out(request_: str) -> None:
    assert asks_to_be_told(request_) == request_


def test_a_sentence_that_names_nothing_stands_for_what_no_other_names() -> None:
    request_ = "Mine open just as far as hers. And the fan one level lower."
    both = frozenset({"window", "fan"})
    assert part_about(request_, both) == request_
    assert part_about(request_, FAN) == "The fan one level lower."
