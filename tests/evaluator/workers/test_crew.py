"""What a crew does with results of workers that come, come late, or never come."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import ClassVar

import pytest

from assistant_gateway.wording.spoken import counted
from evaluator.problems import InfraProblem, first_cause
from evaluator.record.stored_form import encode_record
from evaluator.run.keeping import PackedUnit
from evaluator.run.units import Unit
from evaluator.workers.crew import MOST_LEASES, Keep, Worker, WorkerCrew, WorkerLost
from tests.evaluator.runs import SOME
from tests.evaluator.small_runs import played

UNITS = [Unit(task, 0) for task in SOME.tasks[:6]]
RESULT, RECORD = played("base_1", 0, 3)


def packed(unit: Unit) -> PackedUnit:
    result = RESULT.model_copy(update={"task_id": unit.task.task_id, "trial": unit.trial})
    return PackedUnit(result, encode_record(RECORD), None, True, unit.lease)


class Healthy:
    """Plays whatever it is given at once."""

    async def play(self, units: Sequence[Unit]) -> AsyncIterator[PackedUnit]:
        for unit in units:
            await asyncio.sleep(0)
            yield packed(unit)

    async def watch(self) -> None:
        await asyncio.Event().wait()


class Lost(Healthy):
    """Is lost with all it has, which comes later; `early` units come before."""

    def __init__(self, early: int = 0) -> None:
        self.early = early
        self.had: list[Unit] = []

    async def play(self, units: Sequence[Unit]) -> AsyncIterator[PackedUnit]:
        for number, unit in enumerate(units):
            if number >= self.early:
                self.had += units[number:]
                raise WorkerLost("its node is gone")
            yield packed(unit)
            await asyncio.sleep(0.01)  # until it is kept


class Cluster:
    """Opens the workers it is given, and healthy ones after them."""

    def __init__(self, *first: Healthy) -> None:
        self._next = list(first)

    @asynccontextmanager
    async def open_worker(self, number: int, late: Keep) -> AsyncIterator[Worker]:
        worker = self._next.pop(0) if self._next else Healthy()
        try:
            yield worker
        finally:
            for unit in worker.had if isinstance(worker, Lost) else ():
                await late(packed(unit))


async def kept_by(
    cluster: Cluster, units: Sequence[Unit] = UNITS, patience_s: float = 60, workers: int = 1
) -> list[tuple[str, int]]:
    kept = []

    async def keep(unit: PackedUnit) -> None:
        kept.append((unit.result.task_id, unit.lease))

    async with asyncio.timeout(20):
        await WorkerCrew(cluster.open_worker, workers, 3, patience_s).play(units, keep)
    return kept


async def test_what_comes_late_is_dropped_counted_and_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    lost = Lost(early=1)
    kept = await kept_by(Cluster(lost))
    assert sorted(name for name, _ in kept) == sorted(unit.task.task_id for unit in UNITS)
    assert {lease for _, lease in kept} == {0, 1}
    assert [record.message for record in caplog.records] == [
        "worker 1 was lost: its node is gone; what it had is played again",
        f"{counted(len(lost.had), 'late result')} of workers that were lost: dropped",
    ]


async def test_no_worker_is_given_an_empty_chunk_when_units_come_back() -> None:
    class LostLater(Healthy):
        async def play(self, units: Sequence[Unit]) -> AsyncIterator[PackedUnit]:
            await asyncio.sleep(0.05)  # until the others wait
            raise WorkerLost("its node is gone")
            yield packed(units[0])

    class Counting(Healthy):
        sizes: ClassVar[list[int]] = []

        async def play(self, units: Sequence[Unit]) -> AsyncIterator[PackedUnit]:
            self.sizes.append(len(units))
            async for unit in super().play(units):
                yield unit

    kept = await kept_by(
        Cluster(LostLater(), *(Counting() for _ in range(3))), UNITS[:4], workers=2
    )
    assert len(kept) == 4
    assert Counting.sizes == [1] * 4


async def test_a_chunk_that_takes_too_long_is_played_by_another_worker(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Stuck(Healthy):
        async def play(self, units: Sequence[Unit]) -> AsyncIterator[PackedUnit]:
            await asyncio.Event().wait()
            yield packed(units[0])

    kept = await kept_by(Cluster(Stuck()), patience_s=0.05)
    assert len(kept) == len(UNITS)
    assert "did not finish a chunk within 0 s" in caplog.text


async def test_workers_that_are_lost_at_once_end_the_run(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    with pytest.raises(BaseExceptionGroup) as raised:
        await kept_by(Cluster(*(Lost() for _ in range(9))))
    problem = first_cause(raised.value)
    assert isinstance(problem, InfraProblem)
    assert str(problem).startswith("every worker was lost 3 times without a result")


async def test_a_unit_that_takes_every_worker_with_it_ends_the_run(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.ERROR)

    class Poisoned(Healthy):
        async def play(self, units: Sequence[Unit]) -> AsyncIterator[PackedUnit]:
            for unit in sorted(units, key=lambda unit: unit.task.task_id == UNITS[0].task.task_id):
                if unit.task.task_id == UNITS[0].task.task_id:
                    raise WorkerLost("killed")
                yield packed(unit)
                await asyncio.sleep(0.01)

    more = [Unit(task, trial) for trial in range(20) for task in SOME.tasks[1:6]]

    with pytest.raises(BaseExceptionGroup) as raised:
        await kept_by(Cluster(*(Poisoned() for _ in range(99))), [UNITS[0], *more])
    assert f"{MOST_LEASES} workers were lost while they played" in str(first_cause(raised.value))
