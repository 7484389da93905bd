"""Tasks in which not only the driver speaks: who ignores the seat cannot solve them."""

import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from assistant_gateway.agents.rules.language.seats import SPEAKER, as_the_driver_says_it
from evaluator.commands.run import Outcome, run_to_end
from evaluator.event_loop import run_async
from evaluator.options import RunOptions
from evaluator.record.record import Record
from evaluator.report.conversations import compact
from evaluator.results.store import open_store
from evaluator.scoring.policies.instructions import instructions
from evaluator.task.files import own_tasks
from evaluator.task.task import Task
from evaluator.task.worlds import own_world
from evaluator.views.transcript import transcript
from evaluator.views.unit_timeline import story
from tests.conftest import EXAMPLES
from user_sim.script_problems import script_problems
from user_sim.spoken_line import ways_of

FOLDER = EXAMPLES / "other_seats"
TASKS = own_tasks(FOLDER, own_world())
USUAL = ("decline",)  # left to its default
WINDOWS = ("base_window_from_the_back", "base_three_no_two")


def played(folder: Path, agent: str, *task_ids: str) -> Outcome:
    options = RunOptions(
        agent=agent,
        tasks_from=FOLDER,
        task_ids=task_ids,
        pace="virtual",
        broker="embedded",
        out=folder / "run",
    )
    return run_to_end(options, quiet=True)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.task_id)
def test_a_script_is_sound_and_says_each_line_in_three_ways(task: Task) -> None:
    script = task.driver.script
    assert script is not None
    assert script_problems(script) == []
    assert script.speakers
    assert {len(ways_of(line)) for place, line in script.lines.items() if place not in USUAL} == {3}


def test_the_reference_solves_all_of_them(tmp_path: Path) -> None:
    assert played(tmp_path, "reference").figures.reward_mean == 1


def test_an_assistant_that_knows_who_speaks_solves_what_others_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert played(tmp_path / "knows", "rules", *WINDOWS).figures.reward_mean == 1

    def ignored(text: str) -> str:
        return SPEAKER.sub("", text)

    monkeypatch.setattr("assistant_gateway.agents.rules.agent.as_the_driver_says_it", ignored)
    assert played(tmp_path / "ignores", "rules", *WINDOWS).figures.reward_mean == 0


def test_view_and_report_say_who_spoke(tmp_path: Path) -> None:
    outcome = played(tmp_path, "reference", "base_three_no_two")

    async def record() -> Record:
        async with open_store(tmp_path / "run") as store:
            return await store.record("base_three_no_two")

    kept = run_async(record())
    shown = Console(width=160, record=True, file=StringIO())
    for part in story(transcript(kept), outcome.units[0]):
        shown.print(part)
    assert re.search(r"other +front passenger: \w", shown.export_text())
    seats = [row[5]["seat"] for row in compact(outcome.units[0], kept) if "seat" in (row[5] or {})]
    assert seats == ["front passenger"]


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("[front passenger] Heat my seat.", "Heat the passenger's seat."),
        ("[seat behind the driver] Open my own window.", "Open the rear left window."),
        ("[seat behind the front passenger] My window, too.", "the rear right window, too."),
        ("Heat my seat.", "Heat my seat."),
    ],
)
def test_my_is_the_seat_of_who_says_it(told: str, meant: str) -> None:
    assert as_the_driver_says_it(told) == meant


def test_only_where_others_speak_an_agent_is_told_of_them() -> None:
    assert "[front passenger]" in instructions({}, seats=True)
    assert "[front passenger]" not in instructions({})
