import asyncio
import json
from pathlib import Path

import pytest

from evaluator.results.store import open_store
from evaluator.scoring.failure_kinds import Failure
from tests.evaluator.command_line import USAGE, Here
from tests.evaluator.episodes import manifest, unit

WRONG = Failure(kind="logical_error", evidence="fan_speed is 5, expected 1", t_ns=2)


async def store(folder: Path, *, failed: bool) -> None:
    async with open_store(folder, manifest=manifest("base_1", "base_2", num_trials=2)) as store:
        await store.save(unit("base_1"))
        await store.save(unit("base_2", 1))
        if failed:
            await store.save(unit("base_1", 1, outcome="failure", failure=WRONG))
            await store.save(unit("base_2", outcome="infra_error", reason="the broker is gone"))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run in which one unit failed and the bench spoilt another."""
    asyncio.run(store(tmp_path / "mine", failed=True))
    return tmp_path / "mine"


def test_what_failed_is_a_line_each_with_kind_and_reason(run: Path, here: Here) -> None:
    assert [
        line.split(maxsplit=3) for line in here("view", run, "--failed").stdout.split("\n")
    ] == [
        ["base_1:1", "wrong", "result", "fan is level 5, expected level 1"],
        ["base_2:0", "infrastructure", "error", "the broker is gone"],
        [],
    ]


def test_a_terminal_says_how_to_see_one_episode(
    run: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    printed = here("view", run, "--failed").stdout
    assert "2 of 4 units failed" in printed
    assert f"codriver view {run} --unit base_1:1" in " ".join(printed.split())


def test_what_failed_is_one_object_for_machines(run: Path, here: Here) -> None:
    printed = json.loads(here("view", run, "--failed", "--json").stdout)
    assert printed["units"] == 4
    assert printed["failed"][0] == {
        "task_id": "base_1",
        "trial": 1,
        "task_type": "base",
        "outcome": "failure",
        "kind": "logical_error",
        "why": WRONG.evidence,
        "t_ns": 2,
    }
    assert (printed["failed"][1]["outcome"], printed["failed"][1]["kind"]) == ("infra_error", None)


def test_a_run_without_failures_has_no_line(tmp_path: Path, here: Here) -> None:
    asyncio.run(store(tmp_path / "good", failed=False))
    done = here("view", tmp_path / "good", "--failed")
    assert (done.code, done.stdout) == (0, "")


def test_what_failed_is_a_list_of_its_own(run: Path, here: Here) -> None:
    done = here("view", run, "--failed", "--unit", "base_1")
    assert (done.code, done.stderr.count("\n")) == (USAGE, 1)
