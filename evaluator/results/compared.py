"""Two stored runs read and compared, as a command or a page needs it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluator.problems import UsageProblem
from evaluator.results.baseline import Baseline, read_baseline
from evaluator.results.comparison import Comparison, Side, compare
from evaluator.results.rows.side_rows import SideRows
from evaluator.results.store import open_store
from evaluator.results.unpaired import Unpaired, unpaired
from evaluator.scoring.judgements import Judged


class Incomparable(UsageProblem):
    """The two runs are of different kinds, or have nothing in common."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Both runs, and how they differ: task by task, or `others` if they share no task."""

    found: Comparison
    others: Unpaired | None
    sides: tuple[Side, Side]


async def stored_sides(first: Path, second: Path) -> tuple[Side, Side]:
    """Both runs, each from its folder or from a baseline file; raises `UsageProblem`."""
    return await _side(first), await _side(second)


def is_baseline(path: Path) -> bool:
    """Whether this names a baseline file, which may be missing, and no run folder."""
    return path.is_file() or (path.suffix == ".json" and not path.is_dir())


async def baseline_of(folder: Path) -> Baseline:
    """What later runs are compared with of a stored run; raises `StoreError`."""
    async with open_store(folder) as store:
        judged = await store.judged(store.manifest.profile)
        return Baseline.of(store.manifest, await store.units(), _judge(judged))


async def _side(path: Path) -> Side:
    if not is_baseline(path):
        return await _stored_side(path)
    kept = read_baseline(path)
    return Side(kept.manifest, kept.units, kept.judge, str(path))


async def _stored_side(folder: Path) -> Side:
    async with open_store(folder) as store:
        judged = await store.judged(store.manifest.profile)
        rows = SideRows()
        async for unit in store.each_unit():
            rows.add(unit)
        return Side(store.manifest, (), _judge(judged), str(folder), rows)


def _judge(judged: Sequence[Judged]) -> str | None:
    return judged[-1].judge if judged else None


def compared(
    sides: tuple[Side, Side],
    *,
    force: bool,
    paired_only: bool = False,
    more_spans: Iterable[str] = (),
) -> Compared:
    """Raises `Incomparable`: with `force` only for runs that have no task or stratum in common."""
    found = compare(*sides, more_spans=more_spans)
    others = unpaired(*sides) if found.solved is None and not paired_only else None
    if others is not None:  # other tasks may well play in another world
        found = replace(found, mixed=tuple(name for name in found.mixed if name != "world"))
    if found.mixed and not force:
        raise Incomparable(
            f"these runs cannot be compared: they differ in {', '.join(found.mixed)}; "
            "--force compares them anyway"
        )
    if found.solved is None and others is None:
        raise Incomparable(
            "these runs cannot be compared: no task is in both with the same wording"
        )
    return Compared(found, others, sides)
