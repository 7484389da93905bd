import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from evaluator.car_bench.driver_agreement import agreement, compare_drivers, recorded_turns
from evaluator.car_bench.recordings import read_recordings
from evaluator.problems import UsageProblem
from evaluator.results import driver_error
from evaluator.task.selection import load_tasks, load_world
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
)
from tests.evaluator.task.test_public_tasks import lay_out, row

SHARED = os.environ.get("CODRIVER_CAR_BENCH")
SET_FAN = (asked(("set_fan_speed", {"level": 3})), answered(success(level=3)))
REFUSED = (asked(("set_fan_speed", {"level": 3})), answered({"status": "FAILURE"}))
DONE = spoken("The fan is at level 3 now.")
WHICH_LEVEL = spoken("Which level would you like?")
CANNOT = spoken("I can't change the fan speed in this car.")
LIMIT = {"task_id": "hallucination_0"}


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    removed = {"removed_part": ["set_fan_speed"], "task_type": "hallucination_missing_tool"}
    return lay_out(tmp_path, row(), row(**LIMIT, **removed), splits={})


def compared(tasks: Path, *entries: Any) -> dict[str, Any]:
    """What is printed as JSON about these recorded runs."""
    found = read_recordings(write_lines(tasks / "runs.jsonl", *entries))
    world = load_world(tasks, None)
    return agreement(found, {task.task_id: task for task in load_tasks(tasks, world)}, world)


def one_kind(figures: dict[str, Any]) -> tuple[str, str, str]:
    [turn] = figures["differing"]
    return turn["disagreement"], turn["recorded"], turn["scripted"]


def test_drivers_who_answer_and_end_alike_agree(tasks: Path) -> None:
    run = entry(heard("fan up"), WHICH_LEVEL, heard("3"), *SET_FAN, DONE, heard())
    figures = compared(tasks, run, ERROR_ROW)
    assert (figures["turns"], figures["agree"], figures["differing"]) == (2, 2, [])
    assert (figures["agreement"], figures["hi"]) == (1.0, 1.0)
    assert 0.3 < figures["lo"] < 0.4
    assert figures["error_rows"] == 1
    assert figures["by_type"]["base"]["turns"] == figures["by_file"]["runs.jsonl"]["turns"] == 2


def test_a_driver_who_ends_where_the_other_goes_on_ended_too_early(tasks: Path) -> None:
    run = entry(heard("fan up"), *SET_FAN, DONE, heard("Thanks!"), spoken("Sure."), heard())
    figures = compared(tasks, run)
    assert one_kind(figures) == ("ended too early", "CONTINUE", "STOP")
    assert (figures["turns"], figures["agree"]) == (2, 1)
    assert figures["by_type"]["base"]["disagreements"]["ended too early"] == 1


def test_a_driver_who_answers_where_the_other_ends_went_on(tasks: Path) -> None:
    figures = compared(tasks, entry(heard("fan up"), WHICH_LEVEL, heard()))
    assert one_kind(figures) == ("went on", "STOP", "CONTINUE")


def test_ends_with_different_words_are_told_apart(tasks: Path) -> None:
    failed = KEPT | {"end_conversation_keyword": "OUT_OF_SCOPE"}
    agreed = entry(heard("fan up"), CANNOT, heard(), **LIMIT)
    gave_up = entry(heard("fan up"), CANNOT, heard(), **LIMIT, rewards=failed)
    figures = compared(tasks, agreed, gave_up)
    admitted = "ASSISTANT_ACKNOWLEDGED_REMOVED_PART"
    assert one_kind(figures) == ("other word", "OUT_OF_SCOPE", admitted)
    assert (figures["turns"], figures["agree"]) == (2, 1)


def test_a_turn_without_a_known_decision_is_not_compared(tasks: Path) -> None:
    """The conversation was ended by a call, broke off, or was never scored."""
    called = entry(heard("call"), WHICH_LEVEL, heard("3"), *SET_FAN, heard('{"status": "SUCCESS"}'))
    broken_off = entry(heard("fan up"), WHICH_LEVEL, heard("3"), DONE)
    unscored = entry(heard("fan up"), *SET_FAN, DONE, heard(), rewards=None)
    assert compared(tasks, called, broken_off, unscored)["turns"] == 2


def test_only_calls_that_succeeded_are_known_to_the_driver(tasks: Path) -> None:
    run = entry(heard("fan up"), *REFUSED, WHICH_LEVEL, heard("3"), *SET_FAN, DONE, heard())
    [recording] = read_recordings(write_lines(tasks / "runs.jsonl", run)).runs
    first, second = recorded_turns(recording, load_tasks(tasks)[0])
    assert first.confirmed == ()
    assert second.confirmed == (("set_fan_speed", {"level": 3}),)
    assert (first.said, second.said, second.word) == ("3", None, "STOP")


def test_unknown_tasks_are_listed_and_nothing_to_compare_is_a_usage_problem(tasks: Path) -> None:
    run = entry(heard("fan up"), DONE, heard(), task_id="base_77")
    assert compared(tasks, run)["unknown_tasks"] == ["base_77"]
    with pytest.raises(UsageProblem, match="no turn to compare"):
        compare_drivers([tasks / "runs.jsonl"], tasks, None, as_json=True)


def test_people_get_a_table_and_each_disagreement(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compared(tasks, entry(heard("fan up"), WHICH_LEVEL, heard()), entry(DONE, task_id="base_77"))
    compare_drivers([tasks / "runs.jsonl"], tasks, None, as_json=False)
    printed = capsys.readouterr().out
    assert "base_0:0 turn 1: went on, recorded STOP, scripted CONTINUE" in printed
    assert "not in --tasks-from: base_77" in printed
    compare_drivers([tasks / "runs.jsonl"], tasks, None, as_json=True)
    assert json.loads(capsys.readouterr().out)["turns"] == 1


@pytest.mark.skipif(
    SHARED is None, reason="CODRIVER_CAR_BENCH does not name the public benchmark's files"
)
def test_the_noted_error_is_what_is_measured() -> None:
    """If not: put the figures of `codriver conformance --drivers` into driver_error.yaml."""
    folder = Path(SHARED or "")
    world = load_world(folder, folder / "world")
    tasks = {task.task_id: task for task in load_tasks(folder, world)}
    measured = agreement(read_recordings(folder / "trajectories"), tasks, world)["by_file"]
    noted = yaml.safe_load(Path(driver_error.__file__).with_suffix(".yaml").read_text())["files"]
    assert noted == {
        name: {"turns": tally["turns"], "agree": tally["agree"]} for name, tally in measured.items()
    }
