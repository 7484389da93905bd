"""A world in one file: people and weather in memory, places and routes read when asked for."""

from pathlib import Path

from vehicle_bus.sqlite_atlas import SqliteAtlas
from vehicle_bus.world import FileWorld, World
from vehicle_bus.world_file import WorldFile
from vehicle_bus.world_schema import KINDS
from vehicle_bus.world_tables import WorldTables


def open_world_file(path: Path) -> World:
    """A world that was built or imported; may raise `WorldError`."""
    file = WorldFile(path)
    tables = WorldTables(file)
    few = {kind: tables.entries(kind) for kind in KINDS}
    return FileWorld(**few, atlas=SqliteAtlas(file, tables))
