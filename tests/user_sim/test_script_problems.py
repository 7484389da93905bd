import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from user_sim.pattern_examples import examples
from user_sim.question_patterns import question_for
from user_sim.script import Answer, Interjection, Script
from user_sim.script_problems import script_problems

LEVEL = Answer(when=(r"\blevel\b",), say="Level 3, please.")


def problems(
    *answers: Answer, opening: str = "Warm my seat.", task_type: str = "base"
) -> list[str]:
    return script_problems(Script(opening=opening, answers=answers), task_type=task_type)


def test_a_sound_script_has_no_problems() -> None:
    assert problems(LEVEL) == []
    assert problems(LEVEL, task_type="disambiguation_user") == []


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(when=("which (seat",), say="Mine."), "is no regular expression"),
        (Answer(when=(), say="Mine."), "has no pattern"),
        (Answer(when=("seat",), say=" "), "says nothing"),
        (Answer(when=("seat",), say="Mine.", at_most=0), "is never given"),
        (Answer(when=("^is there anything else",), say="No more."), "is never reached"),
    ],
)
def test_a_faulty_answer_is_named(answer: Answer, expected: str) -> None:
    found = problems(answer)
    assert len(found) == 1
    assert expected in found[0]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (Script(opening=" "), "opening is empty"),
        (Script(opening="Hello.", confirm=""), "confirm is empty"),
        (Script(opening="Hello.", on_limit=" "), "on_limit is empty"),
        (Script(opening="Hello.", followups=("",)), "followup 1 is empty"),
        (
            Script(opening="Hello.", interjections=(Interjection(turn=1, after_words=2, say=" "),)),
            "interjection 1 says nothing",
        ),
    ],
)
def test_nobody_can_say_nothing(script: Script, expected: str) -> None:
    assert script_problems(script) == [expected]


def test_an_answer_behind_a_wider_one_is_named() -> None:
    wide = Answer(when=(r"\b(which|what|how)\b", "level"), say="You choose.")
    assert "is caught by answer 1" in problems(wide, LEVEL)[0]
    assert problems(LEVEL, wide) == []


def test_an_opening_that_gives_the_answer_away_is_named_in_user_disambiguation() -> None:
    early = {"opening": "Warm my seat to level 3."}
    assert problems(LEVEL, **early) == []
    assert "already tells 3" in problems(LEVEL, **early, task_type="disambiguation_user")[0]
    whole = problems(LEVEL, opening="Level 3, please.", task_type="disambiguation_user")
    assert "already says answer 1" in whole[0]


def test_a_word_the_question_brings_along_is_no_secret() -> None:
    mira = Answer(when=("which (one|mira)",), say="Mira Okonkwo.")
    assert problems(mira, opening="Call Mira.", task_type="disambiguation_user") == []


def test_user_disambiguation_needs_an_answer() -> None:
    assert "no answer to give" in problems(task_type="disambiguation_user")[0]


def test_empty_lines_and_negative_patience_are_named() -> None:
    script = Script(opening="", confirm=" ", followups=("",), patience=-1)
    assert len(script_problems(script)) == 4


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\bwindows?\b", "window"),
        (r"which (?:seat|side)", "which seat"),
        (r"how (far|wide|much)", "how far"),
        (r"(?=.)\bfan\b.*\blevel\b", "fan level"),
        (r"^to which level\?$", "to which level?"),
        (r"[cC]ha?rge(?!r)", "chrge"),
        (r"a{2,3}b{0,1}c+?", "ac"),
        (r"\d+ percent", "5 percent"),
    ],
)
def test_a_pattern_has_an_example(pattern: str, text: str) -> None:
    found = list(examples(pattern))
    assert all(re.search(pattern, example, re.IGNORECASE) for example in found)
    assert text in found or pattern.startswith("a{2")


@pytest.mark.parametrize("pattern", ["(", "[", "\\", "a(?", "*"])
def test_a_broken_pattern_has_no_example(pattern: str) -> None:
    assert list(examples(pattern)) == []


@given(st.from_regex(r"[a-z]{3,8}(\|[a-z]{3,8}){0,3}( [a-z]{3,8}\?)?", fullmatch=True))
def test_plain_patterns_always_lead_to_a_question(pattern: str) -> None:
    answer = Answer(when=(rf"\b(?:{pattern})",), say="As you like.")
    assert re.search(answer.when[0], question_for(answer), re.IGNORECASE)


@pytest.mark.filterwarnings("ignore:Possible nested set:FutureWarning")  # "[[" reads as "["
@pytest.mark.filterwarnings("ignore:Possible set:FutureWarning")
@given(st.text(alphabet="ab(|)?*+[]^$.\\{}12 :=!<", max_size=12))
def test_examples_never_fail_and_always_match(pattern: str) -> None:
    for example in examples(pattern):
        assert re.search(pattern, example, re.IGNORECASE)
