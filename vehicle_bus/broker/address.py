"""Where a broker is, what kind it is, and how each role logs in."""

import ssl
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from vehicle_bus.broker.acl import Access, Credentials, Role
from vehicle_bus.bus import BusError

Kind = Literal["embedded", "mosquitto", "external"]
Client = Literal["codec", "aiomqtt"]
Protocol = Literal["5", "3.1.1"]
PROTOCOLS: dict[str, Protocol] = {"5": "5", "3.1.1": "3.1.1"}


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """A broker to connect to; secrets never show in its repr.

    `access` is set for brokers we started, `login` for one given by URL, the same for every role.
    `ca_file` has the certificates of a CA that the system does not know.
    """

    host: str
    port: int
    kind: Kind
    client: Client = "codec"
    tls: bool = False
    protocol: Protocol = "5"
    ca_file: str | None = None
    access: Access | None = field(default=None, repr=False)
    login: Credentials | None = field(default=None, repr=False)

    @property
    def prefix(self) -> str:
        return self.access.prefix if self.access else "codriver/v1"

    @property
    def client_options(self) -> str:
        """Options of mosquitto's clients; a login is left for the user to add."""
        version = "5" if self.protocol == "5" else "mqttv311"
        tls = f" --cafile {self.ca_file or '/etc/ssl/certs/ca-certificates.crt'}"
        return f"-h {self.host} -p {self.port} -V {version}{tls if self.tls else ''}"

    def credentials(self, role: Role, vin: str | None = None) -> Credentials | None:
        """The login of a role; an agent needs the vin of its car."""
        return self.login if self.access is None else self.access.credentials(role, vin)


def external(url: str) -> BrokerAddress:
    """Read `mqtt(s)://[user[:password]@]host[:port][?protocol=3.1.1][&ca=FILE]`.

    A BusError says what is wrong with it.
    """
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
    asked = dict(parse_qsl(parts.query, keep_blank_values=True))
    protocol, ca_file = PROTOCOLS.get(asked.pop("protocol", "5")), asked.pop("ca", None)
    if asked or protocol is None:
        raise BusError("the broker URL may end in ?protocol=3.1.1, ?ca=FILE or both, nothing else")
    tls = parts.scheme == "mqtts"
    if ca_file is not None:
        _check_certificates(ca_file, tls=tls)
    return BrokerAddress(
        parts.hostname,
        port or (8883 if tls else 1883),
        "external",
        "aiomqtt",
        tls,
        protocol,
        ca_file,
        login=_login(parts.username, parts.password),
    )


def _check_certificates(ca_file: str, *, tls: bool) -> None:
    if not tls:
        raise BusError("?ca=FILE needs TLS: begin the broker URL with mqtts://")
    try:
        ssl.create_default_context(cafile=ca_file)
    except OSError as error:  # ssl.SSLError is one
        raise BusError(f"{ca_file} holds no certificate of a CA: {error.strerror}") from error


def _login(user: str | None, password: str | None) -> Credentials | None:
    return Credentials(unquote(user), unquote(password or "")) if user else None
