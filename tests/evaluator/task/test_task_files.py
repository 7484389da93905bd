import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.task.files import BadTasks, own_tasks, parse_task, read_task, read_tasks
from evaluator.task.marked_yaml import BadYaml, read
from evaluator.task.worlds import own_world

WORLD = own_world()
GOOD = """\
task_id: base_fog
task_type: base
title: Fog lights
car:
  start:
    current_location: Utrecht
    current_datetime: 2025-09-03 08:10
driver:
  instruction: You want the fog lights.
  script:
    opening: Fog lights, please.
    answers:
      - when: ['high ?beam']
        say: No, thank you.
expect:
  actions:
    - get_exterior_lights_status
    - set_fog_lights: {on: true}
  turn_classes: [B]
"""


def problems(tmp_path: Path, text: str, name: str = "base_fog") -> list[str]:
    """What is wrong with a file, without the path of the folder."""
    file = tmp_path / f"{name}.yaml"
    file.write_text(text, encoding="utf-8")
    return [line.removeprefix(f"{tmp_path}/") for line in read_task(file, WORLD)[1]]


def test_a_file_is_read_into_a_task(tmp_path: Path) -> None:
    (tmp_path / "base_fog.yaml").write_text(GOOD)
    [task] = own_tasks(tmp_path, WORLD)
    assert task.car.start["current_location"]["id"] == "loc_utr_268941"
    assert task.car.start["current_datetime"] == {
        "year": 2025, "month": 9, "day": 3, "hour": 8, "minute": 10,
    }  # fmt: skip
    assert [action.name for action in task.expect.actions] == [
        "get_exterior_lights_status",
        "set_fog_lights",
    ]
    assert task.expect.actions[1].arguments == {"on": True}


@pytest.mark.parametrize("nested", ["[", "- ", "{a: ", "? "])
@pytest.mark.parametrize("number", [3000, 300_000])
def test_what_is_nested_too_deeply_crashes_nothing(nested: str, number: int) -> None:
    with pytest.raises(BadYaml, match="nested too deeply"):
        read(nested * number)


def test_the_driver_knows_what_the_car_lacks(tmp_path: Path) -> None:
    text = GOOD.replace("type: base", "type: hallucination_missing_tool").replace(
        "car:\n", "car:\n  removed: [set_fog_lights]\n"
    )
    (tmp_path / "base_fog.yaml").write_text(text)
    [task] = own_tasks(tmp_path, WORLD)
    assert task.driver.removed == task.car.removed == ("set_fog_lights",)


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        ("title: Fog", "titel: Fog",
         "base_fog.yaml:3: titel: no such field here; did you mean title?"),
        ("task_type: base", "task_type: bas", "base_fog.yaml:2: task_type: expected base, "),
        ("current_location: Utrecht", "current_location: Utrect",
         "base_fog.yaml:6: car.start.current_location: expected a place of the world; "
         "did you mean Utrecht?"),
        ("2025-09-03 08:10", "3 September",
         "base_fog.yaml:7: car.start.current_datetime: expected a time such as 2025-03-10 07:45"),
        ("    current_datetime", "    fan_sped: 2\n    current_datetime",
         "base_fog.yaml:7: car.start.fan_sped: no car has this; did you mean fan_speed?"),
        ("    current_datetime", "    fan_speed: 7\n    current_datetime",
         "base_fog.yaml:7: car.start.fan_speed: expected less than or equal to 5"),
        ("opening: Fog lights, please.", "say: Fog lights.",
         "base_fog.yaml:10: driver.script.opening: expected this field, it is missing"),
        ("opening: Fog lights, please.", "opening: [Fog., Fog.]",
         "base_fog.yaml:11: driver.script.opening: expected a text, or several different ones in"),
        ("opening: Fog lights, please.", "opening: [Fog., {now: Fog.}]",
         "base_fog.yaml:11: driver.script.opening: expected a valid string"),
        ("['high ?beam']", "['high (beam']",
         "base_fog.yaml:13: driver.script.answers.0.when.0: expected a regular expression, but "),
        ("['high ?beam']", "high beam",
         "base_fog.yaml:13: driver.script.answers.0.when: expected a valid list"),
        ("set_fog_lights", "set_foglights",
         "base_fog.yaml:18: expect.actions.1: expected a tool of the car, not set_foglights; "
         "did you mean set_fog_lights?"),
        ("{on: true}", "{on: yes please}",
         "base_fog.yaml:18: expect.actions.1.set_fog_lights.on: wrong argument: on must be"),
        ("{on: true}", "{}",
         "base_fog.yaml:18: expect.actions.1.set_fog_lights.on: wrong argument: on is missing"),
        ("[B]", "[B, X]",
         "base_fog.yaml:19: expect.turn_classes.1: expected A, B, C, D, E, F, G or H"),
        ("car:\n", "car:\n  calendar_id: cal_0000\n",
         "base_fog.yaml:5: car.calendar_id: expected a calendar of the world, not cal_0000"),
        ("car:\n", "car:\n  removed: [set_fog_lights]\n",
         "base_fog.yaml:5: car.removed: required for task types hallucination_"),
        ("car:\n", "car:\n  compat: car-bench\n",
         "base_fog.yaml:5: car.compat: expected nothing here, this is filled in"),
        ("driver:\n", "driver:\n  settle_alone: which light\n",
         "base_fog.yaml:9: driver.settle_alone: required for task_type"),
        ("[B]", "[B]\n  settled_by: 2",
         "base_fog.yaml:20: expect.settled_by: allowed only for disambiguation tasks"),
        ("task_id: base_fog", "task_id: base_mist",
         "base_fog.yaml:1: task_id: expected the name of the file, base_fog"),
        ("title: Fog lights", "title: Fog lights\ntitle: Again",
         "base_fog.yaml:4: expected title only once"),
        ("title: Fog lights", "title: [Fog", "base_fog.yaml:4: expected YAML, but "),
        ("title: Fog lights", "title: &fog Fog\ncopy: *fog",
         "base_fog.yaml:4: expected everything "),
        ("title: Fog lights", "5: Fog", "base_fog.yaml:3: expected a name before the colon"),
        ("title: Fog lights", "title: !!int fog", "base_fog.yaml:1: expected plain values"),
        ("title: Fog lights", "title: " + "[" * 5000, "base_fog.yaml:1: expected a task, this is"),
        (GOOD, "", "base_fog.yaml:1: expected a task, the file is empty"),
        (GOOD, "- a list", "base_fog.yaml:1: expected fields such as"),
        (GOOD, "title: \x07", "base_fog.yaml:1: expected plain text without control characters"),
        ("  actions:\n    - get_exterior_lights_status\n", "  actions:\n    - 5\n",
         "base_fog.yaml:17: expect.actions.0: expected a valid mapping"),
    ],
)  # fmt: skip
def test_a_bad_file_says_where_and_what_was_expected(
    tmp_path: Path, right: str, wrong: str, expected: str
) -> None:
    assert right in GOOD
    found = problems(tmp_path, GOOD.replace(right, wrong, 1))
    assert any(line.startswith(expected) for line in found), found
    assert all("\n" not in line for line in found)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("get_contact_information: {contact_ids: [con_0001]}", "expected contacts of the world"),
        ("call_phone_by_number: {phone_number: '110'}", "expected the number of a contact"),
        ("send_email: {email_addresses: [a@b.c], content_message: Hi}", "expected addresses of"),
        (
            "get_weather: {location_or_poi_id: loc_x_1, month: 9, day: 3, time_hour_24hformat: 8}",
            "expected the id of a place of the world",
        ),
        (
            "get_weather: {location_or_poi_id: loc_utr_268941, month: 9, day: 4, "
            "time_hour_24hformat: 8}",
            "expected a call that works, but get_weather says",
        ),
    ],
)
def test_expected_calls_must_fit_the_world(tmp_path: Path, call: str, expected: str) -> None:
    [line] = problems(tmp_path, GOOD.replace("get_exterior_lights_status", call))
    assert expected in line
    assert line.startswith("base_fog.yaml:17: expect.actions.0")


@pytest.mark.parametrize(
    ("requests", "expected"),
    [
        ("[{actions: 2}]", ["expected 2: one for the opening and for each followup"]),
        ("[{actions: 1}, {actions: 2}]", ["expected all 2 actions, but these are 3"]),
        ("[{actions: 2}, {actions: 0}]", ["1: expected a reply where there are no actions"]),
        ("[{actions: 2}, {actions: -1}]", ["1.actions: expected greater than or equal to 0"]),
        ("[{actions: 2}, {actions: 0, reply: Bye.}]", []),
    ],
)
def test_requests_share_out_the_actions(tmp_path: Path, requests: str, expected: list[str]) -> None:
    text = GOOD.replace("    answers:", "    followups: [Thanks.]\n    answers:").replace(
        "  turn_classes", f"  requests: {requests}\n  turn_classes"
    )
    messages = [
        line.partition("expect.requests")[2].lstrip(".: ") for line in problems(tmp_path, text)
    ]
    assert [line for line in messages if line] == expected


@pytest.mark.parametrize(
    ("removed", "kind", "expected"),
    [
        ("set_fog_light", "tool", "expected a tool of the car, not set_fog_light; did you mean"),
        ("set_fog_lights.in", "tool_parameter", "expected a parameter of set_fog_lights, not in"),
        (
            "result.get_exterior_lights_status.fog_light",
            "tool_response",
            "did you mean fog_lights?",
        ),
        ("set_fog_lights", "tool_response", "expected the kind of what is removed"),
    ],
)
def test_what_is_removed_must_be_there(
    tmp_path: Path, removed: str, kind: str, expected: str
) -> None:
    text = GOOD.replace("car:\n", f"car:\n  removed: [{removed}]\n")
    text = text.replace("task_type: base", f"task_type: hallucination_missing_{kind}")
    assert any(expected in line for line in problems(tmp_path, text))


def test_all_problems_of_all_files_are_reported(tmp_path: Path) -> None:
    (tmp_path / "base_fog.yaml").write_text(GOOD.replace("title", "titel"))
    (tmp_path / "base_good.yaml").write_text(GOOD.replace("base_fog", "base_good"))
    (tmp_path / "base_worse.yaml").write_text("{")
    tasks, found = read_tasks(tmp_path, WORLD)
    assert [task.task_id for task in tasks] == ["base_good"]
    assert len(found) == 3
    with pytest.raises(BadTasks, match=r"base_worse\.yaml:1: expected YAML") as raised:
        own_tasks(tmp_path, WORLD)
    assert raised.value.problems == found


def test_problems_survive_the_way_from_a_worker_process() -> None:
    handed_on = pickle.loads(pickle.dumps(BadTasks(("one.yaml: wrong", "two.yaml: too"))))
    assert str(handed_on) == "one.yaml: wrong\ntwo.yaml: too"


def test_a_folder_without_task_files_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(BadTasks, match=r"expected task files \(\*\.yaml\)"):
        own_tasks(tmp_path / "nowhere", WORLD)


def test_words_of_yaml_1_1_stay_words() -> None:
    assert read("{on: true, off: no, day: 2025-03-10}").value == {
        "on": True,
        "off": "no",
        "day": "2025-03-10",
    }


@given(st.text())
def test_any_text_is_either_read_or_refused_in_one_line(text: str) -> None:
    file = Path("tasks/any.yaml")
    task, found = parse_task(text, file, WORLD)
    assert task is None
    assert all(line.startswith(f"{file}:") and "\n" not in line for line in found)


@given(st.data())
def test_a_damaged_file_never_breaks_the_reader(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(GOOD)))
    end = data.draw(st.integers(start, len(GOOD)))
    put = data.draw(st.sampled_from(["", "{}", "[1]", ": ", "~", "9" * 30, "- a", "true"]))
    file = Path("tasks/base_fog.yaml")
    _, found = parse_task(GOOD[:start] + put + GOOD[end:], file, WORLD)
    assert all(line.startswith(f"{file}:") and "\n" not in line for line in found)
