import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.car_bench.recordings import RecordedCall, RecordedRun, read_recordings
from evaluator.problems import UsageProblem
from tests.evaluator.recorded_runs import (
    ERROR_ROW,
    answered,
    asked,
    entry,
    heard,
    spoken,
    success,
    write_lines,
    write_list,
)

FAN = ("set_fan_speed", {"level": 2})
COLOR: tuple[str, dict[str, Any]] = ("get_car_color", {})


def read(folder: Path, *entries: Any) -> tuple[RecordedRun, ...]:
    return read_recordings(write_lines(folder / "runs.jsonl", *entries)).runs


def test_calls_are_kept_message_by_message_with_their_answers(tmp_path: Path) -> None:
    [run] = read(
        tmp_path,
        entry(
            heard("fan on"),
            asked(FAN, COLOR),
            answered(success(level=2), "call_0"),
            answered(success(car_color="red"), "call_1"),
            spoken(),
            heard("and off"),
            asked(("set_fan_speed", {"level": 0})),
            answered("Error: no", "call_0"),
            spoken(),
            heard(),
        ),
    )
    assert run.messages == (
        (
            RecordedCall("set_fan_speed", {"level": 2}, json.dumps(success(level=2))),
            RecordedCall("get_car_color", {}, json.dumps(success(car_color="red"))),
        ),
        (),
        (RecordedCall("set_fan_speed", {"level": 0}, "Error: no"),),
        (),
    )
    assert run.rewards is not None
    assert run.rewards["r_tool_subset"] == 1.0


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [(7, "base_7"), ("7", "base_7"), (7.0, "base_7"), ("disambiguation_7", "disambiguation_7")],
)
def test_a_number_stands_for_a_base_task(tmp_path: Path, recorded: Any, expected: str) -> None:
    [run] = read(tmp_path, entry(spoken(), task_id=recorded))
    assert run.task_id == expected


@pytest.mark.parametrize("recorded", [1.5, True, "", [1], -1, 10**30, float("inf")])
def test_what_is_no_id_is_reported(tmp_path: Path, recorded: Any) -> None:
    with pytest.raises(UsageProblem, match=r"task_id|no recorded run"):
        read(tmp_path, entry(spoken(), task_id=recorded))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"task_type": "hallucination_missing_tool"}, "hallucination_7"),
        ({"info": {"task": {"task_type": "disambiguation_user"}}}, "disambiguation_7"),
        ({"task_type": "base"}, "base_7"),
        ({"task_type": "something_else"}, "base_7"),
    ],
)
def test_a_number_counts_in_the_type_its_row_names(
    tmp_path: Path, said: dict[str, Any], expected: str
) -> None:
    [run] = read(tmp_path, entry(spoken(), task_id=7) | said)
    assert run.task_id == expected


def test_a_number_counts_in_the_type_the_report_lists_it_under(tmp_path: Path) -> None:
    """The same conversation under two types is two runs; repeated in one type it is one."""
    row = entry(spoken(), task_id=1)
    kinds = {"base": [row], "hallucination": [row, row], "disambiguation": [row]}
    odd = row | {"task_id": 2, "task_type": "disambiguation_internal"}
    report = {"results": [{"detailed_results_by_split": kinds}], "base": {"rows": [odd]}}
    file = tmp_path / "report.json"
    file.write_text(json.dumps(report))
    assert [run.task_id for run in read_recordings(file).runs] == [
        *("base_1", "hallucination_1", "disambiguation_1", "disambiguation_2")
    ]


def test_a_missing_id_is_looked_up_in_the_task_beside_it(tmp_path: Path) -> None:
    info = {"task": {"task_id": "base_3"}, "reward_info": None}
    [run] = read(tmp_path, entry(spoken(), task_id=None, info=info))
    assert (run.task_id, run.rewards) == ("base_3", None)


def test_lists_and_lines_and_folders_are_read_alike(tmp_path: Path) -> None:
    (tmp_path / "deeper").mkdir()
    first, second = entry(spoken()), entry(spoken(), task_id="base_1")
    lines = write_lines(tmp_path / "a.jsonl", first, second)
    listed = write_list(tmp_path / "deeper" / "b.json", first, second)
    ids = ["base_0", "base_1"]
    assert [run.task_id for run in read_recordings(lines).runs] == ids
    assert [run.task_id for run in read_recordings(listed).runs] == ids
    assert [run.task_id for run in read_recordings(tmp_path).runs] == ids * 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("scenario.json", '{"num_trials": 3}'),
        ("broken.json", "{"),
        ("empty.json", ""),
        ("tasks.jsonl", '{"task_id": "base_1"}'),
        ("bytes.jsonl", "\udcff"),
    ],
)
def test_files_of_a_folder_that_are_no_recordings_are_skipped_with_a_line(
    tmp_path: Path, name: str, text: str
) -> None:
    other = tmp_path / name
    other.write_text(text, encoding="utf-8", errors="surrogateescape")
    write_lines(tmp_path / "runs.jsonl", entry(spoken()))
    found = read_recordings(tmp_path)
    assert [run.task_id for run in found.runs] == ["base_0"]
    [line] = found.skipped
    assert str(other) in line
    assert "\n" not in line
    with pytest.raises(UsageProblem, match=name):
        read_recordings(other)


def test_a_damaged_recording_is_not_skipped(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", entry(spoken()))
    damaged = write_lines(tmp_path / "b.jsonl", entry(spoken()))
    damaged.write_text(damaged.read_text() + '{"task_id": "ba')
    with pytest.raises(UsageProblem, match=r"b\.jsonl:2"):
        read_recordings(tmp_path)


def test_a_folder_with_nothing_but_other_files_is_reported(tmp_path: Path) -> None:
    (tmp_path / "scenario.json").write_text("{}")
    with pytest.raises(UsageProblem, match=r"scenario\.json: expected recorded runs"):
        read_recordings(tmp_path)


def test_error_rows_are_counted_apart(tmp_path: Path) -> None:
    file = write_list(tmp_path / "runs.json", ERROR_ROW, entry(spoken()))
    found = read_recordings(file)
    assert len(found.runs) == 1
    assert found.broken == (f"{file}:entry 1",)


def test_a_competition_report_is_searched_for_its_runs(tmp_path: Path) -> None:
    """Numbers are fractions there, names differ, and partial results repeat in the final one."""
    message = asked(("set_fan_speed", {"level": 2.0}))
    run = {
        "task": {"task_id": "base_5", "context_init_config": {}},
        "task_id": "base_5",
        "trial": 1.0,
        "trajectory": [heard("go"), message, answered(success(level=2.0), "call_0"), spoken()],
        "reward_info": {"reward": 1.0, "info": {"r_tool_execution": 1.0, "r_actions": None}},
        "error": None,
    }
    broken = {"task_id": "base_6", "trial": 0.0, "trajectory": [], "error": "boom"}
    partial = {"detailed_results_by_split": {"base": [run]}}
    final = {"detailed_results_by_split": {"base": [run, broken], "hallucination": []}}
    file = tmp_path / "report.json"
    file.write_text(json.dumps({"results": [partial], "final_result": final}, indent=2))
    found = read_recordings(file)
    [read_back] = found.runs
    assert (read_back.task_id, read_back.trial) == ("base_5", 1)
    assert [call.arguments for call in read_back.calls] == [{"level": 2.0}]
    assert read_back.rewards == {"r_tool_execution": 1.0, "r_actions": None}
    assert len(found.broken) == 1


def test_a_file_without_runs_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text('{"final_result": {"pass_rate": 0.0}}')
    with pytest.raises(UsageProblem, match=r"report\.json: expected recorded runs"):
        read_recordings(file)


def test_line_separators_inside_sentences_do_not_end_an_entry(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    row = json.dumps(entry(heard("one\u2028two"), spoken()), ensure_ascii=False)
    file.write_text(f"{row}\r\n{row}\n", encoding="utf-8", newline="")
    assert len(read_recordings(file).runs) == 2


def test_answers_without_ids_belong_to_the_calls_in_order(tmp_path: Path) -> None:
    batch = asked(FAN, COLOR), answered("first"), answered("second")
    [run] = read(tmp_path, entry(*batch, heard('{"status": "SUCCESS"}')))
    assert [call.output for call in run.calls] == ["first", "second"]


def test_one_id_for_every_call_means_nothing(tmp_path: Path) -> None:
    batch = asked(FAN, COLOR), answered("first", "x"), answered("second", "x")
    [run] = read(tmp_path, entry(*batch))
    assert [call.output for call in run.calls] == ["first", "second"]


def test_answers_in_another_order_are_found_by_their_ids(tmp_path: Path) -> None:
    batch = asked(FAN, COLOR), answered("second", "call_1"), answered("first", "call_0")
    [run] = read(tmp_path, entry(*batch))
    assert [call.output for call in run.calls] == ["first", "second"]


def test_a_conversation_cut_at_its_limit_leaves_calls_without_answer(tmp_path: Path) -> None:
    messages = [message for _ in range(39) for message in (asked(COLOR), answered("x", "call_0"))]
    [run] = read(tmp_path, entry(heard("go"), *messages, asked(FAN, COLOR), rewards=None))
    assert len(run.messages) == 40
    assert [call.output for call in run.calls[-3:]] == ["x", None, None]
    assert run.rewards is None


def test_a_message_that_speaks_by_a_call_carries_out_nothing(tmp_path: Path) -> None:
    [run] = read(tmp_path, entry(asked(FAN, ("respond", {"content": "Done."})), heard()))
    assert run.messages == ((),)


def test_arguments_may_be_objects_or_nothing(tmp_path: Path) -> None:
    message = asked(COLOR, COLOR, FAN)
    given = [call["function"] for call in message["tool_calls"]]
    given[0]["arguments"], given[1]["arguments"] = {"level": 50.0}, ""
    [run] = read(tmp_path, entry(message))
    assert [call.arguments for call in run.calls] == [{"level": 50.0}, {}, {"level": 2}]


def test_answers_may_come_in_parts(tmp_path: Path) -> None:
    parts = answered("") | {"content": [{"type": "text", "text": "a"}, {"text": "b"}]}
    [run] = read(tmp_path, entry(asked(COLOR, COLOR), parts, answered("") | {"content": None}))
    assert [call.output for call in run.calls] == ["ab", ""]


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[1]",
        '"a run"',
        '{"task_id": 1}',
        '{"traj": {"role": "user"}}',
        json.dumps(entry(spoken()) | {"task_id": None}),
        json.dumps(entry({"content": "no role"})),
        json.dumps(entry(asked(("set_fan_speed", "[1]")))),
        json.dumps(entry(asked(("set_fan_speed", "{")))),
        json.dumps(entry(asked((None, {})))),  # type: ignore[arg-type]  # a name that is none
        json.dumps(entry(spoken()) | {"trial": float("inf")}),
        f'{{"trial": {"9" * 5000}}}',
        "[" * 100_000,
    ],
)
def test_what_is_no_recorded_run_is_named_by_its_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(text)
    with pytest.raises(UsageProblem, match=r"runs\.jsonl:(1|entry 1): "):
        read_recordings(file)


@pytest.mark.parametrize("trial", [-1, 1.5, True, "one", [0], 10**300, float("nan")])
def test_what_is_no_trial_is_reported(tmp_path: Path, trial: Any) -> None:
    with pytest.raises(UsageProblem, match=r"runs\.jsonl:1: this is no recorded run .*trial is"):
        read(tmp_path, entry(spoken(), trial=trial))


def verdict(reward: Any = 1.0, info: Any = None) -> dict[str, Any]:
    return {"reward_info": {"reward": reward, "info": info or {"r_tool_execution": 1.0}}}


@pytest.mark.parametrize(
    ("noted", "place"),
    [
        ("scored", "info: "),
        ([1], "info: "),
        ({"reward_info": "1.0"}, "reward_info: "),
        ({"reward_info": [1.0]}, "reward_info: "),
        (verdict(info=[1.0]), r"reward_info\.info: "),
        (verdict("1.0"), r"reward_info\.reward: "),
        (verdict(10**400), r"reward_info\.reward: "),
        (verdict(float("nan")), r"reward_info\.reward: "),
        (verdict(1.5), r"reward_info\.reward: "),
        (verdict(info={"r_tool_execution": 10**400}), "r_tool_execution: "),
        (verdict(info={"r_tool_execution": "1.0"}), "r_tool_execution: "),
        (verdict(info={"r_tool_execution": float("inf")}), "r_tool_execution: "),
        (verdict(info={"r_policy": 1.0, "policy_aut_errors": "none"}), "policy_aut_errors: "),
        (verdict(info={"end_conversation_keyword": 5}), "end_conversation_keyword: "),
        (verdict() | {"total_agent_cost": 10**400}, "total_agent_cost: "),
    ],
)
def test_a_malformed_verdict_is_reported_and_never_counts_as_unscored(
    tmp_path: Path, noted: Any, place: str
) -> None:
    with pytest.raises(UsageProblem, match=rf"runs\.jsonl:1: \S*{place}") as problem:
        read(tmp_path, entry(spoken()) | {"info": noted})
    assert "\n" not in str(problem.value)


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(json.dumps(entry(spoken())), encoding="utf-8-sig")
    assert len(read_recordings(file).runs) == 1


def test_an_empty_folder_and_a_missing_file_are_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="holds no"):
        read_recordings(tmp_path)
    with pytest.raises(UsageProblem, match="cannot be read"):
        read_recordings(tmp_path / "gone.jsonl")
