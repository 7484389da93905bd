"""Shards of a run that other schedulers play, and how they become one run again."""

import re
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from evaluator.problems import UsageProblem
from evaluator.results.kept_sound import write
from evaluator.results.manifest import Manifest, differing_fields
from evaluator.results.store import RunStore, open_store
from evaluator.run.units import Unit
from evaluator.workers.leases import Key


@dataclass(frozen=True, slots=True)
class Shard:
    """One of so many parts of a run, counted from 1; `1/1` is the whole."""

    number: int
    of: int

    @classmethod
    def named(cls, given: str) -> "Shard":
        """Read `2/8`; raises `UsageProblem`."""
        found = re.fullmatch(r"(\d+)/(\d+)", given)
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise UsageProblem(
                f"--shard is a number of parts such as 2/8, from 1/8 to 8/8, not {given!r}"
            )
        return cls(int(found[1]), int(found[2]))

    def of_units(self, units: Sequence[Unit]) -> list[Unit]:
        """Every so manyth, so that kinds of tasks are spread over all shards."""
        return list(units[self.number - 1 :: self.of])


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merged run holds; `twice` are units that several shards had with the same result."""

    out: str
    planned: int
    units: int
    twice: int


async def merged(shards: Sequence[Path], out: Path) -> Merged:
    """Make one run of its shards; raises `UsageProblem` if they are not parts of one."""
    async with AsyncExitStack() as stack:
        stores = [await stack.enter_async_context(open_store(shard)) for shard in shards]
        first = stores[0].manifest
        for store in stores[1:]:
            _check_same_run(stores[0], store)
        source, twice = await _sources(stores)
        manifest = _whole(first, [store.manifest for store in stores])
        async with open_store(out, manifest=manifest) as whole:
            for store in stores:
                units = {key for key, at in source.items() if at is store}
                await whole.take_over(store, units)
                for judged in await store.judged(first.profile):
                    await whole.save_judged(judged)
                await _copy_sound(store, whole, units)
        return Merged(str(out), manifest.planned, len(source), twice)


def _check_same_run(one: RunStore, other: RunStore) -> None:
    if differing := differing_fields(one.manifest, other.manifest):
        raise UsageProblem(
            f"{other.folder} is no part of the same run as {one.folder}: it differs in "
            f"{', '.join(differing)}"
        )


async def _sources(stores: Sequence[RunStore]) -> tuple[Mapping[Key, RunStore], int]:
    """Where each unit is taken from, and how many could be taken from several."""
    source: dict[Key, RunStore] = {}
    spoilt: set[Key] = set()
    twice = 0
    for store in stores:
        for key, outcome in (await store.outcomes()).items():
            if key not in source or key in spoilt:
                source[key] = store
                if outcome == "infra_error":
                    spoilt.add(key)
                else:
                    spoilt.discard(key)
            elif outcome != "infra_error":
                await _check_same_result(source[key], store, key)
                twice += 1
    return source, twice


async def _check_same_result(one: RunStore, other: RunStore, key: Key) -> None:
    task_id, trial = key
    name = f"{task_id}:{trial}"
    here, there = await one.unit(name), await other.unit(name)
    if (here.digest, here.score) != (there.digest, there.score):
        raise UsageProblem(
            f"{one.folder} and {other.folder} have different results of {here.name}; leave one of "
            "them out"
        )


def _whole(first: Manifest, all_of_them: Sequence[Manifest]) -> Manifest:
    given = {**first.options.get("given", {})}
    given.pop("shard", None)
    hosts = [each.host for each in all_of_them]
    options = {
        **first.options,
        "given": given,
        "merged_from": [each.run_id for each in all_of_them],
        **({"hosts": hosts} if any(host != first.host for host in hosts) else {}),
    }
    created_at = min(each.created_at for each in all_of_them)
    calls = [call for each in all_of_them for call in each.invocations]
    calls.sort(key=lambda call: call.began_at)
    return first.model_copy(
        update={"options": options, "created_at": created_at, "invocations": tuple(calls)}
    )


async def _copy_sound(store: RunStore, whole: RunStore, units: set[Key]) -> None:
    for unit in await store.units() if (store.folder / "audio").is_dir() else []:
        if unit.unit in units and unit.sound is not None:
            write(whole.folder, unit.sound, unit.sound.content(store.folder))
