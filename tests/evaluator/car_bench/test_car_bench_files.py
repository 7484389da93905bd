"""Public result files in and out: reenacted as recorded, exported as the public format wants."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import orjson
import pytest

from evaluator.car_bench.exporting import export, trajectory
from evaluator.car_bench.importing import import_into
from evaluator.car_bench.recorded_verdict import blame
from evaluator.car_bench.recordings import read_recordings
from evaluator.car_bench.replay_in_process import reenact
from evaluator.commands.score import score_again
from evaluator.problems import UsageProblem
from evaluator.results.store import UnitResult, open_store
from evaluator.results.summary import Summary
from evaluator.results.verdict_changes import differing
from evaluator.scoring.policies import POLICIES
from evaluator.scoring.scores import score
from evaluator.task.selection import load_tasks, load_world
from evaluator.task.task import Task
from evaluator.views.table import headline
from tests.evaluator.episodes import do, task
from tests.vehicle_bus.cars import WORLD
from vehicle_bus.world.world import World

FAN = task(do("set_fan_speed", level=3)).model_copy(update={"task_id": "base_1"})
YAML = """
task_id: base_1
task_type: base
title: Fan
driver:
  instruction: You want more air.
  script: {opening: 'Fan to three, please.'}
expect:
  actions:
    - set_fan_speed: {level: 3}
  turn_classes: [B]
"""


def call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    return {
        "id": f"x{number}",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(arguments)},
    }


def entry(level: int = 3, trial: int = 0, **info: Any) -> dict[str, Any]:
    """A recorded run in which the agent sets the fan to a level."""
    answer = {"status": "SUCCESS", "result": {"level": level}}
    scored = {"r_policy": 1.0, "policy_llm_errors": [], "end_conversation_keyword": None}
    return {
        "task_id": "base_1",
        "trial": trial,
        "reward": 1.0,
        "info": {
            "source": "user",
            "reward_info": {"reward": 1.0, "info": {**scored, **info}},
            "total_agent_cost": 0.25,
        },
        "traj": [
            {"role": "system", "content": "You are in a car."},
            {"role": "user", "content": "Fan to three, please."},
            {
                "role": "assistant",
                "content": "Let me see.",
                "tool_calls": [call(1, "set_fan_speed", level=level)],
            },
            {
                "role": "tool",
                "tool_call_id": "x1",
                "name": "set_fan_speed",
                "content": json.dumps(answer),
            },
            {"role": "assistant", "content": "It is at three.", "tool_calls": None},
            {"role": "user", "content": "###STOP###"},
        ],
    }


def files(folder: Path, *entries: dict[str, Any]) -> tuple[Path, Path]:
    """A result file, and a folder with the one task it is about."""
    recorded, tasks = folder / "results.json", folder / "tasks"
    recorded.write_bytes(orjson.dumps(list(entries)))
    tasks.mkdir()
    (tasks / "base_1.yaml").write_text(YAML, encoding="utf-8")
    return recorded, tasks


def imported(folder: Path, *entries: dict[str, Any], **options: Any) -> list[UnitResult]:
    recorded, tasks = files(folder, *entries)
    import_into(folder / "run", None, [recorded], None, tasks, None, as_json=True, **options)
    return units(folder / "run")


def units(folder: Path) -> list[UnitResult]:
    async def read() -> list[UnitResult]:
        async with open_store(folder) as store:
            return await store.units()

    return asyncio.run(read())


def played(folder: Path, recorded: dict[str, Any], made: Task = FAN, world: World = WORLD) -> Any:
    file = folder / "one.json"
    file.write_bytes(orjson.dumps([recorded]))
    [run] = read_recordings(file).runs
    return reenact(run, made, world, "car-1")


def test_a_recording_becomes_a_complete_record(tmp_path: Path) -> None:
    reenacted = played(tmp_path, entry())
    record = reenacted.record
    assert record.gap is None
    assert reenacted.differing == ()
    assert record.final_state is not None
    assert record.final_state["fan_speed"] == 3
    assert [turn.heard_agent for turn in record.turns] == ["It is at three."]
    assert score(record, FAN, WORLD).reward == 1.0


def test_an_answer_our_car_gives_otherwise_is_reported(tmp_path: Path) -> None:
    recorded = entry()
    recorded["traj"][3]["content"] = '{"status": "FAILURE", "errors": {"SetFanSpeed_001": "no"}}'
    [differing] = played(tmp_path, recorded).differing
    assert differing.startswith("set_fan_speed")


def test_what_the_driver_said_last_is_taken_from_the_file(tmp_path: Path) -> None:
    record = played(tmp_path, entry(end_conversation_keyword="OUT_OF_SCOPE")).record
    judged = score(record, FAN, WORLD)
    assert (judged.reward, judged.end_conversation_keyword) == (0.0, "OUT_OF_SCOPE")


def test_a_run_out_of_steps_fails(tmp_path: Path) -> None:
    recorded = entry()
    recorded["info"]["reward_info"] = None
    recorded["traj"].pop()
    judged = score(played(tmp_path, recorded).record, FAN, WORLD)
    assert judged.reward == 0.0
    assert judged.reason.startswith("step_limit")


def test_a_phone_call_ends_it_without_a_word_of_the_driver(tmp_path: Path) -> None:
    recorded = entry()
    answer = recorded["traj"][3]["content"]
    recorded["traj"][4:] = [{"role": "user", "content": answer}]
    record = played(tmp_path, recorded).record
    assert record.controls == ()
    assert [turn.handed_over for turn in record.turns] == [False]
    assert trajectory(record)[-1] == {"role": "user", "content": answer}


def test_an_imported_run_knows_nothing_about_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [good, bad] = imported(tmp_path, entry(3, 0), entry(2, 1))
    assert (good.score.reward, bad.score.reward) == (1.0, 0.0)
    assert good.score.components["r_realtime"] is None
    assert (good.score.turns, good.score.reward_in_time, good.cost) == ((), None, {"agent": 0.25})
    figures = orjson.loads(capsys.readouterr().out)
    assert figures["pass_hat_k_in_time"] == {}
    assert figures["in_time_mean"] is None
    assert figures["budget"]["hard_miss_rate"] is None
    assert figures["judge"]["judge"] == "recorded"
    assert "in time unknown" in headline(Summary.model_validate(figures))


def test_a_later_look_at_an_imported_run_says_the_same(tmp_path: Path) -> None:
    imported(tmp_path, entry(3, 0), entry(2, 1))

    async def again() -> int:
        async with open_store(tmp_path / "run") as store:
            pairs = score_again(store, {"base_1": FAN}, WORLD)
            return len([1 async for one, two in pairs if differing(one.score, two.score)])

    made = load_tasks(tmp_path / "tasks")[0]
    assert made.expect == FAN.expect
    assert asyncio.run(again()) == 0


def test_trials_are_numbered_from_zero_and_keep_their_numbers_outside(tmp_path: Path) -> None:
    [only] = imported(tmp_path, entry(3, trial=2))
    assert only.trial == 0
    export(tmp_path / "run", tmp_path / "again.json", None, as_json=True)
    [again] = orjson.loads((tmp_path / "again.json").read_bytes())
    assert again["trial"] == 2


def test_what_is_exported_can_be_imported_again(tmp_path: Path) -> None:
    imported(tmp_path, entry(3, 0), entry(2, 1))
    file = tmp_path / "again.json"
    export(tmp_path / "run", file, None, as_json=True)
    import_into(tmp_path / "b", None, [file], None, tmp_path / "tasks", None, as_json=True)
    one, two = units(tmp_path / "run"), units(tmp_path / "b")
    assert [unit.score.components for unit in one] == [unit.score.components for unit in two]
    [first, _] = orjson.loads(file.read_bytes())
    roles = [message["role"] for message in first["traj"]]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]
    assert first["traj"][-1]["content"] == "###STOP###"
    named = [action["name"] for action in first["info"]["reward_info"]["actions"]]
    assert named == ["set_fan_speed", "respond"]


def test_a_broken_rule_is_named_by_the_words_of_its_reason() -> None:
    asked = [POLICIES[name] for name in ("002", "021", "022")]
    reason = "The agent said 5:30 AM, which is not the 24h format; kilometers were metric."
    assert blame([reason], asked) == {"002": reason}
    numbered = "LLM-POL:022: " + reason
    assert blame([numbered], asked) == {"022": numbered}
    assert len(blame([reason, reason, "something else"], asked)) == 3
    assert blame(["one", "two"], asked[:1]).keys() == {"002"}


def test_what_cannot_be_imported_is_said_in_one_line(tmp_path: Path) -> None:
    recorded, tasks = files(tmp_path, entry(), entry())
    with pytest.raises(UsageProblem, match="base_1 trial 0: in "):
        import_into(tmp_path / "r", None, [recorded], None, tasks, None, as_json=True)
    with pytest.raises(UsageProblem, match="but --out"):
        import_into(None, None, [recorded], None, tasks, None, as_json=True)
    recorded.write_bytes(orjson.dumps([{**entry(), "task_id": "base_77"}]))
    with pytest.raises(UsageProblem, match="none of the recorded tasks: base_77"):
        import_into(tmp_path / "r", None, [recorded], None, tasks, None, as_json=True)


def test_recorded_public_runs_score_as_published(tmp_path: Path) -> None:
    noted = os.environ.get("CODRIVER_CAR_BENCH")
    if noted is None:
        pytest.skip("CODRIVER_CAR_BENCH does not name the public benchmark's files")
    public = Path(noted)
    tasks = {made.task_id: made for made in load_tasks(public)}
    world = load_world(public, None)
    for file in sorted((public / "trajectories").glob("*.jsonl")):
        out = tmp_path / file.stem
        import_into(out, None, [file], None, public, world_folder=None, as_json=True)
        runs = read_recordings(file).runs
        assert world is not None
        for run, unit in zip(sorted(runs, key=_place(tasks)), units(out), strict=True):
            found, ours = run.info["reward_info"], unit.score
            published = {n: v for n, v in found["info"].items() if n in ours.components}
            assert {name: ours.components[name] for name in published} == published, run.where
            assert ours.reward == found["reward"], run.where
            noted_word = found["info"]["end_conversation_keyword"]
            assert ours.end_conversation_keyword == noted_word, run.where


def _place(tasks: dict[str, Task]) -> Any:
    order = list(tasks)
    return lambda run: (order.index(run.task_id), run.trial)
