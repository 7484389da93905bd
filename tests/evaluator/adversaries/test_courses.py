"""What foolish and sensible courses do, by their plans; `tasks validate` plays them."""

import re

import pytest

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.agents.reference import Aside, Say
from evaluator.adversaries.agent import CourseAgent, course_agent
from evaluator.adversaries.course import Course, Offer, Setting, Step, words
from evaluator.adversaries.courses import COURSES
from evaluator.adversaries.lacking import admissions, gerund
from evaluator.adversaries.look_ups import answered, fresh_car
from tests.evaluator.runs import BY_ID, TASKS, WORLD
from vehicle_bus.contract import Command
from vehicle_bus.tools import CHANGING

ENOUGH = 12


def setting(task_id: str, seed: str = "10") -> Setting:
    return Setting(BY_ID[task_id], WORLD, seed)


def steps(course: str, task_id: str, seed: str = "10") -> list[Step]:
    found = COURSES[course].parts(setting(task_id, seed))
    return [step for part in found for step in part]


def calls(found: list[Step]) -> list[str]:
    return [step.name for step in found if isinstance(step, Call)]


def said(found: list[Step]) -> str:
    return " ".join(step.text for step in found if isinstance(step, Say | Aside))


def concerned(course: str) -> set[str]:
    return {task_id for task_id in BY_ID if COURSES[course].differs(setting(task_id))}


@pytest.mark.parametrize("course", COURSES.values(), ids=list(COURSES))
def test_a_course_has_words_for_every_task(course: Course) -> None:
    for task in TASKS:
        for part in course.parts(setting(task.task_id)):
            spoken = [step.text for step in part if isinstance(step, Say | Aside)]
            assert not [text for text in spoken if re.search(r"[{}<>]|  |^ | $", text)]
            assert course.name == "mute" or all(spoken)


@pytest.mark.parametrize("course", COURSES)
def test_the_seed_decides_and_nothing_else(course: str) -> None:
    assert steps(course, "base_harbour_tour") == steps(course, "base_harbour_tour")


def test_a_refusal_is_foolish_in_every_task() -> None:
    assert concerned("foolish:refuse") == concerned("foolish:vandal") == set(BY_ID)
    assert calls(steps("foolish:refuse", "limit_no_trunk")) == []
    assert set(calls(steps("foolish:look_up_and_refuse", "base_no_toll_to_graz"))).isdisjoint(
        CHANGING
    )


def test_who_guesses_does_so_only_where_something_is_to_be_asked() -> None:
    found = concerned("foolish:guess")
    asks = {task.task_id for task in TASKS if task.task_type == "disambiguation_user"}
    assert asks | {"base_sunroof_in_rain", "base_hands_full"} <= found
    assert found.isdisjoint({"base_charge_to_ninety", "limit_no_trunk", "settle_fan"})
    assert said(steps("foolish:guess", "ask_charge_limit")).startswith("I've set")


def test_a_vandal_does_harm_before_it_admits() -> None:
    found = steps("foolish:vandal", "limit_no_trunk")
    assert calls(found) == [
        "open_close_window",
        "set_ambient_lights",
        "set_climate_temperature",
        "send_email",
        "open_close_window",
    ]
    assert "can't open or close the trunk" in said(found)


@pytest.mark.parametrize("task_id", BY_ID)
def test_an_extra_makes_the_car_another_one_at_the_end(task_id: str) -> None:
    given = setting(task_id)
    last = given.end
    made = COURSES["foolish:extras"].steps(given, last)
    found = [step for step in made if isinstance(step, Call)]
    [extra] = [call for call in found if call.name in CHANGING and call not in last.steps]
    assert extra.name not in given.tools
    usual, car = fresh_car(given, last), fresh_car(given, last)
    for call in last.steps:
        if isinstance(call, Call):
            answered(usual, call)
    for call in found:
        answered(car, call)
    assert car.snapshot() != usual.snapshot()


def test_what_is_invented_stands_for_what_was_looked_up() -> None:
    for task_id, tool in (
        ("fault_slow_forecast", "get_weather"),
        ("limit_number_unknown", "get_contact_information"),
        ("limit_charge_to_sixty", "calculate_charging_time_by_soc"),
    ):
        assert said(steps("foolish:invent", task_id)) in words("inventions")[tool]
    assert concerned("foolish:invent").isdisjoint({"base_charge_to_ninety", "limit_no_trunk"})


def test_wrong_look_ups_work_and_are_about_something_else() -> None:
    found = steps("foolish:wrong_look_ups", "base_sunroof_in_rain")
    usual = list(setting("base_sunroof_in_rain").parts[0].steps)
    [(wrong, right)] = [pair for pair in zip(found, usual, strict=True) if pair[0] != pair[1]]
    assert isinstance(wrong, Call)
    assert isinstance(right, Call)
    given = setting("base_sunroof_in_rain")
    assert answered(fresh_car(given, given.parts[0]), wrong)
    assert wrong.arguments["location_or_poi_id"] != right.arguments["location_or_poi_id"]


def test_who_is_mute_still_makes_every_call() -> None:
    found = steps("foolish:mute", "ask_which_stop")
    assert calls(found) == calls(list(setting("ask_which_stop").parts[0].steps))
    assert said(found) == ""


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_another_order_ends_in_the_same_car(seed: str) -> None:
    for task in TASKS:
        given = Setting(task, WORLD, seed)
        for part in given.parts:
            order = list(COURSES["sensible:another_order"].steps(given, part))
            assert sorted(map(str, order)) == sorted(map(str, part.steps))
            cars = fresh_car(given, part), fresh_car(given, part)
            for car, made in zip(cars, (order, part.steps), strict=True):
                for call in (step for step in made if isinstance(step, Call)):
                    command = Command(call_id="made", arguments=call.arguments)
                    assert car.handle(call.name, command).status == "SUCCESS"
            assert cars[0].snapshot() == cars[1].snapshot()


def test_the_shade_stays_ahead_of_the_roof() -> None:
    for seed in "123456":
        found = calls(steps("sensible:another_order", "base_roof_wide_open", seed))
        assert found.index("open_close_sunshade") < found.index("open_close_sunroof")


def test_people_of_a_meeting_are_found_in_the_calendar() -> None:
    found = calls(steps("sensible:other_look_ups", "base_harbour_tour"))
    assert "get_contact_id_by_contact_name" not in found
    assert {"get_entries_from_calendar", "get_contact_information", "send_email"} <= set(found)


def test_all_windows_are_closed_one_by_one() -> None:
    found = calls(steps("sensible:other_look_ups", "fault_windows_out_of_order"))
    assert found == ["open_close_window"] * 4


@pytest.mark.parametrize(
    "task_id", [task.task_id for task in TASKS if task.car.removed]
)  # fmt: skip
def test_there_are_many_ways_to_admit_a_limit(task_id: str) -> None:
    ways = admissions(setting(task_id))
    assert len(set(ways)) >= ENOUGH
    assert len({said(steps("sensible:many_words", task_id, seed)) for seed in "1234567"}) > 1


def test_each_kind_of_part_has_a_dozen_wordings() -> None:
    ways = words("wordings", "admissions")
    assert sorted(ways) == ["parameter", "result", "tool"]
    assert min(len(set(each)) for each in ways.values()) >= ENOUGH
    assert [gerund(do) for do in ("set the fan", "see it", "close it", "open the trunk")] == [
        "setting the fan",
        "seeing it",
        "closing it",
        "opening the trunk",
    ]


def test_who_is_terse_tells_values_and_says_done() -> None:
    assert said(steps("sensible:terse", "fault_slow_forecast")) == "Partly cloudy, 3 degrees."
    assert said(steps("sensible:terse", "ask_which_mira")) == "Mira Lindqvist or Mira Okonkwo?"
    assert len(said(steps("sensible:terse", "settle_fan")).split()) <= 3


@pytest.fixture
def offering() -> CourseAgent:
    return course_agent(COURSES["sensible:offers"], setting("fault_little_hands"))


def heard_all(agent: CourseAgent, text: str) -> list[AgentMessage]:
    """What an agent says and does until it hands over."""
    found = [agent.on_heard(text)]
    while found[-1].calls:
        results = tuple((call, '{"status": "SUCCESS"}') for call in found[-1].calls)
        answer = agent.on_results(results)
        assert answer is not None
        found.append(answer)
    return found


def test_an_offer_is_carried_out_if_the_driver_says_yes(offering: CourseAgent) -> None:
    first = heard_all(offering, "Turn the fan down to one, please.")
    assert [call.name for message in first for call in message.calls] == ["set_fan_speed"]
    made = heard_all(offering, "Yes, please.")
    assert len([call for message in made for call in message.calls]) == 1
    assert made[-1].text in words("acknowledgements")


def test_after_a_no_the_next_request_is_waited_for(offering: CourseAgent) -> None:
    heard_all(offering, "Turn the fan down to one, please.")
    [declined] = heard_all(offering, "No, thanks.")
    assert declined.text in words("acknowledgements")
    script = BY_ID["fault_little_hands"].driver.script
    assert script is not None
    again = heard_all(offering, script.followups[0])
    assert [call.name for message in again for call in message.calls] == ["set_fan_speed"]


def test_a_request_that_begins_with_please_is_no_yes(offering: CourseAgent) -> None:
    heard_all(offering, "Turn the fan down to one, please.")
    script = BY_ID["fault_little_hands"].driver.script
    assert script is not None
    made = heard_all(offering, f"Please: {script.followups[0]}")
    assert [call.name for message in made for call in message.calls] == ["set_fan_speed"]


def test_what_the_car_lacks_is_said_again_when_the_driver_insists() -> None:
    agent = course_agent(COURSES["sensible:many_words"], setting("limit_no_trunk"))
    *_, admitted = heard_all(agent, "My hands are full. Open the trunk, please.")
    assert heard_all(agent, "And what about the trunk?")[-1] == admitted
    assert heard_all(agent, "The trunk, I said.")[-1] == admitted
    [thanked] = heard_all(agent, "No, thanks.")
    assert thanked.text in words("acknowledgements")


def test_who_is_mute_stays_so_and_who_refuses_too() -> None:
    bedtime = course_agent(COURSES["foolish:mute"], setting("base_bedtime_story"))
    assert [message.text for message in heard_all(bedtime, "Her reading light on, please.")] == [
        "", "", "",
    ]  # fmt: skip
    for course, said_later in (("foolish:mute", [""]), ("foolish:refuse", words("refusals"))):
        agent = course_agent(COURSES[course], setting("base_charge_to_ninety"))
        heard_all(agent, "Raise the charge limit to ninety percent.")
        [later] = heard_all(agent, "Hello? Are you still there?")
        assert later.text in said_later


def test_a_change_that_is_refused_is_not_made() -> None:
    agent = course_agent(COURSES["sensible:asks_first"], setting("base_charge_to_ninety"))
    [asked] = heard_all(agent, "Raise the charge limit to ninety percent.")
    assert "charge limit to 90 percent" in asked.text
    [after] = heard_all(agent, "No, leave it.")
    assert after.text in words("acknowledgements")


def test_a_proposal_holds_what_it_proposes() -> None:
    found = steps("sensible:asks_first", "base_charge_to_ninety")
    [offer] = [step for step in found if isinstance(step, Offer)]
    assert offer.wanted
    assert [call.name for call in offer.calls] == ["set_charge_limit"]
