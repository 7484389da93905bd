"""What an assistant tells beside a plan contradicts nothing that the driver wants."""

import pytest

from user_sim.script import DriverBrief, Script
from user_sim.scripted import ScriptedDriver
from user_sim.wants import Owed, Want

FAN = Want(tool="set_fan_speed", arguments={"level": 4}, request=0)
COLDER = Want(
    tool="set_climate_temperature",
    arguments={"temperature": 20.5, "seat_zone": "DRIVER"},
    request=0,
)
HER_SEAT = Want(
    tool="set_seat_heating", arguments={"level": 1, "seat_zone": "PASSENGER"}, request=0
)
HER_SIDE = Want(
    tool="set_climate_temperature",
    arguments={"temperature": 20, "seat_zone": "PASSENGER"},
    request=0,
)
SEAT = Want(tool="set_seat_heating", arguments={"level": 3, "seat_zone": "PASSENGER"}, request=0)
SHADE = Want(tool="open_close_sunshade", arguments={"percentage": 60}, request=0)
CLOSED = Want(tool="open_close_sunshade", arguments={"percentage": 0}, request=0)
ROOF = Want(tool="open_close_sunroof", arguments={"percentage": 60}, request=0)
LATER = Want(tool="open_close_sunshade", arguments={"percentage": 80}, request=1)
DEFROST = Want(tool="set_window_defrost", arguments={"on": True}, request=0)
TRIP = Want(tool="set_new_navigation", names=("Maribor", "toll_free", "A9"), request=0)
FASTEST = TRIP.model_copy(update={"names": ("Maribor", "fastest", "A9")})
NO_STOP = Want(tool="navigation_delete_waypoint", names=("Udine", "Padua", "fastest"), request=0)
MAIL = Want(
    tool="send_email",
    arguments={"content_message": "Hello, I arrive at 17:10."},
    names=("Ottokar Winzer",),
    request=0,
)

FITTING = [
    (
        "Put my side in the middle between hers and mine.",
        (COLDER,),
        "The middle of 23 and 18 degrees is 20.5. That is lower by two full degrees. Shall I?",
    ),
    (
        "My wife's seat like mine, please.",
        (HER_SEAT,),
        "Your own seat is on 1 just now. Put your wife's on 1 as well?",
    ),
    (
        "Heat her seat and her side like mine.",
        (SEAT, HER_SIDE),
        "Your seat is on level 3 and your side on 20 degrees. Shall I set both for the passenger?",
    ),
    (
        "Open the roof to 60 percent and move the shade as far as it must.",
        (SHADE, ROOF),
        "The shade, now at 25 percent, goes to 60 first, and then the roof to 60. Is that fine?",
    ),
    (
        "The sun burns on my head. Close the shade.",
        (CLOSED,),
        "I see that the shade is all the way back, so the sun comes through the roof. Close it?",
    ),
    (
        "Clear the windshield.",
        (DEFROST,),
        "No window is open, all are closed, so we can begin. Front defrost on, shall I?",
    ),
    (
        "Put the fan on the level I like.",
        (FAN,),
        "So the AC's off by now, and without it you like the fan on four. Shall I go with four?",
    ),
    (
        "Take me to Maribor on the kind of route I like.",
        (FASTEST,),
        "I'd start the trip to Maribor by your rule: toll-free if no longer, else fastest. OK?",
    ),
    (
        "Take me to Maribor on the kind of route I like.",
        (TRIP,),
        "It leads over Villach and Klagenfurt and is toll-free. Shall I start it to Maribor?",
    ),
    (
        "Let's skip Udine and go straight to Padua.",
        (NO_STOP,),
        "Without the stop it takes two hours on the fastest route. Do you want me to drop Udine?",
    ),
    (
        "E-mail the Winzer from the meeting when I arrive.",
        (MAIL,),
        'Of your two Winzers only Ottokar comes: "I arrive at 17:10." May I send it to him?',
    ),
]


def answer(request: str, wants: tuple[Want, ...], turn: str, *later: str) -> str | None:
    script = Script(opening=request, followups=later)
    return (
        ScriptedDriver(DriverBrief(instruction="", script=script, wants=wants)).after_turn(turn).say
    )


@pytest.mark.parametrize(("request_", "wants", "turn"), FITTING)
def test_a_fact_a_rule_or_a_step_beside_a_right_plan_gets_no_no(
    request_: str, wants: tuple[Want, ...], turn: str
) -> None:
    said = answer(request_, wants, turn)
    assert said is not None
    assert said.startswith(("Yes", "Just what I asked for"))


def test_what_stays_alone_is_not_what_is_asked_for_later() -> None:
    said = answer(
        "Open the roof as far as I like it, and only move the shade if you have to.",
        (ROOF, LATER),
        "You like it at 60 percent in this weather. Shall I open it that far and leave the shade?",
        "And now the shade to 80.",
    )
    assert said is not None
    assert not said.startswith("No")


@pytest.mark.parametrize(
    "turn",
    [
        "I've found Maribor and the fastest route. Would you like me to tell you about its tolls?",
        "I understand you'd like to know about tolls on route 9. Shall I tell you about tolls?",
    ],
)
def test_an_offer_to_tell_what_is_asked_for_gets_a_yes(turn: str) -> None:
    route = Want(tool="get_routes_from_start_to_destination", changes=False, request=0)
    owed = Owed(request=0, values=())
    script = Script(opening="Fan on four, please. And are there any tolls on the way to Maribor?")
    wants = (route, FAN)
    brief = DriverBrief(instruction="", script=script, wants=wants, owed=(owed,))
    driver = ScriptedDriver(brief)
    assert driver.after_turn(turn, [(FAN.tool, FAN.arguments)]).say == script.confirm


def test_an_offer_to_look_before_a_bare_question_is_what_is_agreed_to() -> None:
    look = Want(tool="get_weather", changes=False, request=0, names=("Bern",))
    said = answer(
        "How warm does it get in Bern today?",
        (look,),
        "I can check the forecast for Bern. Would you like me to?",
    )
    assert said is not None
    assert said.startswith("Yes")


WRONG = [
    ("Two levels less on the fan, please.", FAN, "Shall I turn it down by three?"),
    (
        "Take me to Maribor without tolls.",
        TRIP,
        "There is a quicker one, but with tolls. Would you like me to take that toll route?",
    ),
    ("Fan on four.", FAN, "Shall I switch the fan right off?"),
    ("The fan on, please.", FAN, "Shall I set the fan to five up from two?"),
    ("The fan on, please.", FAN, "Shall I set the fan, at five, for you?"),
    ("The fan on, please.", FAN, "Mindful that the fan goes to one, shall I go ahead?"),
    ("Fan on four.", FAN, "I'd put the fan on four, and the trunk is to be opened too. Shall I?"),
]


@pytest.mark.parametrize(("request_", "want", "turn"), WRONG)
def test_a_wrong_value_or_an_extra_deed_is_no_fact_beside_the_plan(
    request_: str, want: Want, turn: str
) -> None:
    said = answer(request_, (want,), turn)
    assert said is not None
    assert said.startswith("No")


def test_the_road_that_is_avoided_is_no_toll_road_that_is_taken() -> None:
    request = "Take me to Maribor without tolls."
    said = answer(request, (TRIP,), "Shall I take the route to Maribor that avoids the toll road?")
    assert said is not None
    assert not said.startswith("No")


@pytest.mark.parametrize(
    ("want", "beginning"),
    [(FAN, "Yes"), (DEFROST, "No")],
)
def test_a_deed_or_leaving_it_is_a_yes_or_a_no(want: Want, beginning: str) -> None:
    turn = "Do you want me to put the fan on four, or leave it for now?"
    said = answer("Make it as I like it, please.", (want,), turn)
    assert said is not None
    assert said.startswith(beginning)


@pytest.mark.parametrize(
    "turn", ["The mail is sent as soon as you agree.", "Once you agree, the mail is on its way."]
)
def test_what_is_done_once_the_driver_agrees_is_a_plan(turn: str) -> None:
    said = answer("E-mail Ottokar Winzer when I arrive.", (MAIL,), turn)
    assert said is not None
    assert said.startswith("Yes")
