import pytest
from hypothesis import given
from hypothesis import strategies as st

from user_sim.by_model.facts import invented_names, invented_numbers, names, numbers

TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
ONES = "one two three four five six seven eight nine".split()  # noqa: SIM905


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Level three, please.", {3}),
        ("twenty-two and a half degrees", {22}),
        ("22.5 or 22,5", {22.5}),
        ("at 9:30, nine thirty", {9, 30}),
        ("15:00, or three o'clock", {15, 3}),
        ("a hundred and fifty kilometres, two hundred, 255", {150, 200, 255}),
        ("seventy, eighty", {70, 80}),
        ("That one, no one else, one moment.", set()),
    ],
)
def test_numbers_are_the_same_in_figures_and_in_words(text: str, expected: set[float]) -> None:
    assert numbers(text) == expected


@given(st.integers(1, 9), st.sampled_from(range(8)), st.integers(1, 9))
def test_every_number_to_a_thousand_can_be_spelled_out(hundreds: int, tens: int, ones: int) -> None:
    value = hundreds * 100 + (tens + 2) * 10 + ones
    spelled = f"{ONES[hundreds - 1]} hundred and {TENS[tens]}-{ONES[ones - 1]}"
    assert numbers(spelled) == {value} == numbers(str(value))


def test_names_are_capitalised_words_inside_a_sentence() -> None:
    said = "Call Mira Wenger's office. Then I'd go to Bern, OK? Turn the AC on at 7 PM."
    assert names(said) == {"mira", "wenger's", "bern"}


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("At 15.", "at 3 PM"),
        ("Open it half.", "50 percent"),
        ("50 percent, please.", "half open"),
        ("A hundred percent.", "fully open"),
        ("Zero.", "closed"),
        ("At 21:00.", "at nine in the evening"),
    ],
)
def test_what_was_said_in_another_way_is_not_invented(said: str, known: str) -> None:
    assert not invented_numbers(said, known)


def test_what_nobody_mentioned_is_invented() -> None:
    assert invented_numbers("Level 2, for 25 minutes.", "level two") == ["25"]
    assert invented_names("Ask Mira in Berne.", "Your friend Mira's house") == ["berne"]


@given(st.text())
def test_a_text_never_invents_anything_against_itself(text: str) -> None:
    assert not invented_numbers(text, text)
    assert not invented_names(text, text)
