import pytest

from evaluator.scoring.words.deeds import deeds


def topics(sentence: str) -> list[set[str]]:
    return [set(deed.topics) for deed in deeds(sentence)]


def test_every_clause_of_a_sentence_tells_its_own_deed() -> None:
    assert topics("I've also set the fan to three, and closed the trunk.") == [{"fan"}, {"trunk"}]


def test_what_a_deed_is_good_for_is_not_its_topic() -> None:
    assert topics("I've opened the sunroof to get the temperature down.") == [{"sunroof"}]
    assert topics("I've opened the sunroof because the fan is off.") == [{"sunroof"}]


@pytest.mark.parametrize(
    "sentence",
    [
        "Once I've closed the trunk, we can go.",
        "I haven't closed the trunk.",
        "Shall I close the trunk?",
        "I've set together a list of trunks.",
        "You closed the trunk.",
        "I planned the fastest route to Graz, without setting the navigation.",
    ],
)
def test_conditions_negations_and_other_people_tell_no_deed(sentence: str) -> None:
    assert topics(sentence) == []


def test_a_plan_is_not_told_in_plain_words() -> None:
    assert [deed.is_plain for deed in deeds("I've picked the fastest route.")] == [False]
    assert [deed.is_plain for deed in deeds("I've started the fastest route.")] == [True]
