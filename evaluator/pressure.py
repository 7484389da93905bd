"""Whether there were too few CPUs for all who wanted one, as the kernel tells it."""

from pathlib import Path

PRESSURE = Path("/proc/pressure/cpu")


def cpu_pressure_us() -> int | None:
    """How long somebody waited for a CPU since the start of this machine; None if it is not told.

    Its first line ends with `total=MICROSECONDS`.
    """
    try:
        some = PRESSURE.read_text(encoding="ascii").splitlines()[0]
        return int(some.rpartition("total=")[2])
    except (OSError, IndexError, ValueError):
        return None
