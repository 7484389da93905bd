"""Values of options, checked against those that exist."""

import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar, get_args

from assistant_gateway.timing.profiles import BadProfile
from evaluator.problems import UsageProblem
from vehicle_bus.broker.address import external
from vehicle_bus.broker.choose import Preference
from vehicle_bus.bus import BusError

Profile = TypeVar("Profile")
WORKER = "{worker}"  # in the address of a broker: the number of a worker, 1 and up
KINDS: Mapping[str, Preference] = {kind: kind for kind in get_args(Preference)}


def one_of(option: str, given: str, allowed: Sequence[str]) -> None:
    """Raises `UsageProblem` with the allowed values."""
    if given not in allowed:
        raise UsageProblem(f"{option} is one of {', '.join(allowed)}, not {given!r}")


def check_command(option: str, command: str) -> None:
    """Raises `UsageProblem` if its program is not there."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageProblem(f"{option} {command!r} cannot be read: {error}") from error
    if not words or shutil.which(words[0]) is None:
        program = words[0] if words else "''"
        raise UsageProblem(
            f"{option}: there is no program {program}; give its path or put it on the PATH"
        )


def check_ending(option: str, file: Path, allowed: Sequence[str]) -> None:
    """Raises `UsageProblem` for a file whose name promises something that is not written."""
    if file.suffix.lower() not in allowed:
        raise UsageProblem(f"{option} writes {' or '.join(allowed)}: {file} ends otherwise")


def check_vin(given: str) -> None:
    """Raises `UsageProblem` for what can be no level of a topic."""
    if not given or set(given) & set("/+#\0"):
        raise UsageProblem("--vin is one level of a topic: no slash, + or # in it")


def profile_of(option: str, given: str, named: Callable[[str], Profile]) -> Profile:
    """The profile with this name; raises `UsageProblem` if there is none."""
    try:
        return named(given)
    except BadProfile as error:
        raise UsageProblem(f"{option}: {error}") from error


@dataclass(frozen=True, slots=True)
class BrokerOption:
    """One of our brokers by its kind, or an external one by URL; a URL may hold a password."""

    url: str | None = field(default=None, repr=False)
    kind: Preference = "auto"


def broker_option(given: str) -> BrokerOption:
    """The value of `--broker`, as the first worker reads it; raises `UsageProblem`."""
    given = given.replace(WORKER, "1")
    if "://" not in given:
        one_of("--broker", given, [*KINDS, "mqtt://HOST:PORT"])
        return BrokerOption(kind=KINDS[given])
    try:
        external(given)
    except BusError as error:
        raise UsageProblem(f"--broker: {error}") from error
    return BrokerOption(given)
