"""Which answers the driver gives to questions that no pattern of the script was written for."""

import pytest

from user_sim.script import Answer, DriverBrief, Script
from user_sim.scripted import ScriptedDriver
from user_sim.wants import CarCall, Want

OPENING = "E-mail Mira Okonkwo that I'm late, turn the fan to two, and take me to Ghent."
ROUTE = Answer(when=(r"\broutes?\b",), say="The fastest one.")
PERSON = Answer(when=(r"\bwhich contact\b",), say="Mira Okonkwo.")
WANTS = (
    Want(tool="set_fan_speed", arguments={"level": 2}),
    Want(
        tool="send_email",
        arguments={"email_addresses": ["mira.okonkwo@example.org"], "content_message": "late"},
    ),
    Want(tool="set_new_navigation", arguments={"route_ids": ["rll_utr_ghe_1"]}),
)


def driver(*answers: Answer, opening: str = OPENING) -> ScriptedDriver:
    script = Script(opening=opening, answers=answers)
    return ScriptedDriver(DriverBrief(instruction="", script=script, wants=WANTS))


@pytest.mark.parametrize(
    "question",
    [
        "What should the e-mail say?",
        "How many degrees would you like?",
        "Which colour would you like for the light?",
        "A trip to Ghent, how nice! Do you play an instrument?",
    ],
)
def test_an_answer_of_another_kind_is_kept_and_the_request_repeated(question: str) -> None:
    player = driver(ROUTE, PERSON)
    assert (player.after_turn(question).say or "").endswith(OPENING)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("There is a quick way and a short one. Which would you like?", ROUTE),
        ("To whom does the message go?", PERSON),
        ("The fastest or the shortest?", ROUTE),
    ],
)
def test_an_answer_of_the_kind_that_is_asked_for_is_given(question: str, answer: Answer) -> None:
    assert driver(ROUTE, PERSON).after_turn(question).say == answer.say


def test_an_unused_answer_comes_before_leaving_the_choice_to_the_assistant() -> None:
    player = driver(ROUTE)
    said = [player.after_turn("Do you play an instrument yourself?").say for _ in range(3)]
    assert said[1:] == [ROUTE.say, "I don't know, please decide."]


def test_what_the_question_says_itself_is_no_answer_to_it() -> None:
    mine = Answer(when=(r"\bwhich window\b",), say="Mine.")
    amount = Answer(when=(r"\bhow far\b",), say="Twenty percent.")
    player = driver(mine, amount, opening="A window open by twenty percent, please.")
    assert player.after_turn("Which window should be open by twenty percent?").say == "Mine."


FAN_AND_LIGHT = "The fan on two. And the ambient light in green, please."
FAN: CarCall = ("set_fan_speed", {"level": 2})


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("The fan is on two.", "And what about the ambient light?"),
        (
            "The fan is on two. The ambient light is red now.",
            "That's not quite what I asked for. The ambient light in green, please.",
        ),
        (
            "The fan is on two. I won't change the ambient light while you are driving.",
            "I'd still like that. The ambient light in green, please.",
        ),
    ],
)
def test_what_was_told_of_the_missing_part_is_objected_to(told: str, expected: str) -> None:
    light = Want(tool="set_ambient_lights", arguments={"on": True, "lightcolor": "GREEN"})
    script = Script(opening=FAN_AND_LIGHT)
    brief = DriverBrief(instruction="", script=script, wants=(WANTS[0], light))
    assert ScriptedDriver(brief).after_turn(told, [FAN]).say == expected


LIMITED = Script(
    opening="Open the trunk and close my window, please.",
    followups=("And the fan on two.",),
)
LIMITED_WANTS = (
    Want(tool="open_close_trunk_door", arguments={"action": "OPEN"}, request=0, possible=False),
    Want(
        tool="open_close_window",
        arguments={"window": "DRIVER", "percentage": 0},
        request=0,
    ),
    Want(tool="set_fan_speed", arguments={"level": 2}, request=1),
)


def limited() -> ScriptedDriver:
    removed = ("open_close_trunk_door",)
    brief = DriverBrief(instruction="", script=LIMITED, removed=removed, wants=LIMITED_WANTS)
    return ScriptedDriver(brief)


@pytest.mark.parametrize(
    "offer",
    [
        ". Shall I close your window, at least?",
        ", but I can close your window. Would you like that?",
        ", only close your window. Shall I do that?",
    ],
)
def test_the_rest_beside_an_admitted_limit_gets_a_plain_yes(offer: str) -> None:
    assert limited().after_turn(f"I can't open the trunk in this car{offer}").say == "Yes, please."


def test_beside_a_substitute_that_is_declined_the_driver_asks_for_the_rest_alone() -> None:
    told = "I can't open the trunk in this car. Shall I unlock the doors instead?"
    assert limited().after_turn(told).say == "No, thanks. And what about the window?"


def test_a_substitute_for_what_the_car_lacks_is_declined_with_the_next_request() -> None:
    window: CarCall = ("open_close_window", {"window": "DRIVER", "percentage": 0})
    told = "Your window is closed. I can't open the trunk in this car. Shall I unlock it instead?"
    assert limited().after_turn(told, [window]).say == "No, thanks. And the fan on two."


@pytest.mark.parametrize(
    "proposal",
    [
        "It rains. Should I still open the sunroof to 60 percent, and the sunshade to 60 as well?",
        "Open the sunroof to 60 percent? The shade is closed, so I would open it to 60 as well.",
    ],
)
def test_where_one_thing_of_two_is_wrong_the_other_gets_its_yes(proposal: str) -> None:
    shade = Answer(when=(r"\b(?:sun)?shade\b",), say="I want the sunshade at 100 percent.")
    wants = (
        Want(tool="open_close_sunshade", arguments={"percentage": 100}),
        Want(tool="open_close_sunroof", arguments={"percentage": 60}),
    )
    script = Script(opening="Open the sunroof to 60 percent, please.", answers=(shade,))
    brief = DriverBrief(instruction="", script=script, wants=wants)
    said = ScriptedDriver(brief).after_turn(proposal).say
    assert said == "Yes, but I want the sunshade at 100 percent."
