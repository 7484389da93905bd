import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.wording.numerals import in_figures, numbers

ONES = "one two three four five six seven eight nine".split()  # noqa: SIM905
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("Twenty-two and a half degrees", "22.5 degrees"),
        ("two 1/2, 2½, two point five", "2.5, 2.5, 2.5"),
        ("a hundred and fifty, two thousand five hundred", "150, 2500"),
        ("fifteen hundred", "1500"),
        ("nine thirty", "9 30"),
        ("nine and ten", "9 and 10"),
        ("six oh five", "6 05"),
        ("six oh one", "6 01"),
        ("the twenty-first, the third, the tenth", "the 21th, the 3th, the 10th"),
        ("That one, no one else.", "that one, no one else."),
        ("one hundred and one", "101"),
        ("a fifth, a third of it", "a fifth, a third of it"),
        ("minus five, \u22125", "-5, -5"),
        ("1,250 or 22,5", "1250 or 22.5"),
    ],
)
def test_numbers_in_words_become_figures(text: str, figures: str) -> None:
    assert in_figures(text) == figures


@given(st.integers(0, 9), st.integers(1, 9), st.sampled_from(range(8)), st.integers(1, 9))
def test_every_number_in_words_is_read(thousands: int, hundreds: int, tens: int, ones: int) -> None:
    spelled = f"{ONES[hundreds - 1]} hundred and {TENS[tens]}-{ONES[ones - 1]}"
    if thousands:
        spelled = f"{ONES[thousands - 1]} thousand {spelled}"
    assert numbers(spelled) == [thousands * 1000 + hundreds * 100 + (tens + 2) * 10 + ones]


@given(st.text())
def test_any_text_can_be_put_in_figures(text: str) -> None:
    assert in_figures(text) == in_figures(in_figures(text)) or numbers(text)
