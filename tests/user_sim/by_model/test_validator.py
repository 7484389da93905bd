from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.protocol import GO_ON
from evaluator.scoring.conversation_end import words_offered
from evaluator.task.files import own_tasks
from user_sim.by_model.briefing import briefing
from user_sim.by_model.briefing import words_offered as words_of_brief
from user_sim.by_model.validator import DriverTurn, NoTurn, complaints, read_turn
from user_sim.by_model.word_doubts import HeardTurns
from user_sim.script import DriverBrief, Persona

BRIEF = DriverBrief(
    instruction="You ask for seat heating. If you are asked: level three, for you and Mira.",
    persona=Persona(age=36, style="sleepy", words="everyday language"),
)
TURNS = yaml.safe_load(Path(__file__).with_name("turns.yaml").read_text())
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


def test_nobody_is_content_before_there_was_an_answer() -> None:
    found = ["the assistant has not replied yet; nothing was done"]
    assert wrong("", "STOP") == wrong("", "STOP", "") == found
    assert wrong("", "STOP", "The seat heating is on.", "") == []


def test_giving_up_is_possible_at_any_time() -> None:
    assert wrong("", "OUT_OF_SCOPE", "What is your shoe size?") == []
    assert wrong("", "OUT_OF_SCOPE") == []


@pytest.mark.parametrize("turn", TURNS["fine"], ids=lambda turn: turn["say"])
def test_what_a_driver_may_say_passes(turn: dict[str, Any]) -> None:
    brief = DriverBrief(instruction=turn["told"])
    assert wrong(turn["say"], "CONTINUE", *turn.get("heard", ()), brief=brief) == []


@pytest.mark.parametrize("turn", TURNS["invented"], ids=lambda turn: turn["say"])
def test_what_nobody_has_told_him_is_found(turn: dict[str, Any]) -> None:
    brief = DriverBrief(instruction=turn["told"])
    [found] = wrong(turn["say"], "CONTINUE", *turn.get("heard", ()), brief=brief)[:1]
    assert "was never mentioned" in found


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
    assert "Age: 36. Style: sleepy. Words: everyday language." in turns
    assert "HALLUCINATION" not in turns
    assert "settle without you: the fan speed." in " ".join(briefing(SETTLE).split())


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("open_close_trunk_door", "it cannot open or close the trunk"),
        ("result.get_weather.current_slot.condition", "it cannot tell"),
        ("set_fan_speed.level", "it cannot set the fan"),
        ("result.get_contact_information.con_5531.phone_number", "it cannot tell"),
    ],
)
def test_a_driver_is_told_in_words_what_is_missing(part: str, words: str) -> None:
    told = " ".join(briefing(DriverBrief(instruction="", removed=(part,))).split())
    assert words in told
    assert "_" not in told.split("honest about it")[1].split("Do not tell")[0]
    assert "5531" not in told


def test_a_driver_is_told_to_decline_and_to_insist() -> None:
    assert "say no" in briefing(BRIEF)
    assert "once more" in briefing(LIMIT)
    assert "you give up" in briefing(BRIEF)


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
