import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.evaluator.command_line import USAGE, Here, codriver

OPTIONS = ("--broker", "embedded", "--json")
MS = 1_000_000
TASKS = "ask_which_stop,base_change_of_plan,limit_no_trunk,settle_fan"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A run of a slow agent, and what it came to."""
    folder = tmp_path_factory.mktemp("recorded")
    options = ("--pace", "virtual", "--latency-profile", "cloud_fast", "--num-trials", 2)
    arguments = ("run", *OPTIONS, *options, "--task-ids", TASKS, "--out", "mine")
    done = codriver(*arguments, folder=folder)
    assert done.code == 0, done.stderr
    return folder / "mine", dict(orjson.loads(done.stdout))


@pytest.fixture
def recorded(played: tuple[Path, dict[str, Any]], tmp_path: Path) -> dict[str, Any]:
    """What that run came to, with a copy of it in `mine`."""
    folder, figures = played
    shutil.copytree(folder, tmp_path / "mine")
    return figures


def run(here: Here, *options: object) -> dict[str, Any]:
    done = here("run", *OPTIONS, *options)
    assert done.code == 0, done.stderr
    return dict(orjson.loads(done.stdout))


def digests(here: Here, folder: str) -> Any:
    return orjson.loads(here("view", folder, "--digest", "--json").stdout)


def test_a_replayed_virtual_run_is_the_run_to_the_byte(
    here: Here, recorded: dict[str, Any]
) -> None:
    options = ("--pace", "virtual", "--num-trials", 2, "--task-ids", TASKS)
    again = run(here, *options, "--agent", "replay:mine", "--out", "again")
    assert digests(here, "again") == digests(here, "mine")
    assert again["latency_ms"] == recorded["latency_ms"]
    assert again["reward_mean"] == recorded["reward_mean"] == 1
    assert again["cost"]["agent"] == 0


TRUNK = """\
task_id: base_trunk
task_type: base
title: Trunk
car:
  start: {current_location: Utrecht, current_datetime: 2025-09-03 08:10}
driver:
  instruction: You want the trunk open.
  script:
    opening: [Open the trunk., "Trunk open, please.", I need the trunk open., Get the trunk open!]
    confirm: ["Yes, open it.", "Yes, please.", Do it., Go ahead.]
expect:
  actions: [open_close_trunk_door: {action: OPEN}]
  turn_classes: [E, F]
"""


def words_in(here: Here, folder: str) -> list[dict[str, str]]:
    units = orjson.loads(here("view", folder, "--json").stdout)["units"]
    return [unit["words"] for unit in units]


def test_trials_differ_in_words_that_are_kept(here: Here, tmp_path: Path) -> None:
    """For scoring again, even with other words in the task, and for a replay with another seed."""
    file = tmp_path / "tasks" / "base_trunk.yaml"
    file.parent.mkdir()
    file.write_text(TRUNK)
    options = ("--tasks-from", "tasks", "--pace", "virtual", "--num-trials", 4)
    played = run(here, *options, "--out", "mine")
    assert played["reward_mean"] == 1
    words = words_in(here, "mine")
    assert len({each["opening"] for each in words}) == len({each["confirm"] for each in words}) == 4
    assert words[1]["opening"] in here("view", "mine", "--unit", "base_trunk:1").stdout
    again = run(here, *options, "--agent", "replay:mine", "--seed", 3, "--out", "again")
    assert again["reward_mean"] == 1
    assert words_in(here, "again") == words
    file.write_text(TRUNK.replace("Open the trunk.", "The trunk!"))
    rescored = here("score", "mine", "--json")
    assert orjson.loads(rescored.stdout)["changed"] == []


def test_one_unit_may_be_named_and_the_pace_may_be_another(
    here: Here, recorded: dict[str, Any]
) -> None:
    file = f"replay:{Path('mine', 'run.sqlite')}#settle_fan:1"
    again = run(here, "--pace", "fast", "--task-ids", "settle_fan", "--agent", file)
    assert (again["reward_mean"], again["evaluated"]) == (1, 1)
    [unit] = orjson.loads(here("view", again["out"], "--json").stdout)["units"]
    spans = [turn["spans"] for turn in unit["score"]["turns"]]
    waited = [each["upl"] for each in spans if "upl" in each]
    assert waited
    assert min(waited) > 300 * MS


def test_an_agent_that_runs_out_of_turns_fails_the_unit(
    here: Here, recorded: dict[str, Any]
) -> None:
    options = ("--pace", "virtual", "--task-ids", "base_change_of_plan")
    again = run(here, *options, "--agent", "replay:mine#settle_fan", "--out", "other")
    assert (again["reward_mean"], again["infra_error"]) == (0, 0)


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("replay:mine", "mine has no unit base_fog_lights:0 to replay"),
        ("replay:mine#base_fog_lights", "the run has no unit 'base_fog_lights'"),
        ("replay:nowhere", "nowhere is no run folder"),
        ("replay", "replay:RUN"),
    ],
)
def test_what_is_not_in_the_run_is_said_before_anything_is_played(
    agent: str, message: str, here: Here, recorded: dict[str, Any]
) -> None:
    done = here("run", "--task-ids", "base_fog_lights", "--agent", agent, "--out", "new")
    assert done.code == USAGE
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not Path("new").exists()
