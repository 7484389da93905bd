"""Where a broker is, what kind it is, and how each role logs in."""

from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote, urlsplit

from vehicle_bus.broker.acl import Access, Credentials, Role
from vehicle_bus.bus import BusError

Kind = Literal["embedded", "mosquitto", "external"]
Client = Literal["codec", "aiomqtt"]


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """A broker to connect to; secrets never show in its repr.

    `access` is set for brokers we started, `login` for one given by URL, the same for every role.
    """

    host: str
    port: int
    kind: Kind
    client: Client = "codec"
    tls: bool = False
    protocol: Literal["5", "3.1.1"] = "5"
    access: Access | None = field(default=None, repr=False)
    login: Credentials | None = field(default=None, repr=False)

    @property
    def prefix(self) -> str:
        return self.access.prefix if self.access else "codriver/v1"

    def credentials(self, role: Role, vin: str | None = None) -> Credentials | None:
        """The login of a role; an agent needs the vin of its car."""
        return self.login if self.access is None else self.access.credentials(role, vin)


def external(url: str) -> BrokerAddress:
    """Read `mqtt(s)://[user[:password]@]host[:port][?protocol=3.1.1]`; a BusError says why not."""
    expected = "expected mqtt://host:port or mqtts://user:password@host:port"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BusError(f"the broker URL cannot be read; {expected}") from error
    if parts.path.strip("/") or parts.fragment or "@" in parts.query:
        raise BusError(f"the broker URL cannot be read; {expected}, with / # ? @ written as %2F …")
    if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname:
        raise BusError(f"the broker URL cannot be read; {expected}")
    if parts.query not in ("", "protocol=5", "protocol=3.1.1"):
        raise BusError("the broker URL may end in ?protocol=5 or ?protocol=3.1.1, nothing else")
    tls = parts.scheme == "mqtts"
    return BrokerAddress(
        parts.hostname,
        port or (8883 if tls else 1883),
        "external",
        "aiomqtt",
        tls,
        "3.1.1" if parts.query == "protocol=3.1.1" else "5",
        login=_login(parts.username, parts.password),
    )


def _login(user: str | None, password: str | None) -> Credentials | None:
    return Credentials(unquote(user), unquote(password or "")) if user else None
