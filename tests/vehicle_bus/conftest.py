from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vehicle_bus.built_world import build_small, write_out
from vehicle_bus.world.file import WorldFile
from vehicle_bus.world.importing import import_world


@pytest.fixture(scope="session")
def small_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built world of nine cities."""
    return build_small(tmp_path_factory.mktemp("built") / "world.sqlite")


@pytest.fixture(scope="session")
def small_file(small_path: Path) -> Iterator[WorldFile]:
    file = WorldFile(small_path)
    yield file
    file.close()


@pytest.fixture(scope="session")
def public_folder(small_file: WorldFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built world as complete public files."""
    return write_out(small_file, tmp_path_factory.mktemp("public"))


@pytest.fixture(scope="session")
def published_folder(public_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same files laid out as the public benchmark publishes them."""
    folder = tmp_path_factory.mktemp("published") / "mock_data"
    people = ("contacts", "calendars")
    for file in public_folder.glob("*.jsonl"):
        part = "productivity_and_communication" if file.stem in people else "navigation"
        (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / part / file.name).symlink_to(file)
    return folder


@pytest.fixture(scope="session")
def imported_path(public_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("imported") / "world.sqlite"
    import_world(public_folder, path)
    return path
