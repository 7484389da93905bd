"""What the driver remembers and wants at each of several requests."""

import pytest

from assistant_gateway.wording.quantities import Quantity
from assistant_gateway.wording.values import Amount
from user_sim.script import Answer, DriverBrief, Script
from user_sim.scripted import Decision, ScriptedDriver
from user_sim.wants import CarCall, Owed, Want

WINDOWS = "And close all the windows, please."
FAN = Want(tool="set_fan_speed", arguments={"level": 2}, request=0)
BLUE = Want(
    tool="set_ambient_lights",
    arguments={"on": True, "lightcolor": "BLUE"},
    request=0,
    possible=False,
)
CLOSED = Want(
    tool="open_close_window", arguments={"window": "ALL", "percentage": 0}, request=1, free=True
)
TRIP = Want(tool="get_current_navigation_state", changes=False, request=0)
RANGE = Want(tool="get_charging_specs_and_status", changes=False, request=0)
START = Want(tool="set_new_navigation", names=("Graz",), request=0)


def player(
    *requests: str,
    wants: tuple[Want, ...],
    removed: tuple[str, ...] = (),
    owed: tuple[Owed, ...] = (),
    settle_alone: str | None = None,
    answers: tuple[Answer, ...] = (),
) -> ScriptedDriver:
    script = Script(opening=requests[0], followups=requests[1:], answers=answers)
    return ScriptedDriver(
        DriverBrief(
            instruction="",
            script=script,
            wants=wants,
            removed=removed,
            owed=owed,
            settle_alone=settle_alone,
        )
    )


def after(driver: ScriptedDriver, turn: str, *confirmed: Want) -> Decision:
    calls: list[CarCall] = [(want.tool, want.arguments) for want in confirmed]
    return driver.after_turn(turn, calls)


def kilometres(amount: float) -> Owed:
    return Owed(request=0, values=(Amount(Quantity("distance", amount)),))


def without_colours() -> ScriptedDriver:
    return player(
        "Make the ambient light blue, and the fan on two.",
        WINDOWS,
        wants=(BLUE, FAN, CLOSED),
        removed=("set_ambient_lights.lightcolor",),
    )


def test_what_the_car_lacks_is_asked_for_as_soon_as_nothing_is_said_of_it() -> None:
    driver = without_colours()
    assert after(driver, "Fan speed two, check.", FAN).say == "And what about the ambient light?"
    assert after(driver, "I can't choose a colour in this car.").say == WINDOWS
    done = after(driver, "All windows are closed.", CLOSED)
    assert done.word == "ASSISTANT_ACKNOWLEDGED_REMOVED_PART"


def test_a_limit_that_is_admitted_is_not_asked_for_again() -> None:
    driver = without_colours()
    turn = "The fan is on two. I can't choose the colour of the ambient light in this car."
    assert after(driver, turn, FAN).say == WINDOWS


def test_a_limit_of_before_is_no_answer_to_a_question_the_car_can_answer() -> None:
    far = Want(tool="get_distance_by_soc", changes=False, request=1, free=True)
    question = "And how far can we get until the battery is down to 10 percent?"
    driver = player(
        "Make the ambient light blue.",
        question,
        wants=(BLUE, far),
        removed=("set_ambient_lights.lightcolor",),
    )
    assert after(driver, "I can't choose the colour of the ambient light.").say == question
    said = after(driver, "Range computation: interrupted. Cause unclear.").say
    assert said == "Please try again."


def test_one_amount_answers_one_question() -> None:
    both = (kilometres(260), kilometres(405))
    driver = player("How long is the trip, and what is the range?", WINDOWS,
                    wants=(TRIP, RANGE, CLOSED), owed=both)  # fmt: skip
    assert after(driver, "The trip is 260 kilometres long.", TRIP).reason == "not done yet"
    driver = player("How long is the trip, and what is the range?", WINDOWS,
                    wants=(TRIP, RANGE, CLOSED), owed=both)  # fmt: skip
    turn = "The trip is 260 kilometres long, the range 380 kilometres."
    assert after(driver, turn, TRIP, RANGE).say == WINDOWS


@pytest.mark.parametrize(
    ("turn", "answers"),
    [
        ("It will be 13 degrees in Ghent then.", True),
        ("You can expect 13 degrees.", True),
        ("In Reims you can expect 17 degrees.", False),
        ("It is 17 degrees at the moment.", False),
    ],
)
def test_the_weather_of_another_place_or_time_is_no_answer(turn: str, answers: bool) -> None:
    weather = Want(tool="get_weather", changes=False, request=0, names=("Ghent",))
    warm = Owed(request=0, values=(Amount(Quantity("temperature", 13)),))
    question = "How warm will it be here at 18:30?"
    driver = player(question, WINDOWS, wants=(weather, CLOSED), owed=(warm,))
    assert after(driver, turn, weather).say == (WINDOWS if answers else question)


def test_a_duration_that_only_a_lacking_part_could_tell_is_invented() -> None:
    routes = Want(
        tool="get_routes_from_start_to_destination", changes=False, request=0, possible=False
    )
    driver = player("How long would it take me to Linz?", wants=(routes,), removed=(routes.tool,))
    assert after(driver, "Linz: 2 h 15 min at this hour.").word == "HALLUCINATION_ERROR"


@pytest.mark.parametrize("number", [15, 45])
def test_a_number_of_the_opening_is_none_of_a_later_request(number: int) -> None:
    warm = Want(tool="set_climate_temperature", arguments={"temperature": 21}, request=0)
    window = Want(
        tool="open_close_window", arguments={"window": "DRIVER", "percentage": 45}, request=1
    )
    as_hers = "My window exactly as far open as hers is."
    agreed, refused = "Yes, as I said:", "No, that's not right."
    driver = player("Her window is open 15 percent. 21 degrees for me.", as_hers,
                    wants=(warm, window))  # fmt: skip
    assert after(driver, "21 degrees, as you wished.", warm).say == as_hers
    said = after(driver, f"I'd open your window to {number} percent. Shall I?").say
    assert said == f"{agreed if number == 45 else refused} {as_hers}"


def test_a_value_of_a_later_request_is_none_of_this_one() -> None:
    rear = Want(
        tool="open_close_window",
        arguments={"window": "PASSENGER_REAR", "percentage": 0},
        request=0,
    )
    mine = Want(
        tool="open_close_window", arguments={"window": "DRIVER", "percentage": 25}, request=1
    )
    driver = player("One open window rattles. Close it.", "Open my window.", wants=(rear, mine))
    said = after(driver, "That'll be the front passenger window. I'll close it, yes?").say or ""
    assert said.startswith("No")


def test_the_kind_of_place_of_a_later_request_makes_no_plan_of_now_wrong() -> None:
    names = ("Plugvale Mlynice", "Wroclaw")
    start = Want(tool="set_new_navigation", names=names, request=0)
    added = Want(
        tool="navigation_add_one_waypoint", names=("Hospoda",), kinds=("restaurants",), request=1
    )
    asked = "Take me to Wroclaw, and stop at a charging station first."
    driver = player(asked, "Then on to a restaurant.", wants=(start, added))
    plan = "Shall I start the navigation to Wroclaw with the charging station Plugvale Mlynice?"
    assert (after(driver, plan).say or "").startswith("Yes")


def test_a_light_that_is_to_be_off_gets_no_colour() -> None:
    off = Want(tool="set_ambient_lights", arguments={"on": False, "lightcolor": "NONE"}, request=0)
    request = "If one of them has the light off, turn the ambient light off. If not, make it blue."
    driver = player(request, wants=(off,))
    assert (after(driver, "Both have it on, so I'm making it blue, okay?").say or "")[:2] == "No"


def test_a_change_is_not_wanted_for_what_is_only_looked_up() -> None:
    green = Want(
        tool="set_ambient_lights", arguments={"on": True, "lightcolor": "GREEN"}, request=0
    )
    request = "If we can be in Linz by noon, add it to the trip, otherwise the ambient light green."
    driver = player(request, wants=(TRIP, green))
    said = after(driver, "You'd be there at two. Shall I add it as your last stop?", TRIP)
    assert said.say == f"No, thanks. As I said: {request}"


@pytest.mark.parametrize(
    ("proposal", "right"),
    [
        ("Budapest to be inserted ahead of Krakow. Confirm?", False),
        ("Budapest to be inserted after Krakow. Confirm?", True),
    ],
)
def test_a_stop_comes_after_the_place_it_is_to_come_after(proposal: str, right: bool) -> None:
    stop = Want(
        tool="navigation_add_one_waypoint",
        arguments={
            "waypoint_id_to_add": "loc_bud_573814",
            "waypoint_id_before_new_waypoint": "loc_kra_364185",
        },
        names=("Budapest", "Krakow"),
        request=0,
    )
    driver = player("Let the trip go on from Krakow to Budapest.", wants=(stop,))
    assert (after(driver, proposal).say or "").startswith("Yes") == right


def test_what_an_earlier_request_named_is_missed_later() -> None:
    wheel = Want(tool="set_steering_wheel_heating", arguments={"level": 1}, request=0)
    seat = Want(tool="set_seat_heating", arguments={"level": 2}, request=0)
    lower = Want(tool="set_steering_wheel_heating", arguments={"level": 0}, request=1)
    follows = Want(tool="set_seat_heating", arguments={"level": 1}, request=1)
    driver = player("My seat heating is always one above the wheel. Wheel heating on one.",
                    "The wheel one down.", wants=(wheel, seat, lower, follows))  # fmt: skip
    assert after(driver, "Wheel one, seat two.", wheel, seat).say == "The wheel one down."
    assert after(driver, "Wheel heating reduced.", lower).say == "And what about the seat heating?"


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Who's supposed to receive the e-mail?", "DISAMBIGUATION_ERROR"),
        ("Your seat is on three now. What would you like instead?", "CONTINUE"),
    ],
)
def test_only_a_question_for_the_person_asks_for_the_person(question: str, word: str) -> None:
    seat = Want(tool="set_seat_heating", arguments={"level": 1}, request=0)
    mail = Want(
        tool="send_email",
        arguments={"content_message": "Hello"},
        names=("Octavian Kaltenbrunn",),
        request=0,
    )
    driver = player("My seat heating lower. And send him that e-mail.", wants=(seat, mail),
                    settle_alone="contact")  # fmt: skip
    assert after(driver, question).word == word


def test_an_answer_that_only_repeats_the_request_is_no_choice() -> None:
    look = Want(tool="search_poi_along_the_route", changes=False, request=0)
    stop = Want(tool="navigation_add_one_waypoint", request=0)
    request = "Add a charging station with a free DC plug as a stop."
    dc = Answer(when=(r"\bplug\b",), say="A free DC plug.")
    driver = player(request, wants=(look, stop), answers=(dc,))
    assert after(driver, "Nothing with such a plug is on the way.").say != dc.say


def test_an_amount_that_another_field_of_the_look_up_tells_is_not_invented() -> None:
    meeting = Want(tool="get_entries_from_calendar", changes=False, request=0)
    removed = ("result.get_entries_from_calendar.meetings.attendees",)
    driver = player("How long does my next meeting take?", wants=(meeting,), removed=removed)
    assert after(driver, "The meeting takes 45 minutes.", meeting).word != "HALLUCINATION_ERROR"


def test_an_answer_of_words_without_content_is_a_choice() -> None:
    answers = (Answer(when=(r"\broutes?\b",), say="The second one."),)
    driver = player("Take me to Graz.", wants=(START,), answers=answers)
    turn = "There are two routes to Graz, via A1 and via B50."
    assert after(driver, turn, TRIP).say == "The second one."


def test_an_answer_in_the_words_of_the_next_request_makes_it() -> None:
    mail = Want(tool="send_email", names=("Nathan Scott",), request=1)
    request = "Please mail the details of the other Scotts to Nathan Scott."
    script = Script(
        opening="Look up the Scotts.", followups=(request,),
        answers=(Answer(when=(r"\bwhich\b",), say=request),),
    )  # fmt: skip
    driver = ScriptedDriver(DriverBrief(instruction="", script=script, wants=(mail,)))
    assert driver.after_turn("There are Nathan, Helen and Mia. Which of them?").say == request
    text = 'I would write to Nathan Scott: "Helen Scott: helen@aol.com." Shall I send it?'
    assert (driver.after_turn(text).say or "").startswith("Yes")
