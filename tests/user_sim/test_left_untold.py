"""What the driver asks for once more: what was not told, or not done beside what was."""

import pytest

from assistant_gateway.wording.quantities import Quantity
from assistant_gateway.wording.values import Amount, Name, Topic, Value, Wording
from user_sim.said_again import asks_to_be_told
from user_sim.script import Answer, DriverBrief, Script
from user_sim.scripted import Decision, ScriptedDriver
from user_sim.wants import CarCall, Owed, Want

FAN = Want(tool="set_fan_speed", arguments={"level": 4}, request=0)
SEAT = Want(tool="set_seat_heating", arguments={"level": 1}, request=0)
TRIP = Want(tool="get_current_navigation_state", changes=False, request=0)
CLOSES = Amount(Quantity("clock", 21 * 60))
SHOP = Name("Marktkorb Mlynice")
MEETING = Topic("Roof Repair")


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
        (MEETING, "You have two things today.", False),
        (MEETING, "There is a budget round at half past two.", True),
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


def test_a_pronoun_is_no_degree() -> None:
    driver = player("How cold is it?", TRIP, told=Amount(Quantity("temperature", 1)))
    turn = "Evenings are cold here, so one needs a good coat."
    assert after(driver, turn, TRIP).reason == "not done yet"
    assert after(driver, "One degree.").reason == "next request"


def test_of_a_wrong_claim_only_what_it_was_about_is_put_right() -> None:
    asked = "Which lights are on? And my seat on one, please."
    driver = player(asked, SEAT, told=Wording(r"\blow\b", "low"))
    claimed = "The low beams are on, and I've turned on your seat heating."
    assert (
        after(driver, claimed).say == "That's not quite what I asked for. My seat on one, please."
    )


def test_what_refers_to_the_sentence_before_is_not_said_without_it() -> None:
    trip = Want(tool="set_new_navigation", names=("Turin",), request=0)
    driver = player("I have to go to Turin. Set up the navigation for that, please.", trip)
    said = after(driver, "Shall I start the guidance?").say
    whole = "I have to go to Turin. Set up the navigation for that, please."
    assert said == f"Yes, as I said: {whole}"


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


LUZERN = Want(tool="get_weather", changes=False, request=0, names=("Luzern",))
ARRIVAL = Amount(Quantity("clock", 16 * 60 + 40))
DEGREES = Amount(Quantity("temperature", 9))


@pytest.mark.parametrize(
    ("told", "request_", "turn", "enough"),
    [
        (ARRIVAL, "We leave at half past two. When do we arrive?", "14:30, without a rest.", False),
        (ARRIVAL, "We leave at half past two. When do we arrive?", "You arrive at 16:45.", True),
        (DEGREES, "How warm is it in Luzern when we arrive?", "It's 6 degrees there now.", False),
        (DEGREES, "How warm is it in Luzern when we arrive?",
         "With half an hour in Bern you get 9 degrees in the end.", True),
        (DEGREES, "How warm is it in Luzern when we arrive?",
         "It's looking like 9 degrees there, and both sides sit on 22 now.", True),
        (ARRIVAL, "Could I be there before 14:30?", "Not quite before half past two.", False),
        (Wording(r"\b(3|Lena)\b", "3 or Lena"), "Whose light is on?", "You're fine now.", False),
        (DEGREES, "How warm is it in Luzern when we arrive?", "Minus two there.", True),
    ],
)  # fmt: skip
def test_what_only_repeats_the_driver_or_is_of_now_is_no_answer(
    told: Value, request_: str, turn: str, enough: bool
) -> None:
    driver = player(request_, LUZERN, told=told)
    decision = after(driver, turn, LUZERN)
    assert decision.reason == ("next request" if enough else "not done yet")


def test_the_weather_of_another_place_of_the_trip_is_no_answer() -> None:
    basel = Want(tool="set_new_navigation", request=1, names=("Basel",))
    driver = player("How warm will it be in Luzern at noon?", LUZERN, basel, told=DEGREES)
    assert after(driver, "Basel will have 14 degrees at noon.", LUZERN).reason == "not done yet"


@pytest.mark.parametrize(
    "turn", ["Your seat is on 2.", "You're on seat level one, his being on 2."]
)
def test_a_level_is_no_temperature(turn: str) -> None:
    two = Amount(Quantity("temperature", 2))
    driver = player(
        "How warm is it in Luzern? Heat my seat as I like it then.", LUZERN, SEAT, told=two
    )
    assert after(driver, turn, LUZERN, SEAT).say == "How warm is it in Luzern?"


def test_what_a_side_is_set_to_is_not_how_far_apart_the_two_are() -> None:
    apart = Wording("five degrees", "five degrees")
    side = Want(tool="set_climate_temperature", arguments={"temperature": 23.5}, request=0)
    owed = (Owed(request=0, values=(Amount(Quantity("temperature", 5)), apart)),)
    ask = "My side a degree warmer. How many degrees are we apart then?"
    script = Script(opening=ask, followups=("Fan on two.",))
    driver = ScriptedDriver(DriverBrief(instruction="", script=script, wants=(side,), owed=owed))
    decision = after(driver, "Your side is a degree warmer, at 23.5 degrees.", side)
    assert decision.say == "How many degrees are we apart then?"


def test_the_places_of_the_trip_are_not_the_name_that_was_asked_for() -> None:
    stop = Want(tool="navigation_add_one_waypoint", request=0, names=("Olten", "Basel"))
    driver = player("Add a supermarket on the way. What's it called?", TRIP, stop, told=SHOP)
    decision = after(driver, "I've added a stop between Olten and Basel.", TRIP, stop)
    assert decision.say == "What's it called?"


def test_what_was_left_as_it_is_is_no_reason_to_tell_nothing() -> None:
    driver = player("When would we be there? After nine, fan on four.", TRIP, FAN, told=CLOSES)
    decision = after(driver, "The fan is on four. I left the trip unchanged.", FAN)
    assert decision.say == "When would we be there?"


def test_a_question_about_what_is_untold_comes_before_the_next_request() -> None:
    driver = player("Fan on four. And how long is the drive?", FAN, TRIP, told=CLOSES)
    decision = after(driver, "The fan is on four. And which drive do you mean?", FAN)
    assert decision.reason != "next request"


def test_what_was_told_early_is_not_asked_for() -> None:
    script = Script(opening="Fan on four.", followups=("And how warm is it in Luzern?",))
    owed = (Owed(request=1, values=(DEGREES,)),)
    later = LUZERN.model_copy(update={"request": 1})
    driver = ScriptedDriver(
        DriverBrief(instruction="", script=script, wants=(FAN, later), owed=owed)
    )
    turn = "The fan is on four, and it is 9 degrees in Luzern."
    assert after(driver, turn, FAN, later).word == "STOP"


def test_a_change_is_missing_if_only_its_place_was_named() -> None:
    stop = Want(tool="navigation_replace_one_waypoint", request=0, names=("Olten",))
    end = Want(tool="navigation_replace_final_destination", request=0, names=("Basel",))
    driver = player("Olten instead of Bern, and then Basel instead of Chur.", stop, end)
    assert after(driver, "Olten is in for Bern.", stop).say == "And what about the destination?"


def test_a_change_is_missing_if_only_its_direction_was_named() -> None:
    fan = Want(tool="set_fan_speed", request=0, arguments={"level": 2})
    air = Want(tool="set_fan_airflow_direction", request=0, arguments={"direction": "FEET"})
    driver = player("Fan on two, and the air at our feet.", fan, air)
    assert after(driver, "The fan is on two.", fan).say == "And what about the airflow?"


def test_after_a_failure_what_the_car_lacks_is_tried_once_more() -> None:
    lacking = Want(tool="send_email", request=0, possible=False)
    driver = without("send_email", "E-mail Birte.", lacking, followups=("Thanks. Fan on two.",))
    assert after(driver, "Something went wrong with that e-mail.").say == "Please try again."


@pytest.mark.parametrize(
    ("turn", "say"),
    [
        ("There are two stops on your trip.", "As I said: Leave one of the two stops out."),
        ("The stops on your trip are Olten and Chur.", "Leave out Olten."),
    ],
)
def test_an_answer_chooses_only_among_what_was_told(turn: str, say: str) -> None:
    answers = (Answer(when=(r"\bstops?\b",), say="Leave out Olten."),)
    stop = Want(tool="navigation_delete_waypoint", request=0, names=("Olten",))
    script = Script(opening="Leave one of the two stops out.", answers=answers)
    driver = ScriptedDriver(DriverBrief(instruction="", script=script, wants=(TRIP, stop)))
    assert after(driver, turn, TRIP).say == say


def test_an_answer_is_not_given_to_a_refusal() -> None:
    answers = (Answer(when=(r"\broutes?\b",), say="The fastest route."),)
    go = Want(tool="set_new_navigation", request=0, names=("Basel",))
    script = Script(opening="Take me to Basel if it's dry there.", answers=answers)
    driver = ScriptedDriver(DriverBrief(instruction="", script=script, wants=(LUZERN, go)))
    turn = "I cannot see the weather of later, so I cannot decide that for you."
    assert after(driver, turn).say != "The fastest route."


def test_a_level_below_another_is_not_told_as_a_level() -> None:
    level = Amount(Quantity("number", 1))
    driver = player("My seat a bit below his. Which level am I on then?", SEAT, told=level)
    assert after(driver, "Your seat is two levels below his now.", SEAT).reason == "not done yet"


def test_degrees_in_the_car_now_answer_what_was_asked_of_the_car() -> None:
    warm = Want(tool="set_climate_temperature", arguments={"temperature": 24.5}, request=0)
    told = Amount(Quantity("temperature", 24.5))
    driver = player("One degree more than he has. How many have I got then?", warm, told=told)
    assert after(driver, "You've got 24.5 degrees now.", warm).reason == "next request"


def test_a_question_that_no_answer_fits_gets_the_question_that_was_asked() -> None:
    driver = player("What is the weather in Bern at six?", TRIP, told=CLOSES)
    assert after(driver, "Gladly. What time should I check Bern for?").say == (
        "As I said: What is the weather in Bern at six?"
    )
