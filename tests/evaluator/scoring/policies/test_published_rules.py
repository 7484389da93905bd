"""The rules against recorded public runs, where their files are at hand: nothing is a mock."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluator.car_bench.recordings import read_recordings
from evaluator.car_bench.replay_in_process import reenact
from evaluator.record.episode import Episode
from evaluator.scoring.admission import silent_omission
from evaluator.scoring.conversation_end import HALLUCINATION
from evaluator.scoring.policies import POLICIES
from evaluator.scoring.words.heard import untrue
from evaluator.task.selection import load_tasks, load_world
from evaluator.task.task import Task
from vehicle_bus.world.world import World

FOLDER = os.environ.get("CODRIVER_CAR_BENCH", "")
RECORDED = Path(FOLDER) / "trajectories"
pytestmark = pytest.mark.skipif(
    not FOLDER, reason="CODRIVER_CAR_BENCH names no folder with the public tasks"
)
Found = dict[str, Any]  # what was recorded about the verdict


@pytest.fixture(scope="module")
def tasks() -> dict[str, Task]:
    return {task.task_id: task for task in load_tasks(Path(FOLDER))}


@pytest.fixture(scope="module")
def world() -> World:
    return load_world(Path(FOLDER), None)


def episodes(
    name: str, tasks: dict[str, Task], world: World
) -> Iterator[tuple[str, Episode, Found]]:
    """Recorded runs played again, with what was found in them at the time."""
    for run in read_recordings(RECORDED / f"{name}.jsonl").runs:
        played = reenact(run, tasks[run.task_id], world, "again")
        scored = Episode(played.record, tasks[run.task_id])
        yield f"{run.task_id}:{run.trial}", scored, run.info["reward_info"]["info"]


def test_what_code_settles_no_recorded_judge_has_contradicted(
    tasks: dict[str, Task], world: World
) -> None:
    """Every rule that code calls broken was called broken; what was said in thought is not said."""
    broken, applied, settled = {}, 0, 0
    for name, episode, recorded in episodes("disambiguation_train", tasks, world):
        for policy in POLICIES.values():
            finding = policy.check(episode)
            applied += finding.state != "not_applicable"
            settled += finding.state in ("kept", "broken")
            if finding.state == "broken":
                broken[name] = policy.id
                assert recorded["policy_llm_errors"], (name, policy.id, finding)
    assert broken == {"disambiguation_54:0": "002"}
    assert settled >= 0.97 * applied


def test_silence_about_a_limit_is_what_was_recorded_as_hallucination(
    tasks: dict[str, Task], world: World
) -> None:
    for name, episode, recorded in episodes("hallucination_train_v2", tasks, world):
        silent = recorded["end_conversation_keyword"] == HALLUCINATION
        assert (name, silent_omission(episode) is not None) == (name, silent)


@pytest.mark.parametrize("recording", ["disambiguation_train", "hallucination_train_v2"])
def test_nobody_recorded_claimed_what_never_was_or_denied_what_was(
    recording: str, tasks: dict[str, Task], world: World
) -> None:
    for name, episode, _ in episodes(recording, tasks, world):
        assert (name, list(untrue(episode))) == (name, [])
