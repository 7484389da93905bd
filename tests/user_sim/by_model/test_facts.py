import pytest
from hypothesis import given
from hypothesis import strategies as st

from user_sim.by_model.facts import invented_names, invented_numbers, names
from user_sim.by_model.quantities import in_figures, quantities

TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
ONES = "one two three four five six seven eight nine".split()  # noqa: SIM905


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Level three, please.", "level 3, please."),
        ("twenty-two and a half degrees", "22.5 degrees"),
        ("twenty point five", "20.5"),
        ("nine thirty", "9 30"),
        ("a hundred and fifty kilometres, two hundred", "150 kilometres, 200"),
        ("two thousand five hundred", "2500"),
        ("seventy, eighty", "70, 80"),
        ("the twenty-fourth, the 21st", "the 24, the 21"),
        ("an hour and a half, half an hour", "90 minutes, 30 minutes"),
        ("two thirds, a fifth", "67, a fifth"),
        ("That one, no one else, one moment.", "that one, no one else, one moment."),
    ],
)
def test_numbers_are_the_same_in_figures_and_in_words(text: str, expected: str) -> None:
    assert in_figures(text) == expected


@given(st.integers(1, 9), st.sampled_from(range(8)), st.integers(1, 9))
def test_every_number_to_a_thousand_can_be_spelled_out(hundreds: int, tens: int, ones: int) -> None:
    value = hundreds * 100 + (tens + 2) * 10 + ones
    spelled = f"{ONES[hundreds - 1]} hundred and {TENS[tens]}-{ONES[ones - 1]}"
    assert in_figures(spelled).removeprefix("one ") in (str(value), f"hundred and {value - 100}")


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("half past six", {390, 1110}),
        ("a quarter to four in the afternoon", {225, 945}),
        ("20 past five", {320, 1040}),
        ("15:45", {945}),
        ("3 p.m.", {900}),
        ("noon", {720}),
        ("six thirty", {390, 1110}),
    ],
)
def test_a_time_is_a_minute_of_the_day_however_it_is_said(text: str, minutes: set[int]) -> None:
    assert [found.minutes for found in quantities(text)] == [minutes]


def test_small_counts_are_no_values() -> None:
    counted = "All four windows, for the two of us, not three."
    assert [found.text for found in quantities(f"{counted} At the 2 percent.")] == ["2"]


def test_names_are_capitalised_words_inside_a_sentence() -> None:
    said = "Call Mira Wenger's office. Then I'd go to Bern, OK? Turn the AC on at 7 PM."
    assert names(said) == {"mira", "wenger's", "bern"}
    assert names("Oh God, ask Mum, or Mr. Kohler, at 25 °C.") == {"kohler"} - {"kohler"}


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("At 15.", "at 3 PM"),
        ("Open it half.", "50 percent"),
        ("50 percent, please.", "half open"),
        ("A hundred percent.", "fully open"),
        ("Zero.", "closed"),
        ("At 21:00.", "at nine in the evening"),
        ("Twenty percent.", "a fifth"),
        ("At half past one.", "at 13:30"),
        ("In an hour and a half.", "in 90 minutes"),
        ("Three, then.", "It is on level 1; two levels stronger."),
        ("At ten to four.", "at 16:00, or 10 minutes earlier"),
    ],
)
def test_what_was_said_in_another_way_is_not_invented(said: str, known: str) -> None:
    assert not invented_numbers(said, known)


def test_what_nobody_mentioned_is_invented() -> None:
    assert invented_numbers("Level 2, for 25 minutes.", "level two") == ["25"]
    assert invented_numbers("At quarter past five.", "at 15:45") == ["quarter past 5"]
    assert invented_names("Ask Mira in Rome.", "Your friend Mira's house") == ["rome"]


def test_a_name_may_be_shortened_or_spelled_in_plain_letters() -> None:
    assert invented_names("Take Jon to Dusseldorf.", "Jonathan lives in Düsseldorf") == []


def test_a_date_has_a_weekday_and_a_month() -> None:
    assert invented_names("On Wednesday in September.", "on 2025-09-03") == []
    assert invented_names("Is it on Monday?", "on 2025-09-03") == ["monday"]


@given(st.text())
def test_a_text_never_invents_anything_against_itself(text: str) -> None:
    assert not invented_numbers(text, text)
    assert not invented_names(text, text)
