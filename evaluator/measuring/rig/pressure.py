"""Whether there were too few CPUs for all who wanted one, as the kernel counts it.

What other virtual machines take from this one is not in its own pressure: it is stolen.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from assistant_gateway.timing.timeline import SECOND, wall_ns

PRESSURE = Path("/proc/pressure/cpu")
ALL_CPUS = Path("/proc/stat")
STOLEN = 8


@dataclass(frozen=True, slots=True)
class Shortage:
    """How short of CPU this machine was: each a share, None if the kernel does not say.

    `waiting` is of the time: somebody waited for a CPU in it. `stolen` is of all CPU time: the host
    gave it to others though somebody here wanted it.
    """

    waiting: float | None
    stolen: float | None


def cpu_pressure_us() -> int | None:
    """How long somebody waited for a CPU since the start of this machine; None if unknown.

    Its first line ends with `total=MICROSECONDS`.
    """
    try:
        some = PRESSURE.read_text(encoding="ascii").splitlines()[0]
        return int(some.rpartition("total=")[2])
    except (OSError, IndexError, ValueError):
        return None


def cpu_stolen_s() -> float | None:
    """CPU time that was stolen since the start of this machine; None if unknown."""
    try:
        ticks = int(ALL_CPUS.read_text(encoding="ascii").splitlines()[0].split()[STOLEN])
    except (OSError, IndexError, ValueError):
        return None
    return ticks / os.sysconf("SC_CLK_TCK")


class ShortageSince:
    """Asked again and again, tells what has been since it was made."""

    def __init__(self) -> None:
        self._begun_ns = wall_ns()
        self._pressure_us = cpu_pressure_us()
        self._stolen_s = cpu_stolen_s()

    def now(self) -> Shortage:
        wall_s = (wall_ns() - self._begun_ns) / SECOND
        pressure_us, stolen_s = cpu_pressure_us(), cpu_stolen_s()
        waiting = stolen = None
        if self._pressure_us is not None and pressure_us is not None:
            waiting = round((pressure_us - self._pressure_us) / 1e6 / wall_s, 3)
        if self._stolen_s is not None and stolen_s is not None:
            stolen = round((stolen_s - self._stolen_s) / wall_s / (os.cpu_count() or 1), 5)
        return Shortage(waiting, stolen)
