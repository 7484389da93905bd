"""All motifs by name."""

from collections.abc import Callable
from random import Random

from evaluator.task.splits import Split
from evaluator.task_making.closing import closing_question
from evaluator.task_making.motifs import (
    ask,
    cabin,
    charging,
    lights,
    people,
    settle,
    travel,
    trips,
)
from evaluator.task_making.scene import Scene, Unsuitable
from evaluator.task_making.skeleton import Skeleton
from vehicle_bus.world.world import World

Motif = Callable[[Scene], None]
WITH_A_QUESTION = 0.6


def _named(*groups: tuple[Motif, ...]) -> dict[str, Motif]:
    return {motif.__name__: motif for group in groups for motif in group}


_CLEAR = _named(*(each.MOTIFS for each in (travel, trips, charging, people, cabin, lights)))
ALL = _CLEAR | _named(settle.MOTIFS, ask.MOTIFS)
BASE, SETTLED, ASKED = map(tuple, (_CLEAR, _named(settle.MOTIFS), _named(ask.MOTIFS)))


def instance(
    name: str, world: World, chance: Random, split: Split | None = None
) -> Skeleton | None:
    """One instance of a motif, or None if what was drawn does not suit it."""
    scene = Scene(world, chance, name, split)
    try:
        ALL[name](scene)
        if scene.may_go_on and chance.random() < WITH_A_QUESTION:
            closing_question(scene)
        return scene.skeleton()
    except Unsuitable:
        return None
