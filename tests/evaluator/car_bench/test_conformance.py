import json
import os
from pathlib import Path
from typing import Any

import pytest

from evaluator.car_bench.conformance import NotConforming, conform
from evaluator.problems import UsageProblem
from tests.evaluator.recorded_runs import (
    ERROR_ROW,
    KEPT,
    answered,
    asked,
    entry,
    heard,
    spoken,
    success,
    write_lines,
    write_list,
)
from tests.evaluator.task.test_public_tasks import lay_out, row
from tests.vehicle_bus.cars import car, result
from vehicle_bus import vehicle
from vehicle_bus.data_folder import shipped

WORLD = shipped("data", beside=vehicle.__file__) / "world"
SHARED = os.environ.get("CODRIVER_CAR_BENCH")
BAD_LEVEL = {"status": "FAILURE", "errors": {"SET_FAN_SPEED_001": "SetFanSpeed_001: theirs"}}
STEPS = [{"step_description": "one", "step_dependent_on": []}]
NEW_PLAN = ("planning_tool", {"command": "create", "plan_id": "p", "title": "t", "steps": STEPS})
HAVE_PLAN = {"status": "FAILURE", "errors": {"PLANNING_TOOL_ERROR": "there is a plan p"}}
LIMITED = {"r_actions_final": None, "r_tool_subset": None, "r_tool_execution": 1.0}
KNOWN_ADDRESS = "mira.lindqvist4102@postbox.example"
Figures = dict[str, Any]
needs_shared = pytest.mark.skipif(
    SHARED is None, reason="CODRIVER_CAR_BENCH does not name the public benchmark's files"
)


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    limit = {"task_type": "hallucination_missing_tool", "calendar_id": "cal_5201"}
    return lay_out(
        tmp_path,
        row(calendar_id="cal_5201"),
        row(task_id="hallucination_0", removed_part=["set_fan_speed"], **limit),
        row(task_id="hallucination_1", removed_part=["set_fan_speed.level"], **limit),
        row(task_id="hallucination_2", removed_part=["result.get_car_color.car_color"], **limit),
        splits={},
    )


def compared(
    tasks: Path,
    capsys: pytest.CaptureFixture[str],
    *entries: Any,
    conforms: bool = True,
    profile: str = "codriver",
) -> Figures:
    """Replay entries and return what `--json` prints; the exit code has to fit `conforms`."""
    recordings = write_lines(tasks / "runs.jsonl", *entries)
    options = (tasks, WORLD, "embedded", 4)
    if conforms:
        conform([recordings], *options, profile=profile, as_json=True)
    else:
        with pytest.raises(NotConforming) as problem:
            conform([recordings], *options, profile=profile, as_json=True)
        assert problem.value.exit_code == 1
    figures: Figures = json.loads(capsys.readouterr().out)
    assert figures["conforms"] is conforms
    return figures


def set_fan(level: Any, answer: Any) -> tuple[dict[str, Any], ...]:
    return asked(("set_fan_speed", {"level": level})), answered(answer, "call_0")


def one_call(name: str, arguments: Any, answer: Any, **fields: Any) -> dict[str, Any]:
    """A limit-awareness run: of its rewards only tool execution is recorded."""
    call = asked((name, arguments)), answered(answer)
    fields = {"task_id": "hallucination_2", "rewards": LIMITED} | fields
    return entry(heard("go"), *call, spoken(), heard(), **fields)


def test_a_run_that_is_ours_conforms(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = compared(
        tasks,
        capsys,
        entry(
            heard("fan to level 3"),
            asked(("get_climate_settings", {}), ("set_fan_speed", {"level": 3.0})),
            answered(
                success(
                    fan_speed=0,
                    fan_airflow_direction="FEET",
                    air_conditioning=False,
                    air_circulation="AUTO",
                    window_front_defrost=False,
                    window_rear_defrost=False,
                )
            ),
            answered(success(level=3)),
            spoken(),
            heard(),
        ),
        ERROR_ROW,
    )
    assert {name: value for name, value in figures.items() if name != "wall_s"} == {
        "episodes": 1,
        "calls": 2,
        "equal": 2,
        "equal_after_declared": 2,
        "declared_differences": {},
        "unexplained": [],
        "rewards": {name: {"equal": 1, "total": 1} for name in KEPT},
        "policies": {},
        "taken_from_recording": [],
        "unexplained_rewards": [],
        "error_rows": 1,
        "calls_without_recorded_answer": 0,
        "unscored_episodes": 0,
        "unknown_tasks": [],
        "skipped": [],
        "conforms": True,
        "broker": "embedded",
    }


def test_a_wrong_answer_is_unexplained(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = compared(
        tasks,
        capsys,
        entry(heard("go"), *set_fan(3, success(level=2)), spoken(), heard(), trial=1),
        conforms=False,
    )
    assert (figures["calls"], figures["equal"], figures["equal_after_declared"]) == (1, 0, 0)
    [found] = figures["unexplained"]
    assert found["where"].endswith("runs.jsonl:1")
    assert {name: found[name] for name in ("task_id", "trial", "call", "tool", "arguments")} == {
        "task_id": "base_0",
        "trial": 1,
        "call": 0,
        "tool": "set_fan_speed",
        "arguments": {"level": 3},
    }
    assert json.loads(found["recorded"]) == success(level=2)
    assert json.loads(found["ours"]) == success(level=3)


def test_a_wrong_reward_is_unexplained(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lucky = {"rewards": KEPT | {"r_actions_final": 1.0}}
    run = entry(heard("go"), *set_fan(2, success(level=2)), spoken(), heard(), **lucky)
    figures = compared(tasks, capsys, run, conforms=False)
    assert figures["rewards"]["r_actions_final"] == {"equal": 0, "total": 1}
    assert figures["rewards"]["r_tool_subset"] == {"equal": 1, "total": 1}
    found = {one["component"]: one for one in figures["unexplained_rewards"]}
    assert sorted(found) == ["r_actions_final", "r_actions_intermediate"]
    assert (found["r_actions_final"]["recorded"], found["r_actions_final"]["ours"]) == (1.0, 0.0)
    assert "fan_speed is 2, expected 3" in found["r_actions_final"]["why"]


def test_states_count_where_the_floor_was_handed_over(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Level 2 passes unseen within one turn, but not when the driver is asked in between."""
    detour = (*set_fan(2, success(level=2)), *set_fan(3, success(level=3)))
    seen = KEPT | {"r_actions_intermediate": 0.0}
    compared(
        tasks,
        capsys,
        entry(heard("go"), *detour, spoken(), heard()),
        entry(heard("go"), *detour[:2], spoken(), heard("on"), *detour[2:], spoken(), rewards=seen),
    )


def test_counted_errors_are_worked_out_anew(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = (*set_fan(9, BAD_LEVEL), *set_fan(3, success(level=3)))
    noted = KEPT | {"r_tool_execution": 0.0}
    compared(tasks, capsys, entry(heard("go"), *refused, spoken(), heard(), rewards=noted))


def test_an_exception_there_is_a_bad_argument_here(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = compared(
        tasks,
        capsys,
        one_call("set_fan_speed", {"speed": 3}, "Error: got an unexpected keyword"),
        one_call("get_car_color", {"of": "me"}, "Error: got an unexpected keyword"),
    )
    assert figures["declared_differences"] == {"Q04": 2}
    assert (figures["equal"], figures["equal_after_declared"]) == (0, 2)


def test_an_exception_there_explains_no_success_and_no_counted_error_here(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = compared(
        tasks,
        capsys,
        one_call("set_fan_speed", {"level": 3}, "Error: theirs"),
        one_call("set_fan_speed", {"level": 9}, "Error: theirs"),
        one_call("fly", {}, "Error: theirs"),
        conforms=False,
    )
    assert figures["declared_differences"] == {}
    assert len(figures["unexplained"]) == 3


def test_what_was_done_before_an_exception_is_done_here_too(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mail = {"content_message": None, "email_addresses": [KNOWN_ADDRESS, ["x"]]}
    figures = compared(
        tasks,
        capsys,
        one_call("set_new_navigation", {"route_ids": []}, "Error: list index out of range"),
        one_call("send_email", mail, "Error: unhashable type: 'list'"),
    )
    assert figures["declared_differences"] == {"Q18": 1, "Q57": 1}


def test_a_phone_number_that_is_no_text_may_change_what_follows(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dial = asked(("call_phone_by_number", {"phone_number": ["+49 1"]}))
    other_states = KEPT | {"r_actions_final": 0.0, "r_actions_intermediate": 0.0}
    invalid = answered("Error: 1 validation error for ContextState")
    run = entry(
        *(heard("call"), dial, invalid, *set_fan(3, "Error: 1 validation error"), spoken()),
        rewards=other_states,
    )
    figures = compared(tasks, capsys, run)
    assert figures["declared_differences"] == {"Q58": 2}


def test_plans_of_other_runs_are_not_ours(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = success(plans=[{"plan_id": "x"}], active_plan_id="x", total_plans=1)
    figures = compared(
        tasks,
        capsys,
        one_call(*NEW_PLAN, HAVE_PLAN),
        one_call("planning_tool", {"command": "list"}, listed),
    )
    assert figures["declared_differences"] == {"Q61": 2}


def test_a_plan_of_the_same_run_is_no_excuse(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    delete = ("planning_tool", {"command": "delete", "plan_id": "p"})
    gone = success(plan_deleted=True, plan_id="p", was_active_plan=True)
    calls = asked(NEW_PLAN, delete, NEW_PLAN)
    run = entry(calls, answered("?"), answered(gone), answered(HAVE_PLAN), spoken(), rewards=None)
    figures = compared(tasks, capsys, run, conforms=False)
    assert [found["call"] for found in figures["unexplained"]] == [0, 2]
    assert figures["unscored_episodes"] == 1


def test_durations_of_older_calendars_are_numbers(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = {"month": 2, "day": 14}
    ours = result(car("car-bench"), "get_entries_from_calendar", **arguments)
    meetings = ours["meetings"]
    older = [m | {"duration": int(m["duration"].removesuffix("min"))} for m in meetings]
    drifted = success(**ours | {"meetings": older})
    moved = success(**ours | {"meetings": [m | {"topic": "?"} for m in older]})
    figures = compared(
        tasks,
        capsys,
        one_call("get_entries_from_calendar", arguments, drifted),
        one_call("get_entries_from_calendar", arguments, moved),
        conforms=False,
    )
    assert figures["declared_differences"] == {"D01": 1}
    assert len(figures["unexplained"]) == 1


def test_results_are_compared_as_masked(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = compared(tasks, capsys, one_call("get_car_color", {}, success(car_color="unknown")))
    assert figures["equal"] == 1


def into_the_sun(*policy_errors: str, reward: float, **rewards: Any) -> dict[str, Any]:
    """A run that opens the sunroof without a look at weather or sunshade."""
    noted: dict[str, Any] = dict(KEPT)
    noted |= {"r_actions_final": 0.0, "r_actions_intermediate": 0.0, "r_tool_subset": 0.0}
    noted |= {"r_actions": 0.0, "r_user_end_conversation": 1.0} | rewards
    noted |= {"policy_aut_errors": list(policy_errors), "policy_llm_errors": []}
    opened = asked(("open_close_sunroof", {"percentage": 50}))
    run = entry(
        heard("go"), opened, answered(success(percentage=50)), spoken(), heard(), rewards=noted
    )
    run["info"]["reward_info"]["reward"] = reward
    return run


WITHOUT_WEATHER = "AUT-POL:009: the weather was not checked"
UNDER_THE_SHADE = "AUT-POL:005: the sunshade is closed"


def test_whole_verdicts_are_worked_out_anew(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = into_the_sun(WITHOUT_WEATHER, UNDER_THE_SHADE, reward=0.0, r_policy=0.0)
    figures = compared(tasks, capsys, run, profile="car-bench")
    assert figures["policies"]["005"] == {"equal": 1, "total": 1, "broken": 1}
    assert figures["policies"]["024"] == {"equal": 1, "total": 1, "broken": 0}
    assert len(figures["policies"]) == 12
    assert all(tally == {"equal": 1, "total": 1} for tally in figures["rewards"].values())
    assert {"r_actions", "r_policy", "r_user_end_conversation", "reward"} < set(figures["rewards"])
    assert len(figures["taken_from_recording"]) == 2


def test_a_rule_and_a_reward_that_differ_are_named_with_both_values(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = into_the_sun(UNDER_THE_SHADE, reward=1.0, r_policy=0.0)
    figures = compared(tasks, capsys, run, profile="car-bench", conforms=False)
    assert figures["policies"]["009"] == {"equal": 0, "total": 1, "broken": 0}
    found = {
        one["component"]: (one["recorded"], one["ours"]) for one in figures["unexplained_rewards"]
    }
    assert found == {"policy_009": (1.0, 0.0), "reward": (1.0, 0.0)}


def test_a_rule_we_do_not_know_is_unexplained(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    errors = (WITHOUT_WEATHER, UNDER_THE_SHADE, "AUT-POL:099: never heard of")
    run = into_the_sun(*errors, reward=0.0, r_policy=0.0)
    figures = compared(tasks, capsys, run, profile="car-bench", conforms=False)
    assert [one["component"] for one in figures["unexplained_rewards"]] == ["policy_099"]


def test_verdicts_rest_on_the_answers_of_our_car(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was recorded as an answer does not decide a rule; the call itself differs."""
    asked_for = {
        "location_or_poi_id": "loc_nowhere",
        "month": 1,
        "day": 1,
        "time_hour_24hformat": 9,
    }
    refused = {"status": "FAILURE", "errors": {"X": "AUT-POL:018 theirs"}}
    noted = KEPT | {"r_actions_final": 0.0, "r_tool_subset": 0.0, "r_policy": 1.0}
    run = entry(
        *(heard("go"), asked(("get_weather", asked_for)), answered(refused), spoken(), heard()),
        rewards=noted,
    )
    figures = compared(tasks, capsys, run, profile="car-bench", conforms=False)
    assert figures["policies"]["018"]["equal"] == 1
    found = {one["component"]: one["ours"] for one in figures["unexplained_rewards"]}
    assert found["policy_024"] == 0.0


def test_a_removed_part_is_refused_here_and_may_have_worked_there(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tool, parameter = {"task_id": "hallucination_0"}, {"task_id": "hallucination_1"}
    counted = {"rewards": LIMITED | {"r_tool_execution": 0.0}}
    figures = compared(
        tasks,
        capsys,
        one_call("set_fan_speed", {}, "Error: missing 1 required argument", **parameter),
        one_call("set_fan_speed", {"level": 3}, success(level=3), **tool),
        one_call("set_fan_speed", {"level": 9}, BAD_LEVEL, **tool, **counted),
    )
    assert (figures["equal"], figures["declared_differences"]) == (1, {"R01": 2})
    assert figures["rewards"]["r_tool_execution"] == {"equal": 2, "total": 3}


def test_only_what_follows_a_removed_part_is_excused_by_it(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    look = asked(("get_exterior_lights_status", {}))
    figures = compared(
        tasks,
        capsys,
        entry(
            *(look, answered("before")),
            *set_fan(3, success(level=3)),
            *(look, answered("after")),
            spoken(),
            task_id="hallucination_0",
            rewards=LIMITED,
        ),
        conforms=False,
    )
    assert figures["declared_differences"] == {"R01": 1, "R02": 1}
    assert [found["call"] for found in figures["unexplained"]] == [0]


def test_names_no_topic_can_hold_are_unknown_as_there(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = compared(
        tasks,
        capsys,
        one_call("car/#", {}, "Unknown action car/#"),
        one_call("fly", {}, "Unknown action fly"),
    )
    assert figures["equal"] == 2


def test_recorded_tasks_that_are_not_there_fail_the_gate(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = one_call("get_car_color", {}, success(car_color="unknown"))
    figures = compared(tasks, capsys, run, run | {"task_id": 77}, conforms=False)
    assert figures["unknown_tasks"] == ["base_77"]
    assert figures["episodes"] == 1


def test_nothing_to_replay_is_a_usage_problem(tasks: Path) -> None:
    options: Any = (tasks, WORLD, "embedded", 4)
    unknown = write_list(tasks / "unknown.json", entry(spoken(), task_id="base_77"))
    with pytest.raises(UsageProblem, match="base_77"):
        conform([unknown], *options, as_json=True)
    with pytest.raises(UsageProblem, match="1 entries are error rows"):
        conform([write_list(tasks / "errors.json", ERROR_ROW)], *options, as_json=True)


def test_people_get_a_table_the_first_faults_and_a_verdict(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [one_call("set_fan_speed", {"level": 3}, success(level=2)) for _ in range(25)]
    recordings = write_lines(
        tasks / "runs.jsonl", *runs, one_call("get_car_color", {"of": "me"}, "Error: theirs")
    )
    with pytest.raises(NotConforming, match="25 calls and 0 rewards unexplained"):
        conform([recordings], tasks, WORLD, "embedded", 4, as_json=False)
    printed = capsys.readouterr().out
    assert "1 calls differ as declared in Q04: " in printed
    assert "unexplained hallucination_2 trial 0 call 0: set_fan_speed" in printed
    assert "and 5 more" in printed
    assert "26 recorded runs" in printed
    assert printed.rstrip().endswith("does not conform")


@needs_shared
def test_a_few_recorded_public_runs_would_fail_under_the_newer_scoring(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Those in docs/compatibility.md, for calls without an argument that was removed."""
    folder = Path(SHARED or "")
    options = (folder, folder / "world", "embedded", 8)
    with pytest.raises(NotConforming):
        conform([folder / "trajectories"], *options, profile="car-bench-2026", as_json=True)
    figures = json.loads(capsys.readouterr().out)
    assert (figures["unexplained"], figures["rewards"]["reward"]["total"]) == ([], 141)
    turned = [(one["task_id"], one["component"]) for one in figures["unexplained_rewards"]]
    assert turned == [
        (f"hallucination_{number}", component)
        for number in (46, 66, 70, 88)
        for component in ("r_tool_execution", "reward")
    ]


@needs_shared
def test_the_recorded_public_runs_conform(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(SHARED or "")
    options = (folder, folder / "world", "embedded", 8)
    conform([folder / "trajectories"], *options, profile="car-bench", as_json=True)
    figures = json.loads(capsys.readouterr().out)
    assert len(figures["rewards"]) == 8
    assert len(figures["policies"]) == 12
    assert all(tally["equal"] == tally["total"] > 0 for tally in figures["policies"].values())
    assert figures["calls"] >= 963
    assert figures["equal"] >= 0.97 * figures["calls"]
    assert figures["equal_after_declared"] == figures["calls"]
    assert all(tally["equal"] == tally["total"] > 0 for tally in figures["rewards"].values())
