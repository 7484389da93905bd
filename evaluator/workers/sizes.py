"""How many workers a run has, and how many sessions each plays at a time."""

from evaluator.options import MOST_SESSIONS, SESSIONS_PER_CORE, RunOptions
from evaluator.problems import UsageProblem
from evaluator.results.manifest import SCRIPTED
from evaluator.run.agents import EXTERNAL, SEATED, AgentChoice, named
from evaluator.run.settings import cores_here, persons_in

AUTO = "auto"
UNITS_EACH = 200  # starting a worker takes as much CPU time as some 60 units
FEW_CORES = 2  # of more than these one is left to the conductor and to others
LIMITS = ("max_concurrency", "max_requests_per_minute", "max_in_flight")
MOST_WORKERS = 1000
CORES_MEASURED = 2  # for each worker where latencies are measured


def check_workers(options: RunOptions) -> None:
    """Raises `UsageProblem` for workers that cannot play such a run."""
    alone = why_alone(options)
    if options.on and alone:
        raise UsageProblem(f"--on {options.on}: {alone}; leave --on out")
    if options.workers == AUTO:
        return
    if not options.workers.isdecimal() or int(options.workers) < 1:
        raise UsageProblem(f"--workers is a number from 1 on, or auto, not {options.workers!r}")
    number = int(options.workers)
    if number > 1 and alone:
        raise UsageProblem(f"--workers {number}: {alone}; leave --workers out")
    for name in LIMITS:
        limit = getattr(options, name)
        if limit is not None and number > limit:
            raise UsageProblem(
                f"--{name.replace('_', '-')} {limit} is shared out, and {number} workers need one "
                "each at least"
            )


def most_workers(options: RunOptions) -> int:
    """For how many workers there is a session and a request each."""
    limits = (getattr(options, name) for name in LIMITS)
    return min((limit for limit in limits if limit is not None), default=MOST_WORKERS)


def why_alone(options: RunOptions) -> str:
    """Why one worker has to play everything; empty if more can."""
    if persons := persons_in(options):
        return f"{persons[0]} is one person, who sits at one gateway"
    if named(options.agent)[0] in EXTERNAL | SEATED:
        return f"--agent {options.agent} connects to one gateway, and each worker has its own"
    if options.gateway_port:
        return "each worker has a gateway, and --gateway-port is the port of one"
    return ""


def workers_of(options: RunOptions, units: int) -> int:
    """As many as asked for, or as pay for so many units: each has to earn its start."""
    if options.workers != AUTO:
        return int(options.workers)
    if why_alone(options) or not _only_computes(options):
        return 1
    cores = cores_here()
    if options.pace != "virtual":
        most = cores // CORES_MEASURED
    else:
        most = cores if cores <= FEW_CORES else cores - 1
    return max(1, min(most, units // UNITS_EACH, most_workers(options)))


def sessions_of(options: RunOptions, workers: int, cores: int | None = None) -> list[int]:
    """How many sessions each worker plays at a time, at least one.

    Those asked for are shared out. Else each plays as many as one process would, and where time is
    measured all together no more than the cores allow, by default those of this machine.
    """
    if options.max_concurrency is not None:
        whole = options.max_concurrency
    elif options.pace == "virtual" or options.patience_s is not None:
        whole = MOST_SESSIONS * workers
    else:
        whole = min(MOST_SESSIONS * workers, SESSIONS_PER_CORE * (cores or cores_here()))
    each, more = divmod(max(workers, whole), workers)
    return [each + (number < more) for number in range(workers)]


def _only_computes(options: RunOptions) -> bool:
    """Whether a run does not wait for models, nor for time to pass: then cores make it faster."""
    agent = AgentChoice(named(options.agent)[0])
    in_text = options.speech == "text" and options.pace != "live"
    return agent.in_process and options.user == SCRIPTED and in_text
