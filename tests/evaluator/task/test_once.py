"""What was found for a task is remembered for this very task in this very world."""

from evaluator.task.files import own_task
from evaluator.task.once import once_in_any_words, once_per_task
from evaluator.task.task import Task
from evaluator.task.worlds import own_world
from vehicle_bus.world.world import World


def test_it_is_worked_out_once_for_each_task_and_world() -> None:
    asked: list[str] = []

    @once_per_task
    def found(task: Task, world: World) -> int:
        asked.append(task.title)
        return len(asked)

    world = own_world()
    task = own_task(None, "base_fog_lights", world)
    assert task is not None
    alike = task.model_copy()
    assert [found(task, world), found(task, world), found(alike, world)] == [1, 1, 2]
    assert found(task, World()) == 3
    assert [found(alike, world), found(task, world)] == [2, 1]


def test_what_no_words_change_is_worked_out_once_for_all_of_them() -> None:
    asked: list[str] = []

    @once_in_any_words
    def found(task: Task, world: World) -> int:
        asked.append(task.title)
        return len(asked)

    world = own_world()
    task = own_task(None, "base_fog_lights", world)
    assert task is not None
    in_other_words = task.saying({"opening": "Make it foggy lights."})
    assert in_other_words.driver != task.driver
    assert [found(task, world), found(in_other_words, world)] == [1, 1]
    expect = task.expect.model_copy(update={"actions": ()})
    assert found(in_other_words.model_copy(update={"expect": expect}), world) == 2
