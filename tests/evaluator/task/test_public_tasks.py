import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assistant_gateway.agents.agent import Agent
from assistant_gateway.agents.baselines import BaselineAgent
from assistant_gateway.agents.reference import ReferenceAgent
from evaluator.problems import UsageProblem
from evaluator.reference.plan import reference_plan
from evaluator.results.manifest import task_checksum
from evaluator.task.checked_tasks import FEW, kept
from evaluator.task.public_tasks import is_public, public_tasks, turn_classes, unsupported
from evaluator.task.task import Action, Task
from evaluator.task.worlds import own_world, world_for
from tests.evaluator.talk import talk
from vehicle_bus.car.state import CarState, FixedContext
from vehicle_bus.world.world import World

START = CarState().model_dump() | FixedContext().model_dump()


def row(**fields: Any) -> dict[str, Any]:
    return {
        "task_id": "base_0",
        "calendar_id": "cal_1",
        "actions": [{"name": "set_fan_speed", "kwargs": {"level": 3}, "index": 0}],
        "persona": "You are 51 years old.",
        "instruction": "You want to set the fan speed to level 3.",
        "context_init_config": START,
        "task_type": "base",
        "disambiguation_element_internal": None,
        "removed_part": None,
    } | fields


def lay_out(folder: Path, *rows: dict[str, Any], splits: dict[str, list[str]]) -> Path:
    for main_type in ("base", "hallucination", "disambiguation"):
        lines = [json.dumps(r) for r in rows if r["task_id"].startswith(main_type)]
        (folder / f"tasks_{main_type}.jsonl").write_text("\n".join(lines))
    (folder / "task_splits.json").write_text(json.dumps(splits))
    return folder


def test_a_public_task_becomes_a_task_of_a_compatible_car(tmp_path: Path) -> None:
    [task] = public_tasks(lay_out(tmp_path, row(), splits={"base_train": ["base_0"]}))
    assert (task.task_id, task.source, task.split) == ("base_0", "public", "train")
    assert task.car.compat == "car-bench"
    assert task.car.public_tools_only
    assert task.driver.persona.text == "You are 51 years old."
    assert task.driver.script is not None
    assert task.driver.script.origin == "derived"
    assert task.expect.actions == (Action(name="set_fan_speed", arguments={"level": 3}),)


def test_what_is_removed_and_what_is_to_be_settled_reach_car_and_driver(tmp_path: Path) -> None:
    limited = row(
        task_id="hallucination_0",
        task_type="hallucination_missing_tool",
        removed_part=["set_fan_speed"],
    )
    internal = row(
        task_id="disambiguation_0",
        task_type="disambiguation_internal",
        disambiguation_element_internal="fan speed level",
    )
    first, second = public_tasks(lay_out(tmp_path, limited, internal, splits={}))
    assert first.car.removed == first.driver.removed == ("set_fan_speed",)
    assert second.driver.settle_alone == "fan speed level"


def test_main_types_and_splits_can_be_chosen(tmp_path: Path) -> None:
    splits = {"base_train": ["base_0"], "base_test": ["base_1"], "disambiguation_test": []}
    folder = lay_out(tmp_path, row(), row(task_id="base_1"), splits=splits)
    assert [task.task_id for task in public_tasks(folder, split="test")] == ["base_1"]
    assert public_tasks(folder, types=("disambiguation",)) == []


def test_many_tasks_are_kept_as_they_were_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODRIVER_CACHE", str(tmp_path / "cache"))
    rows = [row(task_id=f"base_{number}") for number in range(FEW)]
    folder = lay_out(tmp_path, *rows, splits={"base_train": ["base_1"]})
    read = public_tasks(folder)
    [file] = (tmp_path / "cache").iterdir()
    assert kept(file) == read == public_tasks(folder)
    (folder / "task_splits.json").write_text('{"base_train": ["base_2"]}')
    assert [task.task_id for task in public_tasks(folder, split="train")] == ["base_2"]


def test_a_task_beyond_this_car_names_the_tools_it_needs(tmp_path: Path) -> None:
    far = row(actions=[{"name": "get_fuel_information", "kwargs": {}}])
    [task] = public_tasks(lay_out(tmp_path, far, splits={}))
    assert unsupported(task) == ["get_fuel_information"]


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("tasks_base.jsonl", "{", "tasks_base.jsonl:1: expected JSON, but"),
        ("tasks_base.jsonl", "\n[1]", "tasks_base.jsonl:2: expected a JSON object"),
        ("tasks_base.jsonl", "{}", "tasks_base.jsonl:1: expected the field 'task_type'"),
        ("tasks_base.jsonl", json.dumps(row(task_type="hard")), "tasks_base.jsonl:1: task_type: "),
        ("task_splits.json", "[]", "task_splits.json: expected a JSON object"),
    ],
)
def test_a_broken_file_is_named_with_its_line(
    tmp_path: Path, file: str, text: str, expected: str
) -> None:
    lay_out(tmp_path, splits={})
    (tmp_path / file).write_text(text)
    with pytest.raises(UsageProblem) as raised:
        public_tasks(tmp_path)
    assert str(raised.value).startswith(f"{tmp_path}/{expected}")
    assert "\n" not in str(raised.value)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert not is_public(tmp_path)
    with pytest.raises(UsageProblem, match=r"task_splits\.json: No such file"):
        public_tasks(tmp_path)


def test_tasks_play_in_the_world_beside_them(tmp_path: Path) -> None:
    assert len(world_for(None).locations()) == len(own_world().locations())
    world = tmp_path / "world"
    world.mkdir()
    for name in ("locations", "weather", "contacts", "calendars"):
        (world / f"{name}.jsonl").write_text("")
    assert world_for(tmp_path).locations() == ()
    (world / "contacts.jsonl").write_text("{")
    with pytest.raises(UsageProblem, match=r"contacts\.jsonl:1"):
        world_for(tmp_path)


@pytest.mark.parametrize(
    ("task_type", "names", "classes"),
    [
        ("base", ["set_fan_speed"], ("B",)),
        ("base", ["get_weather"], ("C",)),
        ("base", ["get_climate_settings", "set_fan_speed"], ("D",)),
        ("base", ["set_new_navigation"], ("D",)),
        ("base", ["open_close_trunk_door"], ("E", "F")),
        ("base", ["get_contact_information", "send_email"], ("C", "F")),
        ("hallucination_missing_tool", ["set_fan_speed"], ("G",)),
        ("hallucination_missing_tool", ["get_climate_settings", "set_fan_speed"], ("C",)),
        ("disambiguation_user", ["set_fan_speed"], ("E", "B")),
        ("disambiguation_user", ["get_contact_information", "send_email"], ("C", "E", "F")),
        ("disambiguation_internal", ["set_fan_speed"], ("B",)),
    ],
)
def test_budgets_follow_from_the_kind_of_calls(
    task_type: str, names: list[str], classes: tuple[str, ...]
) -> None:
    assert turn_classes(task_type, [Action(name=name) for name in names]) == classes


# --- the published files themselves

FOLDER = os.environ.get("CODRIVER_CAR_BENCH", "")
published = pytest.mark.skipif(
    not FOLDER, reason="CODRIVER_CAR_BENCH names no folder with the public tasks"
)


@pytest.fixture(scope="module")
def public() -> tuple[list[Task], World]:
    return public_tasks(Path(FOLDER)), world_for(Path(FOLDER))


@published
def test_all_published_tasks_are_read(public: tuple[list[Task], World]) -> None:
    tasks, _ = public
    assert len({task.task_id for task in tasks}) == len(tasks) == 254
    assert sum(task.split == "train" for task in tasks) == 129
    assert sum(task.split == "test" for task in tasks) == 125


@published
def test_every_published_disambiguation_says_what_settles_it(
    public: tuple[list[Task], World],
) -> None:
    settled = Counter(
        (task.task_type, task.settled_by)
        for task in public[0]
        if task.main_type == "disambiguation"
    )
    assert settled["disambiguation_user", 5] == 29
    assert {by for kind, by in settled if kind == "disambiguation_internal"} == {1, 2, 3, 4}
    assert None not in {by for _, by in settled}


@pytest.mark.parametrize(
    ("note", "settled_by"),
    [
        ("multiple parameter values: explicit user request overrules preference", 1),
        ("multiple parameter options: resolved by stored preference", 2),
        ("multiple tool results: resolved by heuristic rule: fastest route", 3),
        ("multiple tool options: clear from context as low beam are already on", 4),
        ("multiple tool options: clarify with user", 5),
    ],
)
def test_what_settles_a_published_task_is_read_from_its_note(
    tmp_path: Path, note: str, settled_by: int
) -> None:
    kind = {"task_type": "disambiguation_user", "disambiguation_element_note": note}
    [task] = public_tasks(lay_out(tmp_path, row(task_id="base_0", **kind), splits={}))
    assert task.settled_by == settled_by


def test_what_is_only_reported_makes_no_other_task(tmp_path: Path) -> None:
    kind = {"task_type": "disambiguation_user"}
    [task] = public_tasks(lay_out(tmp_path, row(**kind), splits={}))
    noted = task.expect.model_copy(update={"settled_by": 2})
    assert task_checksum(task.model_copy(update={"expect": noted})) == task_checksum(task)


@published
def test_reference_solves_every_published_task_the_car_can_play(
    public: tuple[list[Task], World],
) -> None:
    tasks, world = public
    playable = [task for task in tasks if not unsupported(task)]
    assert len(playable) >= 153
    failures = {
        task.task_id: (failed, played.said)
        for task in playable
        for played in (talk(task, world, ReferenceAgent(reference_plan(task, world))),)
        if (failed := played.failures(task, world))
    }
    assert failures == {}


@published
@pytest.mark.parametrize(
    "agent", [BaselineAgent("null"), BaselineAgent("claims")], ids=lambda agent: agent.name
)
def test_doing_nothing_solves_no_published_task(
    public: tuple[list[Task], World], agent: Agent
) -> None:
    tasks, world = public
    playable = [task for task in tasks if not unsupported(task)]
    assert [
        task.task_id for task in playable if not talk(task, world, agent).failures(task, world)
    ] == []
