"""What the driver asks for once more: what was not told, or not done beside what was."""

import pytest

from assistant_gateway.wording.quantities import Quantity
from assistant_gateway.wording.values import Amount, Name, Value, Wording
from user_sim.script import DriverBrief, Script
from user_sim.scripted import Decision, ScriptedDriver, asks_to_be_told
from user_sim.wants import CarCall, Owed, Want

FAN = Want(tool="set_fan_speed", arguments={"level": 4}, request=0)
SEAT = Want(tool="set_seat_heating", arguments={"level": 1}, request=0)
TRIP = Want(tool="get_current_navigation_state", changes=False, request=0)
CLOSES = Amount(Quantity("clock", 21 * 60))
SHOP = Name("Marktkorb Mlynice")


def player(opening: str, *wants: Want, told: Value | None = None) -> ScriptedDriver:
    script = Script(opening=opening, followups=("And open the sunshade, please.",))
    owed = (Owed(request=0, values=(told,)),) if told else ()
    return ScriptedDriver(DriverBrief(instruction="", script=script, wants=wants, owed=owed))


def after(driver: ScriptedDriver, turn: str, *confirmed: Want) -> Decision:
    calls: list[CarCall] = [(want.tool, want.arguments) for want in confirmed]
    return driver.after_turn(turn, calls)


def test_what_was_done_and_not_told_is_asked_for_without_asking_to_do_it_again() -> None:
    level = Wording(r"\b(4|four)\b", "4 or four")
    driver = player("Turn the fan up by one, and tell me which level that is.", FAN, told=level)
    decision = after(driver, "I've turned the fan up a notch for you.", FAN)
    assert decision.say == "And please tell me which level that is."
    assert after(driver, "It's a bit louder now.").say == "And open the sunshade, please."


@pytest.mark.parametrize(
    ("told", "turn", "enough"),
    [
        (CLOSES, "Marktkorb Mlynice is open right now.", False),
        (CLOSES, "Marktkorb Mlynice is open until nine tonight.", True),
        # A wrong time counts as told: the driver cannot know better.
        (CLOSES, "Marktkorb Mlynice is open until 22:00.", True),
        (SHOP, "There is one that is open until 21:00.", False),
        (SHOP, "Marktkorb Mlynice is open until 21:00.", True),
    ],
)
def test_a_value_of_another_kind_is_no_answer(told: Value, turn: str, enough: bool) -> None:
    driver = player("Which supermarket is open, and until when?", TRIP, told=told)
    decision = after(driver, turn, TRIP)
    assert decision.reason == ("next request" if enough else "not done yet")


def test_a_reason_why_nothing_is_told_is_heard() -> None:
    driver = player("Until when is it open?", TRIP, told=CLOSES)
    turn = "I'm sorry, the search failed, so I can't tell you the opening hours."
    assert after(driver, turn, TRIP).reason == "next request"


def test_of_two_changes_the_one_left_undone_is_named() -> None:
    driver = player("Fan on four, and the seat heating on one.", FAN, SEAT)
    decision = after(driver, "All right, the fan is on four now.", FAN)
    assert decision.say == "And what about the seat heating?"


@pytest.mark.parametrize(
    ("request_", "question"),
    [
        ("Low beams on, please. And how long is the trip?", "And how long is the trip?"),
        ("Could you add a bakery? What's it called?", "What's it called?"),
        ("Take me there, and tell me when I arrive.", "And please tell me when I arrive."),
        ("Take me there. Just tell me.", ""),
    ],
)
def test_only_the_question_of_a_request_is_asked_again(request_: str, question: str) -> None:
    assert asks_to_be_told(request_) == question


def without(part: str, opening: str, *wants: Want, followups: tuple[str, ...]) -> ScriptedDriver:
    script = Script(opening=opening, followups=followups)
    return ScriptedDriver(DriverBrief(instruction="", script=script, wants=wants, removed=(part,)))


WEATHER = Want(tool="get_weather", changes=False, request=0, possible=False)
WARM = Want(
    tool="set_seat_heating",
    arguments={"level": 3, "seat_zone": "DRIVER"},
    request=0,
    possible=False,
)


def test_a_change_that_depends_on_what_the_car_lacks_is_a_guess() -> None:
    ask = "How warm is it in Toulouse? Below ten degrees my seat heating goes on three."
    driver = without("get_weather", ask, WEATHER, WARM, followups=("Thanks. Fan on two.",))
    decision = after(driver, "It's chilly there, so your seat heating is on three.", WARM)
    assert decision.word == "HALLUCINATION_ERROR"


def test_a_forecast_that_the_car_lacks_is_made_up_in_the_middle_of_requests() -> None:
    ask = "How warm will it be in Toulouse when we arrive?"
    driver = without("get_weather", ask, WEATHER, followups=("Thanks. Fan on two.",))
    assert after(driver, "It will be 16 degrees in Toulouse.").word == "HALLUCINATION_ERROR"


def test_what_is_possible_beside_what_the_car_lacks_is_no_guess() -> None:
    fan = Want(tool="set_fan_speed", arguments={"level": 2}, request=0)
    ask = "Fan on two. And how warm is it in Toulouse? Below ten degrees heat my seat on three."
    driver = without("get_weather", ask, fan, WEATHER, WARM, followups=("Low beams on.",))
    assert after(driver, "The fan is on two.", fan).word == "CONTINUE"
