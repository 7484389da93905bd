"""Which units wait, which are being played by whom, and whose result counts. Pure.

A unit that a worker was lost with is played again under a new lease. A result of an older one, or
one that came before, is late: it is counted and dropped, so no unit is ever kept twice. Each task
has a worker of its own, which plays all its trials unless others have nothing left: it has worked
out already what the task needs.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from evaluator.run.units import Unit

Key = tuple[str, int]


def key_of(unit: Unit) -> Key:
    return unit.task.task_id, unit.trial


@dataclass(slots=True)
class _Lease:
    number: int
    attempts: int = 0  # that have come


class Leases:
    """The units of a run on their way through its workers, who have numbers from 1 on."""

    def __init__(self, units: Iterable[Unit], workers: int = 1) -> None:
        self._again = deque[Unit]()
        self._own = [deque[Unit]() for _ in range(workers)]
        places: dict[str, int] = {}
        for unit in units:
            place = places.setdefault(unit.task.task_id, len(places))
            self._own[place % workers].append(unit)
        self._playing: dict[Key, _Lease] = {}
        self.late = 0

    @property
    def waiting(self) -> int:
        return sum(map(len, (self._again, *self._own)))

    @property
    def done(self) -> bool:
        """Whether every unit has its last result."""
        return not self.waiting and not self._playing

    def take(self, most: int, worker: int = 1) -> list[Unit]:
        """The next units for this worker; from now on they are being played."""
        taken = list[Unit]()
        while len(taken) < most and self.waiting:
            if queue := self._again or self._own[worker - 1]:
                taken.append(queue.popleft())
            else:  # what its owner would play last
                taken.append(max(self._own, key=len).pop())
        self._playing |= {key_of(unit): _Lease(unit.lease) for unit in taken}
        return taken

    def accepts(self, key: Key, attempt: int, lease: int, *, last: bool) -> bool:
        """Whether this result counts; a unit that has its last one takes no more."""
        held = self._playing.get(key)
        if held is None or held.number != lease or attempt != held.attempts:
            self.late += 1
            return False
        held.attempts += 1
        if last:
            del self._playing[key]
        return True

    def give_up(self, units: Sequence[Unit]) -> list[Unit]:
        """Those of the units that have no last result yet wait again, before all others."""
        again = [unit for unit in units if self._holds(unit)]
        for unit in reversed(again):
            del self._playing[key_of(unit)]
            self._again.appendleft(replace(unit, lease=unit.lease + 1))
        return again

    def _holds(self, unit: Unit) -> bool:
        held = self._playing.get(key_of(unit))
        return held is not None and held.number == unit.lease
