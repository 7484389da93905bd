import asyncio
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from evaluator.record.digest import digest
from evaluator.results.manifest import Manifest, differing_fields
from evaluator.results.store import FILE, LOCK, StoreError, StoreFull, finished_in, open_store
from tests.evaluator.episodes import Episode, manifest, unit

NOBODY = 65_534
WRITER = """
import asyncio, sys
from pathlib import Path
from evaluator.results.store import open_store
from tests.evaluator.episodes import Episode, manifest, unit

async def main() -> None:
    names = [f"base_{number}" for number in range(50)]
    record = Episode().turn().end().record
    async with open_store(Path(sys.argv[1]), manifest=manifest(*names), resume=True) as store:
        finished = await store.finished_units()
        for name in names:
            if (name, 0) not in finished:
                await store.save(unit(name), record)
                print(name, flush=True)

asyncio.run(main())
"""


async def created(folder: Path, made: Manifest | None = None) -> None:
    async with open_store(folder, manifest=made or manifest()):
        pass


async def test_what_was_saved_is_read_back_the_same(tmp_path: Path) -> None:
    record = Episode().call("set_fan_speed", level=2).turn().end().record
    saved = unit(episode=Episode().turn(), digest=digest(record))
    async with open_store(tmp_path / "run", manifest=manifest()) as store:
        await store.save(saved, record)
    async with open_store(tmp_path / "run") as store:
        assert await store.units() == [saved]
        assert await store.record("base_90") == record
        assert digest(await store.record("base_90", 0)) == digest(record)


async def test_units_come_in_planning_order(tmp_path: Path) -> None:
    names = ["base_10", "base_2", "base_1"]
    async with open_store(tmp_path, manifest=manifest(*names, num_trials=2)) as store:
        for name, trial in [("base_1", 1), ("base_2", 0), ("base_10", 1), ("base_10", 0)]:
            await store.save(unit(name, trial))
        units = [saved.unit for saved in await store.units()]
    assert units == [("base_10", 0), ("base_10", 1), ("base_2", 0), ("base_1", 1)]


async def test_the_newest_attempt_stands_for_a_unit(tmp_path: Path) -> None:
    first, second = Episode().end().record, Episode().turn().end().record
    async with open_store(tmp_path, manifest=manifest()) as store:
        await store.save(unit(outcome="infra_error"), first)
        assert await store.finished_units() == set()
        await store.save(unit(attempt=1), second)
        assert await store.finished_units() == {("base_90", 0)}
        assert [saved.attempt for saved in await store.units()] == [1]
        assert [saved.attempt for saved in await store.units(every_attempt=True)] == [0, 1]
        assert await store.record("base_90") == second
        assert await store.record("base_90", attempt=0) == first


async def test_a_unit_played_again_after_a_resume_replaces_what_the_bench_spoilt(
    tmp_path: Path,
) -> None:
    async with open_store(tmp_path, manifest=manifest()) as store:
        await store.save(unit(outcome="infra_error", attempt=2))
    async with open_store(tmp_path, manifest=manifest(), resume=True) as store:
        await store.save(unit(attempt=0))
        assert [saved.score.outcome for saved in await store.units()] == ["success"]
        assert await store.finished_units() == {("base_90", 0)}


async def test_a_resume_keeps_the_first_manifest(tmp_path: Path) -> None:
    await created(tmp_path)
    later = manifest(run_id="r2", created_at="later", broker="mqtt", host={"cores": 99})
    async with open_store(tmp_path, manifest=later, resume=True) as store:
        assert store.manifest.run_id == "r1"


def test_conditions_that_differ_are_named_with_their_values() -> None:
    begun, now = (manifest(conditions={"noise": noise}) for noise in ("car", "off"))
    assert differing_fields(begun, now) == ["conditions (1 differ: noise (car, now off))"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 11}, "seed (10, now 11)"),
        ({"agent": "null"}, "agent (reference, now null)"),
        ({"pace": "live"}, "pace (fast, now live)"),
        ({"tasks": {"base_90": "edited"}}, "tasks (1 differ: base_90)"),
        ({"seed": 11, "num_trials": 3}, "seed (10, now 11)"),
        ({"num_trials": 0}, "num_trials (1, now 0)"),
        ({"unsupported": ("base_7",)}, "unsupported (0 entries, now 1)"),
    ],
)
async def test_a_resume_with_other_content_names_the_difference(
    tmp_path: Path, change: dict[str, Any], named: str
) -> None:
    await created(tmp_path)
    with pytest.raises(StoreError, match=re.escape(named)):
        async with open_store(tmp_path, manifest=manifest(**change), resume=True):
            pass


async def test_a_finished_run_takes_more_trials(tmp_path: Path) -> None:
    await created(tmp_path)
    async with open_store(tmp_path, manifest=manifest(num_trials=3), resume=True) as store:
        assert store.manifest.num_trials == 3
    async with open_store(tmp_path) as store:
        assert (store.manifest.run_id, store.manifest.planned) == ("r1", 3)


async def test_a_part_of_the_tasks_may_be_gone_on_with(tmp_path: Path) -> None:
    await created(tmp_path, manifest("base_1", "base_2"))
    async with open_store(tmp_path, manifest=manifest("base_2"), resume=True) as store:
        assert list(store.manifest.tasks) == ["base_1", "base_2"]
    for others in (manifest("base_2", "base_3"), manifest("base_2", seed=11)):
        with pytest.raises(StoreError, match="cannot be resumed, it differs in"):
            await resumed(tmp_path, others)
    with pytest.raises(StoreError, match="more for all its tasks or none; leave out --task-ids"):
        await resumed(tmp_path, manifest("base_2", num_trials=3))


async def resumed(folder: Path, made: Manifest) -> None:
    async with open_store(folder, manifest=made, resume=True):
        pass


async def test_a_resume_with_other_options_prints_the_right_command(tmp_path: Path) -> None:
    await created(tmp_path, manifest("base_1", agent="openai:my model", pace="live"))
    advice = (
        "leave that out, as the run has --agent 'openai:my model' --pace live --task-ids base_1"
    )
    with pytest.raises(StoreError, match=re.escape(advice)):
        await resumed(tmp_path, manifest("base_1", "base_2"))


async def test_a_second_run_does_not_overwrite_the_first(tmp_path: Path) -> None:
    await created(tmp_path)
    with pytest.raises(StoreError, match="add --resume"):
        await created(tmp_path)


async def test_two_processes_do_not_write_one_run(tmp_path: Path) -> None:
    async with open_store(tmp_path, manifest=manifest()):
        with pytest.raises(StoreError, match="another codriver writes"):
            async with open_store(tmp_path, manifest=manifest(), resume=True):
                pass


async def test_a_run_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    async with open_store(tmp_path, manifest=manifest()) as writing:
        await writing.save(unit())
        async with open_store(tmp_path) as reading:
            assert len(await reading.units()) == 1


async def test_no_run_folder_no_run(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is no run folder"):
        async with open_store(tmp_path):
            pass
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(StoreError, match="holds other files"):
        await created(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="name another --out"):
        await created(tmp_path / "file")


@pytest.mark.parametrize("version", [0, 7])
async def test_a_run_of_another_version_is_named_as_such(tmp_path: Path, version: int) -> None:
    await created(tmp_path)
    database = sqlite3.connect(tmp_path / FILE)
    database.execute(f"PRAGMA user_version = {version}")
    database.close()
    for opened in (open_store(tmp_path), open_store(tmp_path, manifest=manifest(), resume=True)):
        with pytest.raises(StoreError, match="another version of codriver"):
            async with opened:
                pass


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("this is not a database, but long enough to look like one" * 9)
    with pytest.raises(StoreError, match="cannot be used"):
        async with open_store(tmp_path):
            pass


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nobody may write there, root neither: it is somebody else for as long as the block runs."""
    for path in (folder, *folder.iterdir()):
        path.chmod(0o555)
    is_root = os.geteuid() == 0
    try:
        if is_root:
            os.seteuid(NOBODY)
        yield
    finally:
        if is_root:
            os.seteuid(0)
        folder.chmod(0o755)


async def test_a_run_in_a_folder_that_is_read_only_is_read_and_not_written() -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        async with open_store(folder, manifest=manifest()) as store:
            await store.save(unit())
        with read_only(folder):
            async with open_store(folder) as store:
                assert [saved.task_id for saved in await store.units()] == ["base_90"]
            assert finished_in(folder) == 1
            with pytest.raises(StoreError, match="readonly"):
                await resumed(folder, manifest())


async def test_a_lock_that_is_no_lock_is_named(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_text("this is not a database, but long enough to look like one" * 9)
    with pytest.raises(StoreError, match="is no lock of codriver; delete it"):
        await created(tmp_path)


@pytest.mark.parametrize("damage", [b"\xff{", b"{", b'{"task_id": 3}', None, 7, "[]"])
@pytest.mark.parametrize("column", ["manifest.json", "unit.result"])
async def test_a_damaged_row_is_named(tmp_path: Path, column: str, damage: object) -> None:
    async with open_store(tmp_path, manifest=manifest()) as store:
        await store.save(unit())
    table, _, name = column.partition(".")
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as database:
        if damage is None:
            damage = b"null"
        database.execute(f"UPDATE {table} SET {name} = ?", (damage,))
    with pytest.raises(StoreError, match=r"is damaged, the .* cannot be read"):
        async with open_store(tmp_path) as store:
            await store.units()


async def test_a_full_disk_is_no_mistake_of_the_command_line(tmp_path: Path) -> None:
    with pytest.raises(StoreFull, match="cannot be written"):
        await fill(tmp_path)


async def fill(folder: Path) -> None:
    """Save more than the disk takes."""
    async with open_store(folder, manifest=manifest()) as store:
        [[pages]] = await store._all("PRAGMA page_count")
        await store._all(f"PRAGMA max_page_count = {pages}")
        for trial in range(99):
            await store.save(unit(trial=trial), Episode().turn().end().record)


async def test_a_record_that_is_not_there_is_named(tmp_path: Path) -> None:
    async with open_store(tmp_path, manifest=manifest()) as store:
        await store.save(unit())
        with pytest.raises(StoreError, match="no record of base_90, trial 0"):
            await store.record("base_90")
        with pytest.raises(StoreError, match="no record of base_1, trial 2"):
            await store.record("base_1", 2)


def test_a_killed_run_loses_and_repeats_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    printed: list[str] = []
    for lines in (0, 3, 17, None):
        printed += printed_until_killed(folder, lines)
        if printed:
            assert set(printed) <= set(asyncio.run(stored_names(folder)))
    assert len(printed) == len(set(printed))
    assert sorted(asyncio.run(stored_names(folder))) == sorted(f"base_{n}" for n in range(50))


def printed_until_killed(folder: Path, lines: int | None) -> list[str]:
    """Run the writer, kill -9 it after so many lines, and return all that it printed."""
    printed = []
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    ) as writer:
        assert writer.stdout is not None
        if lines == 0:
            writer.kill()
        for line in writer.stdout:
            printed.append(line.strip())
            if len(printed) == lines:
                writer.kill()
    return printed


async def stored_names(folder: Path) -> list[str]:
    async with open_store(folder) as store:
        return [saved.task_id for saved in await store.units(every_attempt=True)]
