"""What can go wrong outside our code: one line that says what to do."""


class Problem(Exception):
    """The text is for the user; `exit_code` for the shell."""

    exit_code = 1


class GateFailed(Problem):
    """Everything worked, and the result is not good enough."""

    exit_code = 1


class UsageProblem(Problem):
    """The command line or a file given to it cannot be used."""

    exit_code = 2


class InfraProblem(Problem):
    """Broker, port, agent or disk: not the agent under test."""

    exit_code = 3


def first_cause(error: BaseException) -> BaseException:
    """The first exception inside nested groups that is not a mere consequence."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
