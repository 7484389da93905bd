"""A whole set of tasks from the motifs, by seed: families of a task, its twins and its limits."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from random import Random

from evaluator.task.splits import Split
from evaluator.task.task import Task
from evaluator.task_making.checks import flaws
from evaluator.task_making.limits import (
    Lacking,
    lacking,
    opening_only,
    removals,
    with_a_wish,
)
from evaluator.task_making.motif_list import ASKED, BASE, SETTLED, instance
from evaluator.task_making.skeleton import Skeleton
from evaluator.task_making.task_file import task_of
from vehicle_bus.world.world import World

SHARES = {"limit": 90, "settled": 25, "asked": 25, "base": 110}
KINDS: tuple[tuple[Lacking, int], ...] = (
    ("tool", 55), ("tool_parameter", 17), ("tool_response", 18)
)  # fmt: skip
LIMITS_OF_A_TWIN = 2
TRIES = 500
SPARE = 3
PREFIXES = {"base": "base", "hallucination": "limit"}


@dataclass(frozen=True, slots=True)
class Made:
    """A generated task and its skeleton."""

    task: Task
    skeleton: Skeleton


def generated(world: World, seed: int, number: int, split: Split | None = None) -> list[Made]:
    """So many tasks in the usual shares, the same for the same world and seed.

    With a split they are about its cities and people only.
    """
    making = _Making(world, seed, split)
    wanted = {name: round(number * share / 250) for name, share in SHARES.items()}
    wanted["base"] = number - sum(wanted.values()) + wanted["base"]
    return [
        *making.with_limits(wanted["base"], wanted["limit"]),
        *making.plain(SETTLED, wanted["settled"]),
        *making.plain(ASKED, wanted["asked"]),
    ]


class _Making:
    def __init__(self, world: World, seed: int, split: Split | None) -> None:
        self._world = world
        self._seed = seed
        self._split = split
        self._keys: set[str] = set()
        self._numbers: Counter[str] = Counter()

    def plain(self, motifs: Sequence[str], number: int) -> list[Made]:
        """Sound instances of the motifs in turn."""
        return [self._made(skeleton) for skeleton in self._sound(motifs, number)]

    def with_limits(self, number: int, limits: int) -> Iterator[Made]:
        """Base tasks, the first of them twins of tasks with limits."""
        twins, chance = 0, Random(f"{self._seed}/limits")
        kinds = _kinds(limits, chance)
        skeletons = self._sound(BASE, 2 * number)
        for skeleton in skeletons:
            if not kinds or twins == number:
                break
            single = with_a_wish(opening_only(skeleton), chance)
            lacks = list(self._limits(single, kinds, chance))
            if lacks and self._is_sound(single, careless=len(skeleton.parts) == 1):
                twin = self._made(single)
                twins += 1
                yield twin
                for one, kind in lacks:
                    kinds.remove(kind)
                    yield self._made(one, twin)
        rest = [one for one in skeletons if len(one.parts) > 1]
        others = [one for one in skeletons if len(one.parts) == 1]
        yield from (self._made(one) for one in islice(chain(rest, others), number - twins))

    def _limits(
        self, twin: Skeleton, kinds: list[Lacking], chance: Random
    ) -> Iterator[tuple[Skeleton, Lacking]]:
        """Up to two cars on which the twin cannot be granted, of different kinds if possible."""
        left, used = list(kinds), set[str]()
        for kind in list(dict.fromkeys([*left[:2], *left])):
            found = sorted(removals(twin, kind))
            chance.shuffle(found)
            for removed in found:
                tool = removed.removeprefix("result.").split(".")[0]
                one = None if tool in used else lacking(twin, removed, kind, self._world)
                if one is not None and kind in left:
                    yield one, kind
                    left.remove(kind)
                    used.add(tool)
                    break
            if len(used) == LIMITS_OF_A_TWIN:
                return

    def _sound(self, motifs: Sequence[str], number: int) -> list[Skeleton]:
        """Instances of each motif in turn, of both branches where it has any."""
        each = -(-number // len(motifs))
        drawn = [self._draw(name, each) for name in motifs]
        return [one for row in zip_longest(*drawn) for one in row if one][:number]

    def _draw(self, name: str, number: int) -> list[Skeleton]:
        """Sound instances of a motif, of its branches in turn."""
        by_branch: dict[str, list[Skeleton]] = defaultdict(list)
        for attempt in range(TRIES):
            chance = Random(f"{self._seed}/{name}/{attempt}")
            found = instance(name, self._world, chance, self._split)
            if found is not None and found.key not in self._keys:
                self._keys.add(found.key)
                by_branch[found.branch].append(found)
            enough = number if "" in by_branch else -(-number // 2)
            if by_branch and min(map(len, by_branch.values())) >= enough + SPARE:
                break
        in_turn = chain.from_iterable(zip_longest(*by_branch.values()))
        return list(islice((one for one in in_turn if one and self._is_sound(one)), number))

    def _is_sound(self, skeleton: Skeleton, *, careless: bool = True) -> bool:
        task = task_of(skeleton, "checked", self._world)
        found = [] if task is None else list(flaws(skeleton, task, self._world))
        return task is not None and not [f for f in found if careless or "careless" not in f]

    def _made(self, skeleton: Skeleton, twin: Made | None = None) -> Made:
        prefix = PREFIXES.get(skeleton.task_type.split("_")[0])
        prefix = prefix or ("ask" if skeleton.task_type == "disambiguation_user" else "settle")
        self._numbers[skeleton.motif] += twin is None
        family = twin.task.family if twin else f"{skeleton.motif}_{self._numbers[skeleton.motif]}"
        name = f"{prefix}_{family}"
        if twin:
            lacks = skeleton.removed[0].removeprefix("result.").replace(".", "_")
            name = f"{name}_without_{lacks}".lower()
        task = task_of(skeleton, name, self._world, family, twin.task.task_id if twin else None)
        assert task is not None, name
        return Made(task, skeleton)


def _kinds(number: int, chance: Random) -> list[Lacking]:
    """The kinds of limits in their shares, shuffled."""
    whole = sum(share for _, share in KINDS)
    rest = number
    kinds: list[Lacking] = []
    for kind, share in reversed(KINDS):
        part = rest if kind == "tool" else round(number * share / whole)
        kinds += [kind] * part
        rest -= part
    chance.shuffle(kinds)
    return kinds
