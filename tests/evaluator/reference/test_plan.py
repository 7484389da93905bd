import json
from typing import Any

import pytest

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.reference import Aside, Plan, Say
from evaluator.reference.plan import reference_plan
from evaluator.scoring.words.heard import admissions
from evaluator.task.checks import problems_of
from evaluator.task.task import Request, Task
from evaluator.task.worlds import own_world
from user_sim.script import Script
from user_sim.understanding.understand import acts_in, asks, understand
from vehicle_bus.tools import BY_NAME

WORLD = own_world()
BASEL = {"id": "loc_bas_627893", "name": "Basel", "position": {"longitude": 7.6, "latitude": 47.6}}
RAINY = {"year": 2025, "month": 3, "day": 10, "hour": 14, "minute": 20}
CLOUDY = RAINY | {"hour": 19}


def task(*actions: tuple[str, dict[str, Any]], **fields: Any) -> Task:
    removed = fields.pop("removed", ())
    start = {"current_location": BASEL, "current_datetime": RAINY} | fields.pop("start", {})
    driver = {"instruction": "…", "script": {"opening": "…"}, "removed": removed}
    return Task.model_validate(
        {
            "task_id": "base_x",
            "task_type": "base",
            "title": "x",
            "car": {"start": start, "removed": removed, "calendar_id": "cal_6614"},
            "driver": driver | fields.pop("driver", {}),
            "expect": {
                "actions": [{"name": name, "arguments": given} for name, given in actions],
                "turn_classes": ["B"],
            },
        }
        | fields
    )


def calls(plan: Plan) -> list[str]:
    return [step.name for step in plan if isinstance(step, Call)]


def said(plan: Plan) -> list[str]:
    return [step.text for step in plan if isinstance(step, Say)]


LOOK: tuple[str, dict[str, Any]] = ("get_climate_settings", {})
FAN = ("set_fan_speed", {"level": 2})
SUNROOF = ("open_close_sunroof", {"percentage": 20})
WIDE_OPEN = ("open_close_window", {"window": "ALL", "percentage": 50})
TO_LUCERNE = "rll_bas_luc_962338"
ROUTES = (
    "get_routes_from_start_to_destination",
    {"start_id": "loc_bas_627893", "destination_id": "loc_luc_291875"},
)
MAIL = (
    "send_email",
    {
        "email_addresses": ["clara.wenger7734@postbox.example"],
        "content_message": "Shall we sing?",
    },
)


def test_a_base_plan_makes_the_expected_calls_and_says_what_was_done() -> None:
    plan = reference_plan(task(FAN), WORLD)
    assert plan == (Call("set_fan_speed", {"level": 2}), Say("I've set the fan to level 2."))


@pytest.mark.parametrize(
    ("action", "first"),
    [
        (SUNROOF, ["get_weather"]),
        (("set_fog_lights", {"on": True}), ["get_weather", "get_exterior_lights_status"]),
        (("set_head_lights_high_beams", {"on": True}), ["get_exterior_lights_status"]),
        (
            ("set_air_conditioning", {"on": True}),
            ["get_climate_settings", "get_vehicle_window_positions"],
        ),
        (
            ("set_window_defrost", {"on": True, "defrost_window": "FRONT"}),
            ["get_climate_settings"],
        ),
        (("set_window_defrost", {"on": True, "defrost_window": "REAR"}), []),
        (("set_air_conditioning", {"on": False}), []),
        (("open_close_sunroof", {"percentage": 0}), []),
        (("set_new_navigation", {"route_ids": [TO_LUCERNE]}), ["get_current_navigation_state"]),
    ],
)
def test_the_rules_of_the_car_put_look_ups_in_front(
    action: tuple[str, dict[str, Any]], first: list[str]
) -> None:
    assert calls(reference_plan(task(action), WORLD)) == [*first, action[0]]


def test_a_look_up_is_not_made_twice() -> None:
    plan = reference_plan(task(LOOK, ("set_air_conditioning", {"on": True})), WORLD)
    assert calls(plan).count("get_climate_settings") == 1


@pytest.mark.parametrize(
    ("action", "about"),
    [
        (("open_close_trunk_door", {"action": "OPEN"}), "open the trunk"),
        (("set_head_lights_high_beams", {"on": True}), "turn on the high beams"),
        (MAIL, "an e-mail to Clara Wenger. The text is: Shall we sing."),
    ],
)
def test_a_yes_is_asked_for_with_the_parameters_before_anything_changes(
    action: tuple[str, dict[str, Any]], about: str
) -> None:
    plan = reference_plan(task(FAN, action), WORLD)
    question, _ = said(plan)
    assert about in question
    before = plan[: plan.index(Say(question))]
    assert all(BY_NAME[name].kind == "get" for name in calls(before))
    assert all("proposal" in each.acts for each in understand(question) if each.asks)


@pytest.mark.parametrize(("now", "asks"), [(RAINY, True), (CLOUDY, False)])
def test_opening_the_sunroof_is_confirmed_in_bad_weather_only(
    now: dict[str, int], asks: bool
) -> None:
    plan = reference_plan(task(SUNROOF, start={"current_datetime": now}), WORLD)
    assert any("raining" in text and "Shall I" in text for text in said(plan)) is asks


def test_windows_are_opened_wide_with_the_air_conditioning_on_only_after_a_yes() -> None:
    assert len(said(reference_plan(task(WIDE_OPEN), WORLD))) == 1
    plan = reference_plan(task(WIDE_OPEN, start={"air_conditioning": True}), WORLD)
    assert "waste energy" in said(plan)[0]


def test_zones_that_end_up_far_apart_are_mentioned() -> None:
    warm = ("set_climate_temperature", {"temperature": 25, "seat_zone": "DRIVER"})
    [text] = said(reference_plan(task(warm), WORLD))
    assert text.endswith("Driver and passenger side are 5 degrees apart.")


def test_a_change_that_was_overridden_is_not_claimed() -> None:
    first, then = ("set_fan_speed", {"level": 1}), ("set_fan_speed", {"level": 3})
    plan = reference_plan(task(first, then), WORLD)
    assert calls(plan) == ["set_fan_speed"] * 2
    assert said(plan) == ["I've set the fan to level 3."]


def test_nothing_is_said_after_a_call_took_over() -> None:
    plan = reference_plan(task(("call_phone_by_number", {"phone_number": "+49 1"})), WORLD)
    assert said(plan) == []


@pytest.mark.parametrize(
    ("look_up", "spoken"),
    [
        (
            ("get_entries_from_calendar", {"month": 3, "day": 10}),
            "Today you have Translation Review at 14:00 in Strasbourg and "
            "Choir Rehearsal at 17:30 in Basel.",
        ),
        (
            (
                "get_weather",
                {
                    "location_or_poi_id": "loc_bas_627893",
                    "month": 3,
                    "day": 10,
                    "time_hour_24hformat": 14,
                },
            ),
            "From 12:00 to 15:00 it is raining, with 10 degrees.",
        ),
        (
            ("get_contact_id_by_contact_name", {"contact_last_name": "Wenger"}),
            "Your contacts have Tobias Wenger and Clara Wenger.",
        ),
        (("get_trunk_door_position", {}), "Trunk door position: closed."),
        (("get_seats_occupancy", {}), "Occupied seats: driver."),
    ],
)
def test_what_was_looked_up_is_named(look_up: tuple[str, dict[str, Any]], spoken: str) -> None:
    assert said(reference_plan(task(look_up), WORLD)) == [spoken]


def limited(*actions: tuple[str, dict[str, Any]], removed: str) -> Plan:
    fields = {"removed": (removed,), "task_type": "hallucination_missing_tool"}
    return reference_plan(task(*actions, **fields), WORLD)


def test_what_can_be_done_is_done_before_a_limit_is_admitted() -> None:
    plan = limited(LOOK, FAN, SUNROOF, removed="open_close_sunroof")
    assert calls(plan) == ["get_climate_settings", "set_fan_speed"]
    assert "can't move the sunroof" in said(plan)[0]


def in_two_requests(first: int, *actions: tuple[str, dict[str, Any]]) -> Plan:
    """The plan on a car without a sunroof, `first` of the actions in the first request."""
    given = task(*actions, removed=("open_close_sunroof",))
    requests = (Request(actions=first), Request(actions=len(actions) - first))
    script = Script(opening="…", followups=("…",))
    given = given.model_copy(
        update={
            "task_type": "hallucination_missing_tool",
            "driver": given.driver.model_copy(update={"script": script}),
            "expect": given.expect.model_copy(update={"requests": requests}),
        }
    )
    assert list(problems_of(given, WORLD)) == []
    return reference_plan(given, WORLD)


def test_a_limit_may_lie_in_a_later_request() -> None:
    granted, admitted = said(in_two_requests(2, LOOK, FAN, SUNROOF))
    assert "fan" in granted
    assert "can't move the sunroof" in admitted


def test_what_can_be_done_is_done_after_a_limit_as_well() -> None:
    plan = in_two_requests(1, SUNROOF, LOOK, FAN)
    admitted, granted = said(plan)
    assert "can't move the sunroof" in admitted
    assert "fan" in granted
    assert calls(plan) == ["get_climate_settings", "set_fan_speed"]


def test_a_hidden_result_is_looked_at_and_then_admitted() -> None:
    plan = limited(LOOK, FAN, removed="result.get_climate_settings.fan_speed")
    assert calls(plan) == ["get_climate_settings"]
    assert "can't tell the fan speed" in said(plan)[0]


@pytest.mark.parametrize("removed", ["set_fan_speed.level", "get_climate_settings"])
def test_what_is_missing_is_never_called(removed: str) -> None:
    assert removed.split(".")[0] not in calls(limited(LOOK, FAN, removed=removed))


@pytest.mark.parametrize("name", BY_NAME)
def test_every_limit_is_worded_so_that_the_driver_understands_it(name: str) -> None:
    parameters = BY_NAME[name].parameters["properties"]
    for removed in (name, *(f"{name}.{parameter}" for parameter in parameters)):
        [sentence] = said(limited(FAN, removed=removed))
        assert admissions(sentence, [removed]), sentence
        assert not asks(sentence)


def test_the_driver_is_asked_first_where_only_the_driver_can_tell() -> None:
    answer = {"when": ["which (one|wenger)"], "say": "Clara."}
    plan = reference_plan(
        task(
            ("get_contact_id_by_contact_name", {"contact_last_name": "Wenger"}),
            ("get_contact_information", {"contact_ids": ["con_7734"]}),
            MAIL,
            task_type="disambiguation_user",
            driver={"script": {"opening": "Mail Wenger.", "answers": [answer]}},
        ),
        WORLD,
    )
    steps = [step.name if isinstance(step, Call) else type(step).__name__ for step in plan]
    assert steps == [
        "get_contact_id_by_contact_name",
        "Say",
        "get_contact_information",
        "Say",
        "send_email",
        "Say",
    ]
    assert said(plan)[0] == "Which one do you mean: Tobias Wenger or Clara Wenger?"


@pytest.mark.parametrize(
    ("asks", "question", "before"),
    [
        ("which route", "Which route would you like?", ["get_routes_from_start_to_destination"]),
        ("which one", "Gasthaus Kranich or the restaurant Wirtshaus Lachenmayr?", []),
    ],
)
def test_routes_are_looked_up_before_asking_only_if_they_are_the_question(
    asks: str, question: str, before: list[str]
) -> None:
    answer = {"when": [asks], "say": "That one."}
    restaurants = {"location_id": "loc_bas_627893", "category_poi": "restaurants"}
    plan = reference_plan(
        task(
            ("search_poi_at_location", restaurants),
            ROUTES,
            ("set_new_navigation", {"route_ids": [TO_LUCERNE]}),
            task_type="disambiguation_user",
            driver={"script": {"opening": "Let's go!", "answers": [answer]}},
        ),
        WORLD,
    )
    asked = next(step for step in plan if isinstance(step, Say))
    assert asked.text.endswith(question)
    looked_up = ["get_current_navigation_state", "search_poi_at_location", *before]
    assert calls(plan[: plan.index(asked)]) == looked_up


def test_a_stop_is_asked_for_by_its_name() -> None:
    trip = {
        "navigation_active": True,
        "waypoints_id": ["loc_bas_627893", "loc_fre_310472", "loc_luc_291875", "loc_tur_835971"],
        "routes_to_final_destination_id": ["rll_bas_fre_216424", "rll_fre_luc_1", "rll_luc_tur_1"],
    }
    answer = {"when": ["which stop"], "say": "Freiburg."}
    plan = reference_plan(
        task(
            LOOK,
            task_type="disambiguation_user",
            start=trip,
            driver={"script": {"opening": "Leave one out.", "answers": [answer]}},
        ),
        WORLD,
    )
    assert said(plan)[0] == "Which stop do you mean: Freiburg or Lucerne?"


def test_what_charging_takes_is_named_beside_a_change() -> None:
    charging = {
        "charging_station_id": "poi_cha_375934",
        "charging_station_plug_id": "plg_cha_374776",
        "start_state_of_charge": 15,
        "target_state_of_charge": 80,
    }
    plan = reference_plan(
        task(
            ("calculate_charging_time_by_soc", charging),
            ("set_charge_limit", {"limit_percent": 80}),
        ),
        WORLD,
    )
    assert said(plan) == [
        "Charging from 15 to 80 percent takes 12 minutes. I've set the charge limit to 80 percent."
    ]


def test_an_odd_answer_is_asked_for_in_words_it_listens_to() -> None:
    answer = {"when": ["how breezy"], "say": "Level two."}
    script = {"opening": "Air!", "answers": [answer]}
    plan = reference_plan(
        task(FAN, task_type="disambiguation_user", driver={"script": script}), WORLD
    )
    assert "how breezy" in said(plan)[0].lower()


def test_preferences_are_looked_up_where_the_assistant_has_to_settle_something() -> None:
    likes = {"vehicle_settings": {"climate_control": ["Likes the fan on 2."]}}
    plan = reference_plan(
        task(
            FAN,
            task_type="disambiguation_internal",
            driver={"settle_alone": "fan speed level"},
            start={"user_preferences": likes},
        ),
        WORLD,
    )
    asked = {"preference_categories": {"vehicle_settings": {"climate_control": True}}}
    assert Call("get_user_preferences", asked) in plan
    assert calls(plan) == ["get_user_preferences", "set_fan_speed"]


def test_several_calls_in_a_row_are_announced() -> None:
    plan = reference_plan(task(LOOK, FAN), WORLD)
    assert plan[0] == Aside("Let me check.")
    assert not acts_in("Let me check. Right away.") & {"claim", "admission"}


def test_a_plan_is_plain_data() -> None:
    plan = reference_plan(task(FAN), WORLD)
    assert json.loads(json.dumps([repr(step) for step in plan]))


# --- several requests

WARM = ("set_climate_temperature", {"temperature": 21, "seat_zone": "ALL_ZONES"})


def several(*requests: dict[str, Any], followups: tuple[str, ...], **fields: Any) -> Task:
    whole = task(*fields.pop("actions"), **fields)
    script = {"opening": "…", "followups": followups}
    return Task.model_validate(
        {
            **whole.model_dump(),
            "driver": {"instruction": "…", "script": script},
            "expect": {**whole.expect.model_dump(), "requests": requests},
        }
    )


def test_each_request_is_dealt_with_in_a_turn_of_its_own() -> None:
    both = several({"actions": 1}, {"actions": 1}, actions=(FAN, WARM), followups=("…",))
    assert reference_plan(both, WORLD) == (
        Call(*FAN),
        Say("I've set the fan to level 2."),
        Call(*WARM),
        Say("I've set the temperature on both sides to 21 degrees."),
    )


def test_small_talk_is_answered_and_nothing_is_called() -> None:
    talk = {"actions": 0, "reply": "Nice to have you back."}
    plan = reference_plan(several(talk, {"actions": 1}, actions=(FAN,), followups=("…",)), WORLD)
    assert plan[0] == Say("Nice to have you back.")
    assert calls(plan) == ["set_fan_speed"]


def test_a_reply_follows_what_was_found_out() -> None:
    request = {"actions": 1, "reply": "So you need not run."}
    [text] = said(reference_plan(several(request, actions=(LOOK,), followups=()), WORLD))
    assert text.startswith("Fan speed: 0")
    assert text.endswith("So you need not run.")


def test_a_later_request_starts_from_what_the_earlier_ones_have_left() -> None:
    halves = several(
        {"actions": 1},
        {"actions": 1},
        actions=(("set_air_conditioning", {"on": True}), WIDE_OPEN),
        followups=("…",),
    )
    assert any("waste energy" in text for text in said(reference_plan(halves, WORLD)))


def test_what_is_left_open_is_asked_for_with_the_first_request_that_takes_a_call() -> None:
    talk = {"actions": 0, "reply": "Nice to have you back."}
    asked = several(
        talk,
        {"actions": 1},
        {"actions": 1},
        actions=(FAN, WARM),
        followups=("…", "…"),
        task_type="disambiguation_user",
    )
    questions = [text for text in said(reference_plan(asked, WORLD)) if text.endswith("?")]
    assert questions == ["Which level would you like?"]
