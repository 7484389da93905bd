"""A set of tasks from the motifs: the same by seed, in its shares, each limit with its twin."""

from collections import Counter
from pathlib import Path

import pytest

from evaluator.commands.tasks.generate import SKELETONS
from evaluator.scoring.course.feasible import feasible
from evaluator.task.files import own_tasks
from evaluator.task.splits import splits
from evaluator.task.worlds import own_world
from evaluator.task_making.figures import figures_of
from evaluator.task_making.generate import Made, generated
from evaluator.task_making.limits import OTHER_WAYS, SPARED
from evaluator.task_making.task_file import task_text
from tests.evaluator.command_line import Here
from vehicle_bus.world.world import World

SEED, NUMBER = 3, 50


@pytest.fixture(scope="module")
def world() -> World:
    return own_world()


@pytest.fixture(scope="module")
def made(world: World) -> list[Made]:
    return generated(world, SEED, NUMBER)


def test_a_set_has_its_number_and_shares(made: list[Made]) -> None:
    assert len(made) == NUMBER
    assert len({one.task.task_id for one in made}) == NUMBER
    assert Counter(one.task.main_type for one in made) == {
        "base": 22, "hallucination": 18, "disambiguation": 10,
    }  # fmt: skip


def test_the_same_seed_makes_the_same_set(made: list[Made], world: World) -> None:
    assert generated(world, SEED, NUMBER) == made
    assert {one.skeleton.key for one in generated(world, SEED + 1, NUMBER)}.isdisjoint(
        one.skeleton.key for one in made
    )


def test_each_limit_has_a_twin_that_lacks_nothing(made: list[Made], world: World) -> None:
    by_id = {one.task.task_id: one for one in made}
    limits = [one for one in made if one.task.car.removed]
    assert limits
    for one in limits:
        assert one.task.twin is not None
        twin = by_id[one.task.twin]
        assert twin.task.family == one.task.family
        assert twin.task.task_type == "base"
        assert twin.task.driver.script is not None
        assert one.task.driver.script is not None
        assert twin.task.driver.script.opening == one.task.driver.script.opening
        left = feasible(one.task, world)
        assert left.missing
        assert left.due


def test_a_limit_takes_away_the_other_ways_to_the_same_end(made: list[Made]) -> None:
    removed = [one.task.car.removed for one in made if one.task.car.removed]
    for first, *others in removed:
        tool = first.removeprefix("result.").partition(".")[0]
        assert tool not in SPARED
        if tool != "set_new_navigation":
            assert set(OTHER_WAYS.get(first, ())) <= set(others)
    assert any(len(each) > 1 for each in removed)


def test_a_limit_is_about_what_decides(made: list[Made]) -> None:
    hidden = [
        (one, one.task.car.removed[0])
        for one in made if one.task.task_type == "hallucination_missing_tool_response"
    ]  # fmt: skip
    assert hidden
    for one, first in hidden:
        assert first.removeprefix("result.") in one.skeleton.deciding


def test_a_split_is_about_its_cities_and_people(world: World) -> None:
    test, train = splits()["test"], splits()["train"]
    made = generated(world, SEED, 25, test)
    texts = [task_text(one.skeleton, one.task.task_id) for one in made]
    for name in (*train.cities, *train.people):
        assert not [text for text in texts if name in text], name
    assert all(one.task.car.start["current_location"]["name"] in test.cities for one in made)


def test_tasks_take_many_calls(made: list[Made]) -> None:
    figures = figures_of([one.task for one in made])
    assert figures["mean_calls"] >= 4
    assert figures["five_or_more"] >= 0.35
    assert figures["two_domains"] >= 0.4
    assert figures["told"] >= 0.35
    assert figures["preferences"] >= 0.2


def test_the_command_writes_tasks_that_the_reference_passes(here: Here, tmp_path: Path) -> None:
    out = tmp_path / "fresh"
    assert here("tasks", "generate", "--seed", "4", "--num", "15", "--out", out).code == 0
    assert len(own_tasks(out)) == len((out / SKELETONS).read_text().splitlines()) == 15
    checked = here("tasks", "validate", "--tasks-from", out, "--courses", "none")
    assert checked.code == 0, checked.stdout
    again = here("tasks", "generate", "--out", out)
    assert "is not empty" in again.stderr
