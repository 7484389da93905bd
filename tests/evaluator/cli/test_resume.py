"""A run that is killed and resumed ends like one that was left alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.results.store import UnitResult, open_store
from tests.evaluator.command_line import ONE_TASK, USAGE, Here, codriver, started

UNITS = 24
OPTIONS = (
    "run", "--num-tasks", 8, "--num-trials", 3, "--pace", "virtual",
    "--latency-profile", "cloud_fast", "--broker", "embedded", "--max-concurrency", 4,
    "--out", "run",
)  # fmt: skip
OF_THE_PROCESS = {"run_id", "wall_s", "episodes_per_s", "out"}


def table(stdout: str) -> dict[str, Any]:
    """What a run printed, without what every process has of its own."""
    figures = json.loads(stdout)
    return {name: value for name, value in figures.items() if name not in OF_THE_PROCESS}


async def attempts(folder: Path) -> list[UnitResult]:
    async with open_store(folder) as store:
        return await store.units(every_attempt=True)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("uninterrupted")
    done = codriver(*OPTIONS, "--json", folder=folder)
    assert done.code == 0, done.stderr
    return folder / "run", table(done.stdout)


def test_where_nothing_was_begun_a_run_begins_and_says_so(tmp_path: Path) -> None:
    begun = codriver(*OPTIONS, "--num-tasks", 1, "--num-trials", 1, "--resume", folder=tmp_path)
    assert begun.code == 0, begun.stderr
    assert begun.stderr.startswith("there is no run in run yet: a new one begins\n[1/1]")


@pytest.mark.parametrize("finished", [1, 14])
async def test_after_a_kill_no_unit_is_lost_or_repeated(
    finished: int, tmp_path: Path, uninterrupted: tuple[Path, dict[str, Any]]
) -> None:
    with started(*OPTIONS, folder=tmp_path) as run:
        run.until(f"[{finished}/{UNITS}]")
        run.process.kill()
        printed = run.finish().stderr.count("] ")
    before = await attempts(tmp_path / "run")
    assert finished <= printed <= len(before)

    resumed = codriver(*OPTIONS, "--resume", "--json", folder=tmp_path)
    assert resumed.code == 0, resumed.stderr
    after = await attempts(tmp_path / "run")
    assert {unit.unit: unit for unit in before}.items() <= {u.unit: u for u in after}.items()
    assert len(after) == len({unit.unit for unit in after}) == UNITS
    assert [line.partition(" ")[0] for line in resumed.stderr.splitlines()] == [
        f"[{number}/{UNITS}]" for number in range(len(before) + 1, UNITS + 1)
    ]

    left_alone, figures = uninterrupted
    assert table(resumed.stdout) == figures
    assert digests(after) == digests(await attempts(left_alone))


def digests(units: list[UnitResult]) -> dict[tuple[str, int], str | None]:
    found = {unit.unit: unit.digest for unit in units}
    assert None not in found.values()
    return found


async def test_trials_added_later_end_like_a_run_that_had_them_from_the_start(
    tmp_path: Path, uninterrupted: tuple[Path, dict[str, Any]]
) -> None:
    fewer = [2 if option == 3 else option for option in OPTIONS]
    assert codriver(*fewer, folder=tmp_path).code == 0
    more = codriver(*OPTIONS, "--resume", "--json", folder=tmp_path)
    left_alone, figures = uninterrupted
    assert table(more.stdout) == figures
    assert digests(await attempts(tmp_path / "run")) == digests(await attempts(left_alone))


async def test_units_that_are_named_are_finished_and_the_others_left_for_later(
    tmp_path: Path,
) -> None:
    few = ("run", "--pace", "virtual", "--broker", "embedded", "--out", "run")
    named = ("--task-ids", "base_fog_lights,base_windshield")
    with started(*few, *named, "--task-ids", "limit_no_trunk", folder=tmp_path) as run:
        run.until("[1/3]")
        run.process.kill()
        run.finish()
    before = {unit.task_id for unit in await attempts(tmp_path / "run")}
    resumed = codriver(*few, *named, "--resume", "--json", folder=tmp_path)
    assert resumed.code == 0, resumed.stderr
    after = {unit.task_id for unit in await attempts(tmp_path / "run")}
    assert after == before | {"base_fog_lights", "base_windshield"}
    assert json.loads(resumed.stdout)["planned"] == 3
    assert all("/2] " in line for line in resumed.stderr.splitlines())


async def test_a_finished_run_is_resumed_without_playing(
    uninterrupted: tuple[Path, dict[str, Any]],
) -> None:
    folder, figures = uninterrupted
    again = codriver(*OPTIONS, "--resume", "--json", folder=folder.parent)
    assert (again.code, again.stderr) == (0, "")
    assert table(again.stdout) == figures


FEW = ("run", "--pace", "virtual", "--broker", "embedded", "--seed", 11, "--max-steps", 30)


async def test_the_folder_is_enough_to_finish_a_run(tmp_path: Path) -> None:
    options = (*FEW, "--latency-profile", "cloud_fast", "--num-tasks", 4, "--num-trials", 2)
    with started(*options, "--out", "run", folder=tmp_path) as run:
        run.until("[1/8]")
        run.process.kill()
        run.finish()
    resumed = codriver("run", "--out", "run", "--resume", folder=tmp_path)
    assert resumed.code == 0, resumed.stderr
    assert codriver(*options, "--out", "whole", folder=tmp_path).code == 0
    finished = [digests(await attempts(tmp_path / name)) for name in ("run", "whole")]
    assert len(finished[0]) == 8
    assert finished[0] == finished[1]


def test_an_option_that_differs_from_those_of_the_run_is_named(tmp_path: Path, here: Here) -> None:
    assert here(*FEW, *ONE_TASK, "--out", "run").code == 0
    other = here("run", "--out", "run", "--resume", "--seed", 12)
    assert other.code == USAGE
    assert other.stderr == (
        "codriver: run cannot be resumed, it differs in seed (11, now 12); "
        "leave that out, as the run has --seed 11, or name another --out\n"
    )


def test_a_token_that_is_not_stored_has_to_be_given_again(tmp_path: Path, here: Here) -> None:
    assert here(*FEW, *ONE_TASK, "--agent-token", "geheim", "--out", "run").code == 0
    again = here("run", "--out", "run", "--resume")
    assert (again.code, again.stderr) == (
        USAGE,
        "codriver: give --agent-token again: it may hold a secret and is not stored\n",
    )
    stored = b"".join(file.read_bytes() for file in (tmp_path / "run").iterdir())
    assert b"geheim" not in stored
    assert here("run", "--out", "run", "--resume", "--agent-token", "geheim").code == 0


def test_a_profile_that_says_something_else_by_now_is_another_run(tmp_path: Path) -> None:
    profile = tmp_path / "mine.yaml"
    options = (
        *("run", "--task-ids", "base_fog_lights", "--pace", "virtual", "--broker", "embedded"),
        *("--latency-profile", "mine.yaml", "--out", "run"),
    )
    profile.write_text("source: me\nshift_ms: 300\n")
    assert codriver(*options, folder=tmp_path).code == 0
    profile.write_text("source: me\nshift_ms: 400\n")
    done = codriver(*options, "--resume", folder=tmp_path)
    assert done.code == USAGE
    assert "it differs in conditions (1 differ: own_profiles)" in done.stderr
