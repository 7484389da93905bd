"""Results of a worker, sorted by the chunks that they belong to."""

import asyncio
from collections.abc import AsyncIterator, Iterable

from evaluator.run.keeping import PackedUnit
from evaluator.run.units import Unit
from evaluator.workers.leases import Key, key_of


class ChunkResults:
    """What came of units that are being played, by unit."""

    def __init__(self) -> None:
        self._queues: dict[Key, asyncio.Queue[PackedUnit]] = {}

    def put(self, unit: PackedUnit) -> None:
        self._queues[unit.result.unit].put_nowait(unit)

    def of(self, units: Iterable[Unit]) -> AsyncIterator[PackedUnit]:
        """Every attempt at each of them, as it comes from now on."""
        keys = {key_of(unit) for unit in units}
        results: asyncio.Queue[PackedUnit] = asyncio.Queue()
        self._queues |= dict.fromkeys(keys, results)
        return _until_last(keys, results)


async def _until_last(
    keys: set[Key], results: asyncio.Queue[PackedUnit]
) -> AsyncIterator[PackedUnit]:
    while keys:
        unit = await results.get()
        if unit.last:
            keys.discard(unit.result.unit)
        yield unit
