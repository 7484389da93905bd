"""Talk as in a demonstration: interruptions, corrections, taking back, slips, small talk."""

from typing import Any

import pytest

from assistant_gateway.agents.rules.agent import respond
from assistant_gateway.agents.rules.language.spelling import spelled
from assistant_gateway.agents.transcript import Heard
from tests.assistant_gateway.agents.rules.drives import drive
from tests.vehicle_bus.small_world import world_file
from vehicle_bus.world.world import World


def test_a_new_request_beats_an_open_question_and_the_rest_is_named() -> None:
    drove, said = drive("Open all windows.", "Set the fan to level three.")
    assert drove.changes == ["set_fan_speed 3"]
    assert "I leave all windows alone." in said[1]


def test_what_is_left_alone_is_named_as_it_was_asked_for() -> None:
    _, said = drive("Open the rear passenger window a bit.", "Set the fan to level three.")
    assert said[1].endswith("I leave the window behind the passenger alone.")


def test_what_the_new_request_changed_is_not_left_alone() -> None:
    _, said = drive("Open all windows.", "AC on.", window_driver_position=50)
    assert "closed the driver's window" in said[1]
    assert "alone" not in said[1]


@pytest.mark.parametrize(("said", "answer"), [
    ("Close the sunroof.", "The sunroof is already closed."),
    ("Close all windows.", "All windows are already closed."),
    ("AC off and fog lights off.", "The air conditioning and the fog lights are already off."),
    ("Set 22 degrees and the fan to two.",
     "I've set the fan to level 2. The temperature on both sides is already set to 22 degrees."),
])  # fmt: skip
def test_what_was_so_before_is_not_claimed_as_done(said: str, answer: str) -> None:
    _, answers = drive(said, climate_temperature_driver=22.0, climate_temperature_passenger=22.0)
    assert answers == [answer]


def test_what_was_clear_is_done_when_a_question_about_the_rest_is_passed_over() -> None:
    drove, said = drive(
        "Set 22 degrees, turn on the seat heating and open the trunk.",
        "What level is the fan on?",
        "Yes.",
    )
    assert drove.changes == ["set_climate_temperature 22 ALL_ZONES", "open_close_trunk_door OPEN"]
    assert "fan" in said[2]
    assert "I leave the seat heating alone." in said[2]


def test_another_value_for_the_same_thing_is_no_wish_left_alone() -> None:
    _, said = drive("Open the sunroof and turn on the fan.", "Set the sunroof to 10.", "Two.")
    assert "alone" not in said[2]


def test_an_answer_may_bring_another_wish() -> None:
    drove, _ = drive("Turn on the fan.", "Level two, and open my window halfway.")
    assert drove.changes == ["set_fan_speed 2", "open_close_window DRIVER 50"]


@pytest.mark.parametrize("no", ["No.", "Actually no.", "Not really.", "Don't.", "Neither."])
def test_a_no_is_a_no(no: str) -> None:
    drove, _ = drive("Open the trunk.", no)
    assert drove.changes == []


def test_what_is_not_meant_is_not_done() -> None:
    drove, _ = drive("Turn on the reading light.", "Not mine, the passenger's.")
    assert drove.changes == ["set_reading_light PASSENGER True"]


@pytest.mark.parametrize("pause", ["Wait.", "Hmm, let me think.", "Sorry, what?"])
def test_a_question_stays_open_while_the_driver_thinks(pause: str) -> None:
    drove, _ = drive("Turn on the fan.", pause, "Two.")
    assert drove.changes == ["set_fan_speed 2"]


@pytest.mark.parametrize(("answer", "change"), [
    ("The seat heating.", "set_seat_heating 2 DRIVER"),
    ("Nothing.", None),
    ("Never mind.", None),
    ("Blah.", None),
])  # fmt: skip
def test_only_the_help_that_was_chosen_is_given(answer: str, change: str | None) -> None:
    drove, _ = drive("I'm cold.", answer, "Two.", seats_occupied={"driver": True})
    assert drove.changes == ([change] if change else [])


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_driver_sits_on_the_left(side: str) -> None:
    drove, _ = drive(f"Open the rear {side} window to 40 percent.")
    seat = {"left": "DRIVER_REAR", "right": "PASSENGER_REAR"}[side]
    assert drove.changes == [f"open_close_window {seat} 40"]


@pytest.mark.parametrize(("said", "changes"), [
    ("Set the fan to 3, no, 2.", ["set_fan_speed 2"]),
    ("Set the fan to three. No wait, four.", ["set_fan_speed 4"]),
    ("Turn on the AC. Wait, no, don't.", []),
    ("Turn on the AC, never mind.", []),
    ("Fan to 2, and turn on the AC, no, forget it.", ["set_fan_speed 2"]),
    ("Set the fan to two and open the trunk, no, the sunroof to 30 percent.",
     ["open_close_sunshade 100", "set_fan_speed 2", "open_close_sunroof 30"]),
])  # fmt: skip
def test_a_slip_of_the_tongue_is_corrected(said: str, changes: list[str]) -> None:
    assert drive(said)[0].changes == changes


def test_a_correction_puts_the_wrong_window_back() -> None:
    drove, _ = drive("Open my window to 40 percent.", "No, I meant the passenger's.")
    assert drove.changes == [
        "open_close_window DRIVER 40", "open_close_window DRIVER 0",
        "open_close_window PASSENGER 40",
    ]  # fmt: skip


@pytest.mark.parametrize("back", [
    "Undo that.", "Put it back, please.", "Set it back to what it was.", "The way it was before.",
    "Take that back.", "Revert that.", "Put the temperature back.", "Reset everything.",
    "No, not that.", "Cancel that.", "I didn't want that.", "That was wrong.",
])  # fmt: skip
def test_what_was_just_done_is_taken_back(back: str) -> None:
    drove, _ = drive("Set the temperature to 24 degrees.", back, climate_temperature_driver=18)
    assert set(drove.changes[1:]) == {
        "set_climate_temperature 18 DRIVER", "set_climate_temperature 20 PASSENGER",
    }  # fmt: skip


@pytest.mark.parametrize("said", ["Turn it back on.", "Set it back to 3.", "Roll it back up."])
def test_back_is_not_always_taking_back(said: str) -> None:
    drove, _ = drive("Set the fan to 4.", "Close my window.", said, window_driver_position=50)
    assert "set_fan_speed 0" not in drove.changes
    assert "open_close_window DRIVER 50" not in drove.changes


def test_taking_back_goes_on_to_the_turns_before() -> None:
    drove, said = drive(
        "Fan to 2.",
        "Ambient light red.",
        "Undo.",
        "Undo.",
        "Undo.",
        fan_speed=1,
        ambient_light="BLUE",
    )
    assert drove.changes[2:] == ["set_ambient_lights True BLUE", "set_fan_speed 1"]
    assert said[-1] == "There is nothing that I could take back."


def test_everything_is_taken_back_at_once() -> None:
    drove, _ = drive("Fan to 2.", "Fan to 5.", "Open my window halfway.", "Undo everything.")
    assert drove.changes[3:] == ["open_close_window DRIVER 0", "set_fan_speed 0"]


def test_what_was_taken_back_is_done_again() -> None:
    drove, _ = drive("Fan to 2.", "Undo.", "Redo.", "Undo.")
    assert drove.changes == [f"set_fan_speed {level}" for level in (2, 0, 2, 0)]


def test_only_the_thing_that_is_named_is_taken_back() -> None:
    drove, _ = drive("Fan to 2 and the ambient light to red.", "Ambient light green.",
                     "Put the fan back.")  # fmt: skip
    assert drove.changes[3:] == ["set_fan_speed 0"]


def test_taking_back_keeps_the_rules_of_the_car() -> None:
    drove, said = drive("Open the trunk.", "Yes.", "Undo that.", "No.")
    assert said[2] == "Shall I close the trunk?"
    assert drove.changes == ["open_close_trunk_door OPEN"]


def test_nobody_claims_to_know_how_it_was() -> None:
    drove, said = drive("Fan to 2.", "Undo.", removed=["get_climate_settings"])
    assert drove.changes == ["set_fan_speed 2"]
    assert said[1] == "I don't know how the fan was before."


def test_a_stop_after_a_question_takes_nothing_back() -> None:
    drove, _ = drive("Fan to 2.", "Open the trunk.", "Cancel that.")
    assert drove.changes == ["set_fan_speed 2"]


def test_the_last_change_is_told_when_asked() -> None:
    _, said = drive("What did you do?", "Fan to 2.", "What did you just do?")
    assert said[0] == "I have not changed anything yet."
    assert said[2] == "I've set the fan to level 2."


def test_what_is_not_understood_beside_other_wishes_is_named() -> None:
    drove, said = drive("Set the fan to two and order a pizza.")
    assert drove.changes == ["set_fan_speed 2"]
    assert '"order a pizza"' in said[0]


def test_a_command_is_never_only_a_reason() -> None:
    drove, _ = drive("Turn the fan up and set the ambient light to red.")
    assert drove.changes == ["set_fan_speed 1", "set_ambient_lights True RED"]


def test_it_is_the_last_thing_that_the_verb_fits() -> None:
    drove, _ = drive("Open the sunshade halfway.", "Fan to 2.", "Close it again.")
    assert drove.changes[-1] == "open_close_sunshade 0"


@pytest.mark.parametrize(("said", "change"), [
    ("A bit less.", "set_fan_speed 2"), ("More!", "set_fan_speed 4"),
    ("Turn it off.", "set_fan_speed 0"),
])  # fmt: skip
def test_a_few_words_go_on_with_the_last_thing(said: str, change: str) -> None:
    assert drive("Fan to 3.", said)[0].changes[-1] == change


@pytest.mark.parametrize(("question", "answer"), [
    ("How warm is it inside?", "The temperature is set to 20 degrees."),
    ("How warm is my seat?", "seat heating is off"),
    ("Which lights are on?", "The ambient light is off."),
    ("Where are we?", "When we set off, we were in"),
    ("What time is it?", "it was 12:00"),
])  # fmt: skip
def test_a_question_is_answered(question: str, answer: str) -> None:
    drove, said = drive(question)
    assert answer in said[0]
    assert drove.changes == []


def test_a_question_is_asked_again_about_another_place() -> None:
    drove, _ = drive("What's the weather in Basel?", "And in Linz?")
    assert [call.name for call in drove.made].count("get_weather") == 2


@pytest.mark.parametrize("said", ["You stupid car!", "Are you a robot?", "Don't open the window."])
def test_small_talk_changes_nothing_and_gets_an_answer(said: str) -> None:
    drove, answers = drive(said)
    assert drove.made == []
    assert "not something I can help with" not in answers[0]


def test_the_long_excuse_is_made_once() -> None:
    _, said = drive("Bla bla.", "Bla bla bla.")
    assert said[1] == "I'm sorry, I can't help with that either."


@pytest.mark.parametrize(("typed", "meant"), [
    ("opne the widnows", "open the windows"), ("trun on the light", "turn on the light"),
    ("set the temprature", "set the temperature"), ("Take me to Trunn", "Take me to Trunn"),
    ("the heart of the widow", "the heart of the widow"),
])  # fmt: skip
def test_a_slip_of_the_keyboard_is_read_over(typed: str, meant: str) -> None:
    assert spelled(typed) == meant


def test_an_answer_of_one_word_counts() -> None:
    assert drive("Turn on the fan.", "Actually one.")[0].changes == ["set_fan_speed 1"]


def test_the_last_answer_is_said_again() -> None:
    _, said = drive("Fan to 2.", "Say that again.")
    assert said[0] == said[1]


def test_nothing_was_said_before_the_first_word() -> None:
    assert respond((Heard("Pardon?"),), [], "").text == "I have not said anything yet."


def test_taking_back_an_open_question_leaves_what_was_done_before() -> None:
    drove, said = drive("Fan to 2.", "Open the trunk.", "Undo that.")
    assert drove.changes == ["set_fan_speed 2"]
    assert said[2] == "Alright."


def test_a_stop_and_a_new_request_in_one_breath_are_both_heard() -> None:
    drove, said = drive("Fan to 2 and open the trunk.", "Never mind, what can you do?", "Yes.")
    assert drove.changes == []
    assert said[1].startswith("I can set climate")


def test_a_colour_is_about_the_light_and_not_about_the_last_thing() -> None:
    drove, _ = drive("Ambient light red.", "Reading lights on.", "No, blue.", "Undo the blue.")
    assert drove.changes[2:] == ["set_ambient_lights True BLUE", "set_ambient_lights True RED"]


def test_what_the_car_cannot_do_with_a_thing_is_not_done_in_another_way() -> None:
    drove, said = drive("Set the fan to two and dim the lights.")
    assert drove.changes == ["set_fan_speed 2"]
    assert '"dim the lights"' in said[0]


def test_the_reach_is_told_beside_other_wishes() -> None:
    _, said = drive("Fan to 2 and tell me how far I can get.")
    assert "kilometres" in said[0]


def test_a_correction_can_be_taken_back_as_well() -> None:
    drove, _ = drive(
        "Open both front windows halfway and the low beams on.",
        "Oops, I meant the rear windows.",
        "Everything back, please.",
    )
    state = drove.vehicle.state
    assert "open_close_window DRIVER_REAR 50" in drove.changes
    assert not any([state.window_driver_position, state.window_driver_rear_position])
    assert not state.head_lights_low_beams


@pytest.mark.parametrize(("before", "then", "change"), [
    ("Seat heating on level 3 for both and the fan off.", "Turn the passenger's one off.",
     "set_seat_heating 0 PASSENGER"),
    ("Ambient light red.", "Hmm, not yellow, orange.", "set_ambient_lights True ORANGE"),
    ("Make the light orange.", "No, orange is ugly, take pink.",
     "set_ambient_lights True PINK"),
    ("Temperature 21 on the left and 19 on the right.", "Make mine the same as his.",
     "set_climate_temperature 19 DRIVER"),
])  # fmt: skip
def test_what_is_not_named_is_found_by_what_is_said_of_it(
    before: str, then: str, change: str
) -> None:
    drove, _ = drive(before, then)
    assert drove.changes[-1] == change


@pytest.mark.parametrize("said", [
    "Open all windows except mine to 10 percent.", "Open the windows to 10 percent, but not mine.",
])  # fmt: skip
def test_what_is_excepted_is_left_alone(said: str) -> None:
    drove, _ = drive(said)
    assert drove.changes == [
        f"open_close_window {seat} 10" for seat in ("PASSENGER", "DRIVER_REAR", "PASSENGER_REAR")
    ]  # fmt: skip


@pytest.mark.parametrize("bye", ["Goodbye!", "Okay, bye.", "Never mind, bye bye.", "Good night."])
def test_a_goodbye_ends_an_open_question_politely(bye: str) -> None:
    drove, said = drive("Open all windows.", bye)
    assert drove.changes == []
    assert said[1] == "Alright. Have a good drive."


def test_a_goodbye_in_a_mail_is_its_text() -> None:
    _, said = drive("Send an e-mail to Mira Lindqvist.", "Bye bye, see you tomorrow.")
    assert "Bye bye" in said[1]


def test_one_window_that_is_to_be_opened_opens_fully_unless_another_value_is_liked() -> None:
    assert drive("Open the driver window.")[0].changes == ["open_close_window DRIVER 100"]
    liking = ["The driver likes a window 30 percent open."]
    likes = {"vehicle_settings": {"vehicle_settings": liking}}
    liked, _ = drive("Open the driver window.", user_preferences=likes)
    assert liked.changes == ["open_close_window DRIVER 30"]


@pytest.mark.parametrize(
    "said", ["Open all windows.", "Open the passenger window a bit.", "Open the sunroof."]
)
def test_it_asks_how_far_where_that_is_open(said: str) -> None:
    drove, (answer,) = drive(said)
    assert drove.changes == []
    assert answer.startswith("How far should I open")


def test_an_open_window_beside_the_air_conditioning_is_still_asked_about() -> None:
    drove, (answer,) = drive("Open the driver window.", air_conditioning=True)
    assert drove.changes == []
    assert "Shall I open the window anyway?" in answer


def test_who_is_called_by_a_relation_nobody_is_saved_under_is_asked_for_by_name() -> None:
    drove, said = drive("Call my wife.", "Mira Lindqvist.")
    assert "Nobody among your contacts is saved as your wife." in said[0]
    assert "Mira Lindqvist" in said[0]
    assert drove.changes == ["call_phone_by_number +49 151 204816"]


def test_a_contact_saved_under_a_relation_is_called_by_it() -> None:
    card = {"id": "con_1", "name": {"first_name": "Mum", "last_name": "Berger"}}
    card |= {"phone_number": "+49 1", "email": "mum@postbox.example"}
    other = {**card, "id": "con_2", "name": {"first_name": "Tom", "last_name": "Voss"}}
    drove, _ = drive("Call my mum.", world=World(world_file(contacts=[other, card])))
    assert drove.changes == ["call_phone_by_number +49 1"]


@pytest.mark.parametrize(
    ("said", "change"),
    [
        ("Set the passenger seat heating one level above my seat.", "set_seat_heating 2 PASSENGER"),
        (
            "Set the passenger's seat heating a level lower than mine.",
            "set_seat_heating 0 PASSENGER",
        ),
        (
            "Make my side two degrees cooler than the passenger's.",
            "set_climate_temperature 20 DRIVER",
        ),
    ],
)
def test_a_value_may_lie_beyond_that_of_another_seat(said: str, change: str) -> None:
    start: dict[str, Any] = {"seat_heating_driver": 1, "climate_temperature_passenger": 22.0}
    assert drive(said, **start)[0].changes == [change]


def test_a_fan_put_on_a_level_is_no_direction_of_the_air() -> None:
    drove, _ = drive("Make the ambient light blue and put the fan on two.")
    assert drove.changes == ["set_ambient_lights True BLUE", "set_fan_speed 2"]
