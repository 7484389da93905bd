"""What the scripted driver says over an answer, and what it says afterwards instead."""

from user_sim.script import DriverBrief, Interjection, Script
from user_sim.scripted import ARE_YOU_THERE, ScriptedDriver

MHM = Interjection(turn=1, after_words=2, say="Mhm.")
NO = Interjection(turn=1, after_words=4, say="No, the other window, please.")
PERHAPS = Interjection(turn=1, after_words=9, say="Or both.", must=False)


def driver(*interjections: Interjection) -> ScriptedDriver:
    script = Script(opening="Close the window.", interjections=interjections)
    player = ScriptedDriver(DriverBrief(instruction="", script=script))
    assert player.interjections(1) == interjections
    return player


def test_a_mhm_that_was_heard_is_not_said_again() -> None:
    assert driver(MHM).after_turn("It is closed now.").word == "STOP"


def test_what_the_answer_was_too_short_for_is_said_after_it_if_it_must_be() -> None:
    player = driver(MHM, NO, PERHAPS)
    assert [player.after_turn("Done.").say for _ in range(3)] == [MHM.say, NO.say, None]


def test_what_was_said_in_time_is_not_repeated_and_the_rest_is_not_forgotten() -> None:
    later = Interjection(turn=1, after_words=30, say="And the roof.")
    player = driver(MHM, NO, later)
    player.interrupted("It is closed now, the", NO.say)
    player.interjections(2)
    assert player.after_turn("The other one is closed as well.").say == later.say


def test_an_answer_that_never_came_was_too_short() -> None:
    player = driver(NO)
    assert player.after_silence().say == ARE_YOU_THERE
    player.interjections(2)
    assert player.after_turn("Yes, it is closed.").say == NO.say
