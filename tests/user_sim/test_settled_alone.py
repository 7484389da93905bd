"""Which questions leave to the driver what the assistant has to settle."""

import pytest

from user_sim.script import Answer, DriverBrief, Script
from user_sim.scripted import Decision, ScriptedDriver
from user_sim.wants import CarCall, Want

ROUTES = Want(tool="get_routes_from_start_to_destination", changes=False, request=0)
TRIP = Want(tool="set_new_navigation", names=("Basel", "fastest", "toll-free"), request=0)
ON_TO = Want(tool="navigation_add_one_waypoint", names=("Basel", "fastest"), request=0)
BEAMS = Want(tool="set_head_lights_low_beams", arguments={"on": True}, request=0)
RANGE = Want(tool="get_charging_specs_and_status", changes=False, request=1)
LIMIT = Want(tool="set_charge_limit", arguments={"limit_percent": 60}, request=0)
MAIL = Want(tool="send_email", names=("Ansgar Lindqvist",), request=0)


def player(
    element: str,
    *requests: str,
    wants: tuple[Want, ...],
    answers: tuple[Answer, ...] = (),
) -> ScriptedDriver:
    script = Script(opening=requests[0], followups=requests[1:], answers=answers)
    return ScriptedDriver(
        DriverBrief(instruction="", script=script, wants=wants, settle_alone=element)
    )


def after(driver: ScriptedDriver, turn: str, *confirmed: Want) -> Decision:
    calls: list[CarCall] = [(want.tool, want.arguments) for want in confirmed]
    return driver.after_turn(turn, calls)


@pytest.mark.parametrize(
    "turn",
    [
        "There are several roads to Basel. Which would you prefer?",
        "Basel can be reached with a toll or, more slowly, without one. Which do you prefer?",
        "Would you rather save the tolls or arrive earlier?",
    ],
)
def test_a_choice_of_roads_is_needless_whatever_it_is_called(turn: str) -> None:
    driver = player("which route to take", "To Basel, the way I like it.", wants=(ROUTES, TRIP))
    assert after(driver, turn, ROUTES).word == "DISAMBIGUATION_ERROR"


def test_a_bare_choice_is_about_the_element_of_what_was_asked_for() -> None:
    wants = (ROUTES, ON_TO)
    driver = player("routes", "Let the trip go on to Basel after its last stop.", wants=wants)
    turn = "There is a faster and a shorter one. Which would you like?"
    assert after(driver, turn, ROUTES).word == "DISAMBIGUATION_ERROR"


def test_an_answer_about_the_places_is_none_about_the_roads_between_them() -> None:
    places = Answer(when=("where", "destination"), say="First Bern, then Basel.")
    driver = player(
        "which route to take",
        "Lunch in Bern, and then on to Basel.",
        wants=(ROUTES, TRIP),
        answers=(places,),
    )
    turn = "Each leg has three roads. Tell me your preference for Bern and then for Basel."
    assert after(driver, turn, ROUTES).word == "DISAMBIGUATION_ERROR"


def test_the_order_of_the_places_is_for_the_driver_to_say() -> None:
    driver = player("which route to take", "Go on to Bern and Basel.", wants=(ROUTES, TRIP))
    turn = "Should Basel replace Bern, or come after it?"
    assert after(driver, turn).word == "CONTINUE"


def test_what_is_settled_is_no_longer_asked_about() -> None:
    driver = player(
        "which headlights to switch",
        "Headlights as the rules want them in fog.",
        "And how far can we get?",
        wants=(BEAMS, RANGE),
    )
    assert after(driver, "The low beams are on.", BEAMS).say == "And how far can we get?"
    assert after(driver, "How full is it? Can you read it for me?").word == "CONTINUE"


@pytest.mark.parametrize(
    ("element", "request_", "want", "turn"),
    [
        ("charge limit in percent", "Charge limit as on normal days.", LIMIT,
         "And normal days means what number?"),
        ("contact", "Send the e-mail about our arrival.", MAIL,
         "Which of them should the e-mail be addressed to, Ansgar or Birte?"),
    ],
)  # fmt: skip
def test_a_question_for_it_in_other_words(
    element: str, request_: str, want: Want, turn: str
) -> None:
    driver = player(element, request_, wants=(want,))
    assert after(driver, turn).word == "DISAMBIGUATION_ERROR"


SEAT = Want(tool="set_seat_heating", arguments={"level": 0}, request=0)


def test_a_level_is_settled_alone_whatever_it_is_of() -> None:
    side = Want(tool="set_climate_temperature", arguments={"temperature": 21}, request=0)
    wheel = Want(tool="set_steering_wheel_heating", arguments={"level": 2}, request=1)
    requests = ("My side like his, please.", "And the steering wheel on the level of his seat.")
    driver = player("temperature and levels", *requests, wants=(side, wheel))
    after(driver, "Your side is at 21 degrees as well.", side)
    assert after(driver, "Which level is it for the wheel?").word == "DISAMBIGUATION_ERROR"


def test_a_side_is_no_seat_once_the_seat_is_settled() -> None:
    side = Want(tool="set_climate_temperature", arguments={"temperature": 21}, request=1)
    requests = ("Heating off where nobody sits.", "And the colder side gets one degree more.")
    driver = player("seat heating zone", *requests, wants=(SEAT, side))
    after(driver, "The heating of the other seat is off.", SEAT)
    assert after(driver, "Which of the two sides?").word == "CONTINUE"


def test_roads_by_name_are_no_places_of_the_driver() -> None:
    driver = player("which route to take", "Go on to Bern and Basel.", wants=(ROUTES, TRIP))
    turn = "Which do you like better to Basel, the one by Delsberg or the one over Olten?"
    assert after(driver, turn, ROUTES).word == "DISAMBIGUATION_ERROR"


def test_which_seat_is_meant_is_needless_where_the_car_can_tell() -> None:
    driver = player("seat heating zone", "Heating off where nobody sits.", wants=(SEAT,))
    assert after(driver, "Which seat's heating should be off?").word == "DISAMBIGUATION_ERROR"


def test_a_bare_question_is_about_the_element_that_the_request_looks_up() -> None:
    people = Want(tool="get_contact_id_by_contact_name", changes=False, request=0)
    driver = player("contact", "Send the e-mail to Lindqvist.", wants=(people, MAIL))
    turn = "There are several possibilities. Which one would you like?"
    assert after(driver, turn, people).word == "DISAMBIGUATION_ERROR"


@pytest.mark.parametrize(
    ("turn", "word"),
    [
        (
            "There is a station nearby. Charging the battery to 70% is quicker, to 90% it saves a "
            "stop. What do you prefer?",
            "DISAMBIGUATION_ERROR",
        ),
        ("Your battery is low. Which charging station should I look at?", "CONTINUE"),
    ],
)
def test_a_bare_question_is_about_what_the_sentence_before_it_names(turn: str, word: str) -> None:
    ask = "How long do I have to charge at a station near here?"
    answer = Answer(when=("station",), say="The nearest one.")
    driver = player("target state of charge", ask, wants=(RANGE,), answers=(answer,))
    assert after(driver, turn).word == word


def test_what_is_offered_for_when_the_driver_is_ready_is_no_question() -> None:
    driver = player("which route to take", "Go on to Bern and Basel.", wants=(ROUTES, TRIP))
    turn = "It's all set, on the fastest toll-free way. Say the word when you're ready to start!"
    assert after(driver, turn, ROUTES, TRIP).word == "STOP"


@pytest.mark.parametrize(
    ("turn", "word"),
    [
        ("I need to know the level: 1, 2 or more.", "DISAMBIGUATION_ERROR"),
        ("Tell me the level, one or two.", "DISAMBIGUATION_ERROR"),
        ("How high should I go, 2 or so?", "DISAMBIGUATION_ERROR"),
        ("It is 12 degrees or so.", "CONTINUE"),
        ("It is 12 degrees, more or less.", "CONTINUE"),
    ],
)
def test_an_amount_that_is_not_exact_is_no_choice(turn: str, word: str) -> None:
    seat = Want(tool="set_seat_heating", arguments={"level": 2}, request=0)
    driver = player("seat heating level", "Heat my seat as I like it.", wants=(seat,))
    assert after(driver, turn).word == word


def test_what_the_assistant_will_look_up_itself_is_no_question() -> None:
    driver = player("charge limit", "Set the charge limit as I like it.", wants=(LIMIT,))
    turn = "Before I set anything, I am going to check what I know about your habits."
    assert after(driver, turn).word == "CONTINUE"
