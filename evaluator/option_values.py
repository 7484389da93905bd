"""Values of options, checked against those that exist."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from assistant_gateway.timing.profiles import BadProfile
from evaluator.problems import UsageProblem
from vehicle_bus.broker.address import BrokerAddress, external
from vehicle_bus.broker.choose import Preference
from vehicle_bus.bus import BusError

Profile = TypeVar("Profile")


def one_of(option: str, given: str, allowed: Sequence[str]) -> None:
    """Raises `UsageProblem` with the allowed values."""
    if given not in allowed:
        raise UsageProblem(f"{option} is one of {', '.join(allowed)}, not {given!r}")


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
    """The value of `--broker`; raises `UsageProblem`."""
    if "://" in given:
        broker_at(given)
        return BrokerOption(given)
    one_of("--broker", given, ["auto", "embedded", "mosquitto", "mqtt://HOST:PORT"])
    return BrokerOption(kind=given)  # type: ignore[arg-type]  # checked above


def broker_at(url: str) -> BrokerAddress:
    """An external broker; raises `UsageProblem`."""
    try:
        return external(url)
    except BusError as error:
        raise UsageProblem(f"--broker: {error}") from error
