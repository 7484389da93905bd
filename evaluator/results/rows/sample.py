"""Which units of a large run are shown one by one: those that failed first, and some others."""

from collections.abc import Collection, Sequence
from typing import NamedTuple, TypeVar

from assistant_gateway.wording.spoken import counted
from evaluator.results.broken_agent import answer_to_everything, diagnosed_units, relabelled
from evaluator.results.rows.run_rows import RunRows
from evaluator.results.rows.unit_row import UnitRow
from evaluator.results.store import RunStore, UnitResult

MOST_SHOWN = 1000
FAILED_AMONG_THEM = 0.8
Item = TypeVar("Item")


class ShownUnits(NamedTuple):
    """`left_out` is what to say of the others, None if there are none."""

    units: list[UnitResult]
    left_out: str | None


class RunRead(NamedTuple):
    """A run in little memory, and the units of it that can be shown."""

    rows: RunRows
    shown: ShownUnits


async def read_run(store: RunStore, most: int = MOST_SHOWN) -> RunRead:
    """Read a run once, and some of its units again if they are more than `most`."""
    rows, first = RunRows(), list[UnitResult]()
    async for unit in diagnosed_units(store):
        rows.add(unit)
        if len(rows.units) <= most:
            first.append(unit)
    return RunRead(rows, await shown_units(store, rows.units, first, most))


async def shown_units(
    store: RunStore,
    rows: Sequence[UnitRow],
    first: list[UnitResult],
    most: int,
    named: Collection[str] = (),
) -> ShownUnits:
    """All if they are at most that many, and `first` has them; else a sample with those named."""
    if len(rows) <= most:
        return ShownUnits(first, None)
    failed = [row for row in rows if not row.solved]
    others = [row for row in rows if row.solved]
    most_failed = max(int(most * FAILED_AMONG_THEM), most - len(others))
    some_failed = evenly(failed, most_failed)
    some_others = evenly(others, most - len(some_failed))
    chosen = {row.name for row in (*some_failed, *some_others)} | set(named)
    names = [row.name for row in rows if row.name in chosen]
    answer = await answer_to_everything(store)  # once: it looks at every unit of the run
    units = [relabelled(unit, answer) async for unit in store.units_named(names)]
    listed_failed = sum(unit.score.outcome != "success" for unit in units)
    return ShownUnits(
        units,
        f"{len(units):,} of {counted_many(len(rows), 'unit')} are shown: {listed_failed:,} of the "
        f"{len(failed):,} that did not succeed, and {len(units) - listed_failed:,} others, from "
        "all parts of the run",
    )


def evenly(items: Sequence[Item], most: int) -> Sequence[Item]:
    """At most so many of them, at equal distances."""
    if len(items) <= most:
        return items
    return [items[index * len(items) // most] for index in range(most)]


def counted_many(number: int, noun: str) -> str:
    """`200,000 units`."""
    return counted(number, noun).replace(str(number), f"{number:,}", 1)
