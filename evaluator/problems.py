"""What can go wrong outside our code: one line that says what to do."""

from importlib.util import find_spec


class Problem(Exception):
    """The text is for the user; `exit_code` for the shell."""

    exit_code = 1


class GateFailed(Problem):
    """Everything worked, and the result is not good enough."""

    exit_code = 1


class UsageProblem(Problem):
    """The command line or a file given to it cannot be used."""

    exit_code = 2


def installed(*modules: str) -> bool:
    """Whether each of them can be imported, without importing it."""
    try:
        return all(map(find_spec, modules))
    except ModuleNotFoundError:  # the package of a submodule
        return False


def missing_extra(what: str, extra: str) -> UsageProblem:
    """`what` needs packages that only an extra of codriver brings; it is on no index yet."""
    install = f"pip install '.[{extra}]'"
    return UsageProblem(f"{what} needs the extra {extra}: {install} in a checkout of codriver")


class InfraProblem(Problem):
    """Broker, port, agent or disk: not the agent under test. `kind` is its name in CI files."""

    exit_code = 3
    kind = "bench broken"


class AgentCrashed(InfraProblem):
    """The program of the agent has ended while it was needed."""

    kind = "agent crashed"


def first_cause(error: BaseException) -> BaseException:
    """The first exception inside nested groups that is not a mere consequence."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
