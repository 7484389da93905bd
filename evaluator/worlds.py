"""Which world a set of tasks plays in."""

from pathlib import Path

import vehicle_bus
from evaluator.problems import UsageProblem
from vehicle_bus.shipped import shipped
from vehicle_bus.world import FileWorld, World, WorldError


def own_world() -> World:
    """The small world that comes with codriver."""
    assert vehicle_bus.__file__ is not None
    return FileWorld.load(shipped("data", vehicle_bus.__file__) / "world")


def world_for(tasks_from: Path | None) -> World:
    """The world lying beside imported tasks (`DIR/world`), else our own."""
    folder = tasks_from and tasks_from / "world"
    if folder is None or not folder.is_dir():
        return own_world()
    try:
        return FileWorld.load(folder)
    except WorldError as error:
        raise UsageProblem(str(error)) from error
