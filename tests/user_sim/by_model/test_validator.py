from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.protocol import GO_ON
from evaluator.scoring.conversation_end import words_offered
from evaluator.task.files import own_tasks
from user_sim.by_model.briefing import briefing
from user_sim.by_model.briefing import words_offered as words_of_brief
from user_sim.by_model.validator import DriverTurn, HeardTurns, NoTurn, complaints, read_turn
from user_sim.script import DriverBrief, Persona

BRIEF = DriverBrief(
    instruction="You ask for seat heating. If you are asked: level three, for you and Mira.",
    persona=Persona(age=36, style="sleepy", words="everyday language"),
)
LIMIT = DriverBrief(instruction="You ask for the trunk.", removed=("open_close_trunk_door",))
SETTLE = DriverBrief(instruction="You want air.", settle_alone="the fan speed")


def wrong(say: str, word: str = "CONTINUE", *heard: str, **more: Any) -> list[str]:
    brief = more.get("brief", BRIEF)
    turn = DriverTurn(reason="because", word=word, say=say)
    turns = HeardTurns(heard[-1] if heard else None, heard)
    return complaints(turn, brief, turns, opening=more.get("opening", False))


def test_a_plain_turn_passes() -> None:
    assert wrong("It's cold. Seat heating, please.", opening=True) == []
    assert wrong("Level 3, for Mira too.", "CONTINUE", "Which level?") == []


@pytest.mark.parametrize(
    ("say", "turns"),
    [
        ("Level four, please.", "4 was never mentioned"),
        ("Level three for Robin.", "'robin' was never mentioned"),
        ("HALLUCINATION_ERROR, I would say.", "HALLUCINATION_ERROR is not for the assistant"),
        ("Then disambiguation_error.", "DISAMBIGUATION_ERROR is not for the assistant"),
        ("Fine. STOP", "STOP is not for the assistant"),
        ("Call set_seat_heating.", "nobody says 'set_seat_heating' aloud"),
        ("**Now**, please.", "markup cannot be spoken"),
        ("please " * 90, "more than 80 words"),
        ("  ", "needs something to say"),
    ],
)
def test_what_no_driver_would_say_is_reported(say: str, turns: str) -> None:
    found = wrong(say, "CONTINUE", "How warm?")
    assert len(found) == 1
    assert turns in found[0]


def test_everyday_words_are_no_control_words() -> None:
    assert wrong("Stop it, please, or continue to Mira's place.", "CONTINUE", "Go on?") == []


def test_what_the_assistant_said_may_be_repeated() -> None:
    heard = ("Shall I take Neuhauser Street at 17:20?",)
    assert wrong("Neuhauser Street at 20 past five is fine.", "CONTINUE", *heard) == []


@pytest.mark.parametrize(
    ("heard", "turns"),
    [
        ("How warm would you like it?", "asked 'How warm would you like it?'"),
        ("Shall I switch it on?", "answer it before you end"),
        ("One moment.", "still at it"),
        ("I'll check the temperature.", "still at it"),
    ],
)
def test_nobody_leaves_while_something_is_open(heard: str, turns: str) -> None:
    [found] = wrong("", "STOP", heard)
    assert turns in found


def test_nobody_leaves_before_there_was_an_answer() -> None:
    assert wrong("", "STOP") == ["the assistant has not replied yet; nothing was done"]


@pytest.mark.parametrize(
    "heard",
    [
        "The seat heating is on.",
        "I have set the seat heating to level 3. Should I do that for Mira as well?",
        "I have set it. Is there anything else I can do for you?",
    ],
)
def test_after_the_deed_the_driver_may_leave(heard: str) -> None:
    assert wrong("", "STOP", heard) == []


def test_giving_up_is_possible_at_any_time() -> None:
    assert wrong("", "OUT_OF_SCOPE", "What is your shoe size?") == []
    assert wrong("", "OUT_OF_SCOPE") == []


def test_a_wrong_question_needs_a_question() -> None:
    assert wrong("", "DISAMBIGUATION_ERROR", "Which speed?", brief=SETTLE) == []
    [found] = wrong("", "DISAMBIGUATION_ERROR", "The fan is at 2.", brief=SETTLE)
    assert "did not ask" in found


def test_only_words_of_this_task_are_taken() -> None:
    assert "not offered" in wrong("", "STOP", "No.", brief=LIMIT)[0]
    assert "not offered" in wrong("", "DISAMBIGUATION_ERROR", "Which?")[0]
    assert wrong("", "ASSISTANT_ACKNOWLEDGED_REMOVED_PART", "I can't.", brief=LIMIT) == []
    assert "not begun" in wrong("", "OUT_OF_SCOPE", opening=True)[0]


def test_a_driver_is_offered_what_the_score_knows_for_each_task() -> None:
    for task in own_tasks(None):
        assert set(words_of_brief(task.driver)) == {GO_ON, *words_offered(task.task_type)}


def test_what_written_scripts_say_passes() -> None:
    for task in own_tasks(None):
        script = task.driver.script
        assert script is not None
        for say in (script.opening, script.confirm, *(answer.say for answer in script.answers)):
            assert wrong(say, brief=task.driver, opening=True) == [], task.task_id


def test_the_briefing_holds_all_a_driver_knows_and_nothing_else() -> None:
    turns = briefing(BRIEF)
    assert "seat heating" in turns
    assert "36 years old. You are sleepy. You use everyday language." in turns
    assert "HALLUCINATION" not in turns
    assert "the ability `open close trunk door`" in briefing(LIMIT)
    assert "settle without you: the fan speed." in briefing(SETTLE)
    part = DriverBrief(instruction="", removed=("result.get_weather.current_slot.condition",))
    assert "what `get weather` finds out about current slot, condition" in briefing(part)
    part = DriverBrief(instruction="", removed=("set_fan_speed.level",))
    assert "the setting level of `set fan speed`" in briefing(part)


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("", "Invalid JSON"),
        ('{"reason": "I was about to', "Invalid JSON"),
        ("[]", "expected JSON with reason, word and say"),
        ('{"reason": "x", "say": "y"}', "word"),
        ('{"reason": "", "word": "STOP", "say": ""}', "reason"),
    ],
)
def test_an_answer_that_is_no_turn_says_why(text: str, turns: str) -> None:
    with pytest.raises(NoTurn, match=turns):
        read_turn(text)


@given(st.text(), st.text(), st.text())
def test_any_answer_of_any_model_is_judged_and_never_fails(word: str, say: str, heard: str) -> None:
    turn = DriverTurn(reason="x", word=word, say=say)
    for brief in (BRIEF, LIMIT, SETTLE):
        assert isinstance(complaints(turn, brief, HeardTurns(heard, (heard,)), opening=False), list)
