import json
from io import StringIO

import pytest
from rich.console import Console

from evaluator.task.task import Task
from evaluator.views.task_sheet import sheet
from tests.evaluator.command_line import USAGE, Here
from tests.evaluator.runs import BY_ID, TASKS, WORLD


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of 80 columns."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")


def test_a_list_in_a_pipe_is_one_line_per_task(here: Here) -> None:
    lines = here("tasks", "list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [task.task_id for task in TASKS]
    assert [line.split()[3:] for line in lines] == [task.title.split() for task in TASKS]
    verbose = here("tasks", "list", "--verbose").stdout.splitlines()
    assert [line.split()[0] for line in verbose] == [task.task_id for task in TASKS]


@pytest.mark.usefixtures("terminal")
def test_ids_stay_whole_at_80_columns(here: Here) -> None:
    for options in ((), ("--verbose",)):
        shown = here("tasks", "list", *options).stdout
        missing = [task.task_id for task in TASKS if task.task_id not in shown.split()]
        assert missing == []
        assert f"{len(TASKS)} tasks" in shown


def test_a_list_in_json_has_what_tasks_are_grouped_by(here: Here) -> None:
    rows = {row["task_id"]: row for row in json.loads(here("tasks", "list", "--json").stdout)}
    row = rows["ask_which_mira"]
    assert (row["split"], row["family"], row["twin"]) == ("train", "ask_which_mira", None)
    assert row["difficulty"]["kept_back"] == "1"
    test = here("tasks", "list", "--task-split", "test").stdout.splitlines()
    assert {line.split()[0] for line in test} == {
        name for name, row in rows.items() if row["split"] == "test"
    }


def test_a_type_nobody_knows_is_named(here: Here) -> None:
    for options in (("--task-type", "limits"), ("--task-split", "tets")):
        done = here("tasks", "list", *options)
        assert (done.code, done.stderr.count("\n")) == (USAGE, 1)
        assert f"{options[0]} is one of all, " in done.stderr


def test_a_task_is_described_in_words(here: Here) -> None:
    printed = " ".join(here("tasks", "show", "ask_which_mira").stdout.split())
    for part in (
        "disambiguation, by asking; decided by asking the driver",
        "says “Give Mira a call, please.”",
        "where Freiburg when 2025-06-21 17:30",
        "Air conditioning on; Fan level 1",
        "call_phone_by_number phone_number=+49 165 267490",
        "first speech in 1.5 s (too late after 3 s)",
    ):
        assert part in printed
    limit = " ".join(here("tasks", "show", "limit_no_trunk").stdout.split())
    assert "missing open_close_trunk_door" in limit
    assert "what should be done if nothing were missing" in limit


def test_a_task_is_whole_in_json(here: Here) -> None:
    printed = json.loads(here("tasks", "show", "base_sunroof_in_rain", "--json").stdout)
    scored = printed.pop("scored")
    assert Task.model_validate(printed) == BY_ID["base_sunroof_in_rain"]
    assert "end state" in scored


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.task_id)
def test_no_task_is_described_as_a_piece_of_python(task: Task) -> None:
    written = StringIO()
    Console(file=written, width=80).print(*sheet(task, WORLD, ()))
    printed = written.getvalue()
    assert [piece for piece in ("{'", "['", "None", "True", "False") if piece in printed] == []
    assert "…" not in printed
    assert task.driver.instruction.split()[0] in printed
