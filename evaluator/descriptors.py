"""How many files and sockets this process may have open; children inherit it."""

import resource

from evaluator.problems import InfraProblem

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
