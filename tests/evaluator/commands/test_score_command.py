import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.commands.score import ScoresChanged, rescore, score_again, scored_manifest
from evaluator.record.record import Record
from evaluator.reference.difficulty import facts_of
from evaluator.results.manifest import Manifest
from evaluator.results.store import UnitResult, open_store
from evaluator.results.verdict_changes import Pair, differing
from evaluator.scoring.scores import score
from evaluator.task.task import Task
from tests.evaluator.episodes import Episode, do, manifest, task, unit
from tests.vehicle_bus.cars import WORLD

FAN = task(do("set_fan_speed", level=3))


def fan_run(*levels: int) -> tuple[Manifest, list[tuple[UnitResult, Episode]]]:
    """A run of one task; in each trial the agent sets another level."""
    played = []
    for trial, level in enumerate(levels):
        episode = Episode(FAN).said("driver", "Fan to three, please.")
        episode.call("set_fan_speed", level=level).said("agent", "Done.").turn().end()
        scored = score(episode.record, FAN, WORLD)
        result = unit(FAN.task_id, trial).model_copy(update={"score": scored, **facts_of(FAN)})
        played.append((result, episode))
    return manifest(FAN.task_id, num_trials=len(levels)), played


async def stored(folder: Path, *levels: int) -> None:
    made, played = fan_run(*levels)
    async with open_store(folder, manifest=made) as store:
        for result, episode in played:
            await store.save(result, episode.record)


async def again(folder: Path, corrected: Task = FAN) -> list[Pair]:
    async with open_store(folder) as store:
        return [pair async for pair in score_again(store, {corrected.task_id: corrected}, WORLD)]


async def test_nothing_changes_when_nothing_changed(tmp_path: Path) -> None:
    await stored(tmp_path, 3, 2)
    pairs = await again(tmp_path)
    async with open_store(tmp_path) as store:
        units = await store.units()
    assert [before for before, _ in pairs] == units
    assert [after for _, after in pairs] == units


async def test_a_corrected_task_changes_what_is_expected(tmp_path: Path) -> None:
    await stored(tmp_path, 3, 2)
    corrected = task(do("set_fan_speed", level=2))
    pairs = await again(tmp_path, corrected)
    assert [after.score.reward for _, after in pairs] == [0, 1]
    before, after = pairs[1]
    assert "outcome failure, now success" in differing(before.score, after.score)
    scored = scored_manifest(manifest(FAN.task_id), {FAN.task_id: corrected}, "codriver")
    assert scored.tasks != manifest(FAN.task_id).tasks


def tasks_of_one_fan(folder: Path) -> Path:
    folder.mkdir()
    (folder / "base_90.yaml").write_text(
        "task_id: base_90\ntask_type: base\ntitle: Fan\n"
        "driver:\n  instruction: You want more air.\n"
        "  script: {opening: 'Fan to two, please.'}\n"
        "expect:\n  actions:\n    - set_fan_speed: {level: 2}\n  turn_classes: [B]\n",
        encoding="utf-8",
    )
    return folder


def test_the_rescored_run_can_be_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "run", tmp_path / "again"
    tasks = tasks_of_one_fan(tmp_path / "tasks")
    asyncio.run(stored(source, 3, 2))
    rescore(source, None, tasks, None, out, as_json=False)
    assert "2 of 2 scores changed" in capsys.readouterr().out

    async def kept() -> list[float | None]:
        async with open_store(out) as store:
            assert (await store.record("base_90", 1)).gap is None
            return [unit.score.reward for unit in await store.units()]

    assert asyncio.run(kept()) == [0, 1]


def test_a_run_of_a_car_without_a_charge_limit_scores_as_it_did() -> None:
    """The variable came later; records of earlier cars do not hold it."""
    episode = Episode(FAN).said("driver", "Fan to three, please.")
    episode.call("set_fan_speed", level=3).said("agent", "Done.").turn().end()
    older = tuple(
        replace(entry, payload=entry.payload.replace(b',"charge_limit_percent":100', b""))
        for entry in episode.record.entries
    )
    assert older != episode.record.entries
    assert score(Record("car-1", older), FAN, WORLD) == score(episode.record, FAN, WORLD)
    limit = task(do("set_charge_limit", limit_percent=80))
    assert "charge_limit_percent is 100, expected 80" in str(
        score(Record("car-1", older), limit, WORLD).why
    )


def test_a_gate_fails_when_a_score_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(stored(tmp_path / "run", 3, 2))
    tasks = tasks_of_one_fan(tmp_path / "tasks")
    with pytest.raises(ScoresChanged, match="2 of 2 scores changed") as problem:
        rescore(tmp_path / "run", None, tasks, None, None, gate=True, as_json=True)
    assert problem.value.exit_code == 1
    rescore(tmp_path / "run", None, tasks, None, tmp_path / "again", as_json=True)
    rescore(tmp_path / "again", None, tasks, None, None, gate=True, as_json=True)
    assert capsys.readouterr().out


def test_another_world_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    asyncio.run(stored(tmp_path / "run", 3))
    tasks = tasks_of_one_fan(tmp_path / "tasks")
    rescore(tmp_path / "run", None, tasks, None, None, as_json=True)
    assert "the world differs from the one this run was played in" in caplog.text


@given(st.sampled_from(["success", "failure", "user_error", "infra_error"]))
def test_a_score_does_not_differ_from_itself(outcome: str) -> None:
    assert differing(unit(outcome=outcome).score, unit(outcome=outcome).score) == []
