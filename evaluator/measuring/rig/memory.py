"""Memory of a process, as the kernel reports it."""

import resource
from pathlib import Path

from evaluator.problems import InfraProblem

KERNEL_KB = 1024


def resident_mb(process: int | str = "self") -> float | None:
    """What it holds now; None where the kernel does not say (only Linux does) or it is gone."""
    return _status_mb(process, "VmRSS:")


def peak_mb(process: int | str = "self") -> float | None:
    """The most it ever held since it started this program."""
    return _status_mb(process, "VmHWM:")


def _status_mb(process: int | str, field: str) -> float | None:
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    found = (line.split()[1] for line in lines if line.startswith(field))
    kilobytes = next(found, None)
    return None if kilobytes is None else round(int(kilobytes) * KERNEL_KB / 1e6, 1)


SPARE = 256


def room_for(sockets: int) -> None:
    """Ask the system for so many; raises `InfraProblem` when it does not allow them."""
    needed = sockets + SPARE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        if hard != resource.RLIM_INFINITY and hard < needed:
            raise InfraProblem(
                f"{sockets} sockets are needed and {hard} files are allowed; raise `ulimit -n`"
            )
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
