from typing import Any

import pytest

from evaluator.record.episode import Episode
from evaluator.scoring.grounding import ungrounded
from evaluator.scoring.scores import score
from tests.evaluator.episodes import task
from tests.evaluator.stories import record_of
from tests.vehicle_bus.cars import WORLD

MIRA = "mira.lindqvist4102@postbox.example"
PEOPLE = {"get_contact_id_by_contact_name": {"contact_first_name": "Mira"}}
DETAILS = {"get_contact_information": {"contact_ids": ["con_4102"]}}


def invented(*lines: Any, **start: Any) -> list[str]:
    given = task(**start)
    return [found.sentence for found in ungrounded(Episode(record_of(given, lines), given))]


def asked(text: str, call: dict[str, Any], **start: Any) -> list[str]:
    """What is invented in one call right after one sentence of the driver."""
    return invented({"driver": text}, {"calls": [call]}, {"agent": "Yes."}, **start)


def test_an_invented_contact_is_caught() -> None:
    [found] = asked("Who is Mira?", DETAILS)
    assert found == "get_contact_information: contact_ids 'con_4102' was never mentioned before"


def test_an_id_from_a_look_up_is_grounded() -> None:
    assert (
        invented(
            {"driver": "Write to Mira."},
            {"calls": [PEOPLE]},
            {"calls": [DETAILS]},
            {"calls": [{"send_email": {"content_message": "Hi", "email_addresses": [MIRA]}}]},
            {"agent": "Sent."},
        )
        == []
    )


def test_an_invented_id_is_caught_in_letters_with_accents_too() -> None:
    there = {"get_weather": {"location_or_poi_id": "loc_wür_639299", "month": 2, "day": 14,
                             "time_hour_24hformat": 12}}  # fmt: skip
    [found] = asked("How is the weather in Würzburg?", there)
    assert "loc_wür_639299" in found


def test_an_id_used_beside_the_look_up_that_tells_it_is_a_guess() -> None:
    lines = [{"driver": "Who is Mira?"}, {"calls": [PEOPLE, DETAILS]}, {"agent": "Yes."}]
    assert len(invented(*lines)) == 1


def test_an_address_has_to_be_known_letter_by_letter() -> None:
    mail = {"send_email": {"content_message": "Hi", "email_addresses": ["mira@postbox.example"]}}
    assert asked("Write to Mira Lindqvist.", mail)
    assert asked("Write to mira@postbox.example.", mail) == []


def test_a_phone_number_may_be_written_with_other_gaps() -> None:
    assert (
        asked("Call 0151 20 48 16", {"call_phone_by_number": {"phone_number": "0151204816"}}) == []
    )
    assert asked("Call Mira", {"call_phone_by_number": {"phone_number": "0151204817"}})


def test_the_place_of_the_car_is_known_from_the_instructions() -> None:
    here = {"location_or_poi_id": "loc_mun_9995", "month": 2, "day": 14, "time_hour_24hformat": 12}
    assert asked("How is the weather?", {"get_weather": here}) == []
    elsewhere = {**here, "location_or_poi_id": "loc_fre_310472"}
    assert asked("How is the weather?", {"get_weather": elsewhere})


def test_a_slip_of_spelling_in_a_name_is_no_invention() -> None:
    name = {"get_contact_id_by_contact_name": {"contact_last_name": "Lindquist"}}
    assert asked("Find Lindqvist.", name) == []
    assert asked("Find Okonkwo.", name)


TEMPERATURE = {"temperature": 21.5, "seat_zone": "DRIVER"}
SEAT = {"level": 2, "seat_zone": "PASSENGER"}


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("Open the sunshade halfway.", {"open_close_sunshade": {"percentage": 50}}),
        ("Open the sunshade forty-five percent.", {"open_close_sunshade": {"percentage": 45}}),
        ("Open the sunshade.", {"open_close_sunshade": {"percentage": 100}}),
        ("Shut the sunshade.", {"open_close_sunshade": {"percentage": 0}}),
        ("Make it 21.5 degrees.", {"set_climate_temperature": TEMPERATURE}),
        ("Full blast, please.", {"set_fan_speed": {"level": 5}}),
        ("Make it blue.", {"set_ambient_lights": {"on": True, "lightcolor": "BLUE"}}),
        ("Windscreen and feet.", {"set_fan_airflow_direction": {"direction": "WINDSHIELD_FEET"}}),
        ("Heat my wife's seat, level 2.", {"set_seat_heating": SEAT}),
        ("Close the one behind the passenger.", {"open_close_window": {"window": "LEFT_REAR"}}),
        ("Some fresh air, please.", {"set_air_circulation": {"mode": "FRESH_AIR"}}),
    ],
)
def test_what_words_say_is_grounded(text: str, call: dict[str, Any]) -> None:
    assert asked(text, call) == []


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("Move the sunshade.", {"open_close_sunshade": {"percentage": 37}}),
        ("Light, please.", {"set_ambient_lights": {"on": True, "lightcolor": "PURPLE"}}),
        ("Seat heating, please.", {"set_seat_heating": {"level": 1, "seat_zone": "PASSENGER"}}),
        ("Air circulation, please.", {"set_air_circulation": {"mode": "RECIRCULATION"}}),
    ],
)
def test_what_no_words_say_is_invented(text: str, call: dict[str, Any]) -> None:
    assert len(asked(text, call)) == 1


def test_a_relative_wish_grounds_a_step_from_what_was_looked_up() -> None:
    look = {"driver": "Two degrees warmer, please."}, {"calls": ["get_temperature_inside_car"]}
    warm = {"set_climate_temperature": {"temperature": 22, "seat_zone": "DRIVER"}}
    assert invented(*look, {"calls": [warm]}, {"agent": "Yes."}) == []


def test_what_the_driver_prefers_is_grounded() -> None:
    likes = {"vehicle_settings": {"climate_control": ["For fresh air the fan is on level 4"]}}
    wanted = {"preference_categories": {"vehicle_settings": {"climate_control": True}}}
    look = [{"driver": "The fan as always."}, {"calls": [{"get_user_preferences": wanted}]}]
    fan = {"calls": [{"set_fan_speed": {"level": 4}}]}
    assert invented(*look, fan, {"agent": "Yes."}, user_preferences=likes) == []
    assert invented(look[0], fan, {"agent": "Yes."}, user_preferences=likes)


def test_a_proposal_counts_once_the_driver_has_answered_it() -> None:
    shade = {"calls": [{"open_close_sunshade": {"percentage": 37}}]}
    lines = [{"driver": "Shade."}, {"agent": "Shall I set it to 37 percent?"}, {"driver": "Yes."}]
    assert invented(*lines, shade, {"agent": "Done."}) == []
    assert invented(lines[0], {"agent": "37 it is.", **shade}, {"agent": "Done."})


def test_thoughts_and_sums_are_free() -> None:
    assert asked("Think.", {"think": {"thought": "con_9999 might be it"}}) == []
    assert asked("How much?", {"calculate_math": {"expression": "37 * 91"}}) == []


def test_grounding_is_reported_and_costs_nothing() -> None:
    given = task()
    lines: list[Any] = [{"driver": "Who is it?"}, {"calls": [DETAILS]}, {"agent": "It is Mira."}]
    verdict = score(record_of(given, lines), given, WORLD)
    assert verdict.components["grounding"] == 0.0
    assert "con_4102" in verdict.why["grounding"]
    assert verdict.reward == 1.0
