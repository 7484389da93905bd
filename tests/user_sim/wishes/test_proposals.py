"""What a proposal is about, and what of its turn is part of it."""

import pytest

from user_sim.script import Answer, DriverBrief, Script
from user_sim.scripted import ScriptedDriver
from user_sim.wants import CarCall, Want

FOG = Want(tool="set_fog_lights", arguments={"on": False}, request=0)
HIGH = Want(tool="set_head_lights_high_beams", arguments={"on": True}, request=0)
FAN = Want(tool="set_fan_speed", arguments={"level": 2}, request=0)
SEAT = Want(tool="set_seat_heating", arguments={"level": 1, "seat_zone": "DRIVER"}, request=0)
REAR = Want(
    tool="open_close_window",
    arguments={"window": "DRIVER_REAR", "percentage": 0},
    request=0,
)
TO_LINZ = Want(tool="set_new_navigation", names=("A1", "fastest", "toll-free", "Linz"), request=0)
WITHOUT_GRAZ = Want(tool="navigation_delete_waypoint", names=("Graz", "A9", "Wels"), request=0)
TO_STEYR = Want(
    tool="navigation_add_one_waypoint",
    arguments={"waypoint_id_before_new_waypoint": "loc_1"},
    names=("Steyr", "Linz", "B122", "fastest"),
    request=0,
)
ROUTES = Want(
    tool="get_routes_from_start_to_destination", names=("Enns", "Linz"), changes=False, request=0
)
WEATHER = Want(tool="get_weather", names=("Wels",), changes=False, request=0)
SETTINGS = Want(tool="get_climate_settings", changes=False, request=0)
MAIL = Want(
    tool="send_email",
    arguments={"content_message": "I will be there."},
    names=("Ida Berg",),
    request=0,
)


def after(
    request: str, wants: tuple[Want, ...], turn: str, *confirmed: CarCall, answer: str = ""
) -> str:
    """What the driver says after a turn."""
    answers = (Answer(when=(r"\bwho\b",), say=answer),) if answer else ()
    script = Script(opening=request, answers=answers)
    brief = DriverBrief(instruction="", script=script, wants=wants)
    return ScriptedDriver(brief).after_turn(turn, confirmed).say or ""


def is_no(said: str) -> bool:
    return said.startswith("No")


@pytest.mark.parametrize(
    ("request_", "want", "turn"),
    [
        (
            "Close the window behind me.",
            REAR,
            "Your own window is shut. The one behind you is open by 20 percent. "
            "Would you like me to close that one as well?",
        ),
        (
            "Let the trip go on to Steyr, from where it ends.",
            TO_STEYR,
            "I'd add Steyr at the very end, as the rule says when nobody names one. May I?",
        ),
        (
            "How warm is it here?",
            WEATHER,
            "By here you mean Wels, right?",
        ),
        (
            "What will the weather be like in Wels at six?",
            WEATHER,
            "So: the weather in Wels, today, at 6 p.m. Is that what I should look up?",
        ),
        (
            "Look up how the climate control is set and tell me the fan speed.",
            SETTINGS,
            "The climate settings I can look up, and then I read you the fan speed. Shall I do it?",
        ),
        (
            "My seat the way I like it for a long drive.",
            SEAT,
            "It's more than four hours now, and for those you've got level one saved, "
            "so level one it is, okay?",
        ),
    ],
)
def test_what_is_wanted_gets_no_no_though_the_question_does_not_name_it(
    request_: str, want: Want, turn: str
) -> None:
    assert not is_no(after(request_, (want,), turn))


def test_another_change_behind_a_fact_is_no_part_of_what_was_proposed() -> None:
    turn = (
        "I'd set the fan to two. Mostly it helps to have the air at the feet as well. "
        "May I change that, too?"
    )
    assert is_no(after("Fan on two.", (FAN,), turn))


def test_a_plan_that_names_no_thing_counts_as_well() -> None:
    turn = "Both windows on your side are open. I would close the two of them. Agreed?"
    assert is_no(after("Close the window behind me.", (REAR,), turn))
    turn = "I'd take Olaf Berg. May I e-mail him?"
    assert is_no(after("E-mail Berg that I'll be there.", (MAIL,), turn))


def test_there_is_the_place_that_was_told() -> None:
    turn = "It is dry in Krems at the moment. Shall I start the guidance there?"
    assert is_no(after("If it rains in Krems, take me to Linz.", (TO_LINZ,), turn))
    assert not is_no(after("Take me to Linz.", (TO_LINZ,), turn.replace("Krems", "Linz")))
    turn = "So I start the guidance to Krems, yes?"
    request = "Take me to Krems if it's dry there, otherwise to Linz."
    assert is_no(after(request, (TO_LINZ,), turn))
    turn = "Gasthof Sonnblick has the longest hours, so I'll take you there, okay?"
    inn = TO_LINZ.model_copy(update={"names": ("A1", "fastest", "Gasthof Kreuz")})
    assert is_no(after("Take me to an inn in Linz.", (inn,), turn))


def test_a_place_on_the_way_is_no_place_to_go_to() -> None:
    turn = "The fastest to Linz goes over Traun and is toll-free. May I start with that one?"
    assert not is_no(after("Take me to Linz on the fastest route.", (ROUTES, TO_LINZ), turn))


def test_a_place_told_beside_a_change_that_leads_nowhere_is_no_wrong_one() -> None:
    turn = "You're going to Linz, and the fan, should I set it to two?"
    later = WEATHER.model_copy(update={"request": 1})
    assert not is_no(after("Fan on two.", (FAN, later), turn))


def test_the_whole_trip_is_not_ended_for_a_change_of_it() -> None:
    turn = "So I'll cancel the whole navigation, all right?"
    assert is_no(after("Leave Graz out.", (WITHOUT_GRAZ,), turn))


def test_a_place_is_not_put_in_place_of_one_that_stays() -> None:
    turn = "I'd make Steyr the destination in place of Linz. Do you confirm that?"
    assert is_no(after("Let the trip go on to Steyr, from where it ends.", (TO_STEYR,), turn))


def test_both_and_all_of_several_things_are_no_places_in_the_car() -> None:
    request, wants = "Heat my seat on one, and the fan on two.", (SEAT, FAN)
    for asked in ("Shall I apply both?", "Okay to do all that?"):
        turn = f"Your seat heating to one, fan from three to two. {asked}"
        assert not is_no(after(request, wants, turn))


def test_a_number_counts_on_from_there() -> None:
    want = Want(tool="set_fan_speed", arguments={"level": 4}, request=0)
    request = "Turn the fan up by two levels."
    turn = "The fan's on two. Two up from there would be four, you good with that?"
    assert after(request, (want,), turn) == f"Yes, as I said: {request}"


def test_half_as_far_is_no_fifty_percent() -> None:
    want = Want(
        tool="open_close_window", arguments={"window": "DRIVER", "percentage": 30}, request=0
    )
    turn = "I'd check his window and open yours half as far. Do you want me to proceed?"
    assert not is_no(after("My window half as far open as his.", (want,), turn))


def test_the_value_of_a_profile_is_put_there() -> None:
    turn = "Level five is what the profile has for the fan. Shall I put it there?"
    assert is_no(after("Fan on two, please.", (FAN,), turn))


def test_what_a_sentence_claims_beside_its_question_is_no_part_of_the_proposal() -> None:
    done: CarCall = ("set_fog_lights", {"on": False})
    turn = "The fog lights are off now, and I'll put the high beams on if nobody is coming, yes?"
    assert not is_no(after("High beams on, please.", (FOG, HIGH), turn, done))


@pytest.mark.parametrize(
    "turn",
    [
        "I've prepared this for Ida Berg: \"Sorry, I can't make it.\" Please confirm.",
        'All is ready. "I will be there" would go to Ida Berg and Ole Holm. May I?',
    ],
)
def test_a_mail_denies_nothing_and_goes_to_nobody_who_was_left_out(turn: str) -> None:
    request = "Mail everybody in that meeting except Ole Holm that I will be there."
    assert is_no(after(request, (MAIL,), turn))


def test_a_mail_has_to_name_what_the_assistant_is_to_find_out() -> None:
    want = MAIL.model_copy(update={"arguments": {"content_message": "We buy cake at Mehlwurm."}})
    request = "E-mail Ida Berg what that bakery's called, and that we'll buy some cake there."
    assert is_no(after(request, (want,), 'Text: "We\'ll buy some cake there." Okay?'))
    right = 'Text: "We\'ll buy some cake at Mehlwurm." Okay?'
    assert not is_no(after(request, (want,), right))
