"""Each motif gives sound tasks, of both branches where it has a condition."""

from collections.abc import Iterator
from random import Random

import pytest

from evaluator.task.worlds import own_world
from evaluator.task_making.checks import flaws
from evaluator.task_making.motif_list import ALL, ASKED, SETTLED, instance
from evaluator.task_making.skeleton import Skeleton
from evaluator.task_making.task_file import task_of
from vehicle_bus.world.world import World

CONDITIONS = {
    "dry_on_arrival": {"dry", "wet"},
    "warm_on_arrival": {"cold", "warm"},
    "toll_free_if_close": {"close", "far"},
    "filter_relaxed": {"found", "relaxed"},
    "short_detour": {"near", "far"},
    "further_on": {"early", "late"},
    "end_at_the_stop": {"early", "late"},
    "range_check": {"enough", "charge first"},
    "charge_in_a_break": {"enough", "too little"},
    "make_it_in_time": {"in time", "too late"},
    "copy_to_passenger": {"taken", "empty"},
    "roof_by_weather": {"fair", "bad"},
    "trunk_and_light": {"open", "closed"},
}


@pytest.fixture(scope="module")
def world() -> World:
    return own_world()


def drawn(name: str, world: World, tries: int = 300) -> Iterator[Skeleton]:
    for number in range(tries):
        found = instance(name, world, Random(f"test/{name}/{number}"))
        if found is not None:
            yield found


def test_there_are_many_motifs() -> None:
    assert len(ALL) >= 30
    assert len(SETTLED) >= 10
    assert len(ASKED) >= 10


@pytest.mark.parametrize("name", ALL)
def test_a_motif_gives_a_sound_task(name: str, world: World) -> None:
    skeleton = next(drawn(name, world))
    task = task_of(skeleton, "made", world)
    assert task is not None
    assert list(flaws(skeleton, task, world)) == []


@pytest.mark.parametrize("name", CONDITIONS)
def test_both_branches_of_a_condition_occur(name: str, world: World) -> None:
    seen = set[str]()
    for skeleton in drawn(name, world, 600):
        seen.add(skeleton.branch)
        if seen >= CONDITIONS[name]:
            return
    assert seen == CONDITIONS[name]


def test_the_same_chance_gives_the_same_instance(world: World) -> None:
    one, other = (next(drawn("two_legs", world)) for _ in range(2))
    assert one == other


def test_a_look_up_that_nothing_needs_is_a_flaw(world: World) -> None:
    skeleton = next(drawn("light_like_the_car", world))
    blind = skeleton.model_copy(update={"deciding": frozenset[str](), "says": ()})
    task = task_of(blind, "made", world)
    assert task is not None
    assert "get_car_color changes nothing" in set(flaws(blind, task, world))


def test_a_careless_course_that_ends_right_is_a_flaw(world: World) -> None:
    skeleton = next(drawn("toll_free_if_close", world))
    right = tuple(action for action in skeleton.actions if action.name == "set_new_navigation")
    lucky = skeleton.model_copy(update={"careless": right})
    task = task_of(lucky, "made", world)
    assert task is not None
    assert "the careless course ends as it should" in set(flaws(lucky, task, world))
