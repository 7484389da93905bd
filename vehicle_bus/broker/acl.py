"""Who may do what on the bus: one description for the embedded broker and for mosquitto. Pure."""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from vehicle_bus.mqtt.topic_filter import covers

Role = Literal["car", "gateway", "agent", "observer", "evaluator"]


@dataclass(frozen=True, slots=True)
class Rights:
    """Topic filters below the prefix; `{vin}` and `{client}` stand for the client's own."""

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()


RIGHTS: Mapping[str, Rights] = {
    "car": Rights(
        read=("+/command/+", "+/clock", "+/fault"),
        write=(
            "+/signal/#",
            "+/snapshot",
            "+/capabilities",
            "+/reply/+",
            "+/event/+",
            "+/status",
        ),
    ),
    "gateway": Rights(
        read=("#",),
        write=(
            "+/command/+",
            "+/clock",
            "+/fault",
            "+/session/+/frame",
            "+/session/+/turn",
            "+/session/+/control",
            "+/session/+/end",
        ),
    ),
    "agent": Rights(
        read=(
            "{vin}/signal/#",
            "{vin}/capabilities",
            "{vin}/event/+",
            "{vin}/status",
            "{vin}/reply/{client}",
        ),
        write=("{vin}/command/+",),
    ),
    "observer": Rights(read=("#",)),
    "evaluator": Rights(read=("#",), write=("+/session/+/verdict",)),
}


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user name and its password; the password never shows in a repr."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Access:
    """Users, passwords and rights of one broker; passwords are new in every run.

    A user is a role, or `agent.VIN`: an agent is bound to one car. (Not `agent:VIN`: mosquitto's
    password file cannot hold a colon in a name.)
    """

    prefix: str = "codriver/v1"
    rights: Mapping[str, Rights] = field(default_factory=lambda: RIGHTS)
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def credentials(self, role: str, vin: str | None = None) -> Credentials:
        """The login of a role; an agent needs its vin."""
        if (role == "agent") != (vin is not None):
            raise ValueError("an agent logs in with its vin, every other role without")
        user = role if vin is None else f"{role}.{vin}"
        digest = hmac.new(self.secret, user.encode(), hashlib.sha256)
        return Credentials(user, digest.hexdigest()[:32])

    def admits(self, user: str | None, password: bytes | None) -> bool:
        """Whether this is a known user with its password."""
        role, _, vin = (user or "").partition(".")
        if role not in self.rights or (role == "agent") != is_one_level(vin):
            return False
        expected = self.credentials(role, vin or None).password.encode()
        return hmac.compare_digest(expected, password or b"")

    def readable(self, user: str, client: str) -> tuple[str, ...]:
        """Whole topic filters the user may subscribe to."""
        return self._filters(self.rights[user.partition(".")[0]].read, user, client)

    def writable(self, user: str, client: str) -> tuple[str, ...]:
        """Whole topic filters the user may publish to."""
        return self._filters(self.rights[user.partition(".")[0]].write, user, client)

    def _filters(self, patterns: tuple[str, ...], user: str, client: str) -> tuple[str, ...]:
        vin = user.partition(".")[2]
        return tuple(
            f"{self.prefix}/{pattern.replace('{vin}', vin).replace('{client}', client)}"
            for pattern in patterns
            if "{client}" not in pattern or is_one_level(client)
        )


def is_one_level(name: str) -> bool:
    """Whether a name can stand as one topic level, so that it means itself and nothing else."""
    return bool(name) and name.isprintable() and not ({"+", "#", "/"} & set(name))


@lru_cache(maxsize=10_000)
def permitted(patterns: tuple[str, ...], wanted: str) -> bool:
    """Whether one of the filters allows all of the topic or filter asked for."""
    return any(covers(pattern, wanted) for pattern in patterns)
