import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import vehicle_bus
from tests.vehicle_bus.built_world import CITIES, SEED, build_small
from vehicle_bus.world.build.build import build_world
from vehicle_bus.world.cache import built_world, built_world_path
from vehicle_bus.world.file import WorldFile
from vehicle_bus.world.importing import (
    import_world,
    is_complete,
    source_checksum,
    source_files,
)
from vehicle_bus.world.json_lines import WorldError

CHECKSUM = "b06f5d89bb8be6c6be8cc0763803ad0c"


def test_the_same_seed_makes_the_same_world(small_file: WorldFile, tmp_path: Path) -> None:
    again = WorldFile(build_small(tmp_path / "again.sqlite"))
    other = WorldFile(build_small(tmp_path / "other.sqlite", seed=SEED + 1))
    assert again.meta == small_file.meta
    assert again.checksum() == small_file.checksum() == again.meta["checksum"]
    assert other.checksum() != again.checksum()


def test_our_own_world_is_the_one_that_tasks_were_written_for() -> None:
    """If this changes on purpose, look through the ids in tasks/ first."""
    path, _ = built_world()
    file = WorldFile(path)
    assert file.checksum() == file.meta["checksum"] == CHECKSUM


def test_the_layout_in_which_a_world_is_published_makes_the_same_world(
    published_folder: Path, public_folder: Path, imported_path: Path, tmp_path: Path
) -> None:
    checksums = {WorldFile(imported_path).meta["checksum"]}
    for number, folder in enumerate((published_folder, published_folder.parent)):
        import_world(folder, tmp_path / f"{number}.sqlite")
        checksums.add(WorldFile(tmp_path / f"{number}.sqlite").meta["checksum"])
        assert is_complete(folder)
        assert source_checksum(folder) == source_checksum(public_folder)
        assert source_files(folder) == source_files(public_folder)
    assert len(checksums) == 1


def test_hash_randomisation_does_not_matter(small_file: WorldFile, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from vehicle_bus.world.build.build import *; "
        f"build_world(Path(sys.argv[1]), seed={SEED}, cities={CITIES})"
    )
    path = tmp_path / "world.sqlite"
    subprocess.run(
        [sys.executable, "-c", code, str(path)],
        env={**os.environ, "PYTHONHASHSEED": "77"},
        cwd=Path(vehicle_bus.__file__ or "").parents[1],
        check=True,
    )
    assert WorldFile(path).checksum() == small_file.checksum()


def test_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail(done: int, steps: int) -> None:
        if done > steps // 2:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        build_world(tmp_path / "world.sqlite", cities=CITIES, on_progress=fail)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_build_keeps_the_world_there_was(tmp_path: Path) -> None:
    path = build_small(tmp_path / "world.sqlite")
    before = path.read_bytes()

    def fail(done: int, steps: int) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        build_world(path, cities=CITIES, on_progress=fail)
    assert path.read_bytes() == before


BUILD = f"""
import sys
from functools import partial
from vehicle_bus.world import cache

def halfway(done, steps):
    if done == {CITIES}:
        print("halfway")
        sys.stdin.read()  # until it is closed

cache.build_world = partial(cache.build_world, cities={CITIES})  # a whole one takes far longer
print(cache.built_world(on_progress=halfway)[1])
"""
Start = Callable[[int], "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Start a process that needs the world, with an empty cache folder."""
    monkeypatch.setenv("CODRIVER_CACHE", str(tmp_path))

    def started(stdin: int) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-u", "-c", BUILD],
            stdin=stdin,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(vehicle_bus.__file__ or "").parents[1],
        )

    return started


def test_after_a_kill_in_the_middle_the_world_is_built_again(tmp_path: Path, start: Start) -> None:
    with start(subprocess.PIPE) as killed:
        assert killed.stdout is not None
        assert killed.stdout.readline() == "halfway\n"
        os.kill(killed.pid, signal.SIGKILL)
    assert not built_world_path().exists()
    assert list(tmp_path.glob("*.part"))
    with start(subprocess.DEVNULL) as first, start(subprocess.DEVNULL) as second:
        seen = [process.communicate()[0].splitlines()[-1] for process in (first, second)]
    assert sorted(seen) == ["False", "True"]
    assert not list(tmp_path.glob("*.part"))
    file = WorldFile(built_world_path())
    assert file.checksum() == file.meta["checksum"]


def test_what_is_no_world_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "world.sqlite"
    path.write_bytes(b"no database at all, but long enough to look like one")
    with pytest.raises(WorldError, match="no world can be read"):
        WorldFile(path)
    with pytest.raises(WorldError, match="no world can be read"):
        WorldFile(tmp_path / "missing.sqlite")
    build_small(path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value = '0' WHERE key = 'format'")
    connection.close()
    with pytest.raises(WorldError, match="another version"):
        WorldFile(path)
