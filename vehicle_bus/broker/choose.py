"""Which broker to use, and a client on it."""

import secrets
from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Literal

from vehicle_bus.broker.acl import Access, Role
from vehicle_bus.broker.address import BrokerAddress, external
from vehicle_bus.broker.embedded import embedded_broker
from vehicle_bus.broker.mosquitto import find_mosquitto, mosquitto_broker
from vehicle_bus.bus import Bus, Publication
from vehicle_bus.client.codec_link import Hello, codec_bus
from vehicle_bus.client.mqtt_bus import ClientOptions
from vehicle_bus.contract import Topics

Preference = Literal["auto", "embedded", "mosquitto"]


@asynccontextmanager
async def broker(
    url: str | None,
    *,
    prefer: Preference = "auto",
    access: Access | None = None,
    agents: Iterable[str] = (),
    open_port: int | None = None,
) -> AsyncIterator[BrokerAddress]:
    """The broker at `url`, or one of our own on 127.0.0.1 for as long as the block runs.

    Ours is a mosquitto child if there is one on this machine, else the embedded broker; `prefer`
    names one. `agents` are the vins whose agents may log in at mosquitto (the embedded broker
    admits any with the right password). At an `open_port` (0 is any) ours lets everybody in.
    A BusUnreachable says what to check at `url`.
    """
    access = (access or Access()) if open_port is None else None
    port = open_port or 0
    if url is not None:
        address = external(url)
        async with connect(address, "observer"):
            pass  # it answers and lets us in
        yield address
    elif prefer == "mosquitto" or (prefer == "auto" and find_mosquitto() is not None):
        async with mosquitto_broker(access, port=port, agents=agents) as listening:
            yield BrokerAddress("127.0.0.1", listening, "mosquitto", access=access)
    else:
        async with embedded_broker(access, port=port) as listening:
            yield BrokerAddress("127.0.0.1", listening, "embedded", access=access)


def connect(
    address: BrokerAddress,
    role: Role,
    *,
    vin: str | None = None,
    client_id: str | None = None,
    will: Publication | None = None,
    give_up_s: float | None = None,
) -> AbstractAsyncContextManager[Bus]:
    """A client that logs in as `role` for as long as the block runs.

    An agent needs the `vin` of its car. A lost connection is sought again, for ever or for
    `give_up_s`; then the block ends with a BusUnreachable.
    """
    # Nobody else can guess a random id, log in with it and so take the connection over.
    client_id = client_id or f"{role}-{secrets.token_hex(6)}"
    options = ClientOptions(Topics(address.prefix), reply_vin=vin or "+", give_up_s=give_up_s)
    login = address.credentials(role, vin)
    user, password = (None, None) if login is None else (login.user, login.password)
    if address.client == "codec":
        hello = Hello(client_id, user, password, will)
        return codec_bus(address.host, address.port, hello, options)
    # Imported here because most runs never need it, and it makes every start slower.
    from vehicle_bus.client.aiomqtt_link import Remote, aiomqtt_bus

    remote = Remote(
        address.host,
        address.port,
        client_id,
        user,
        password,
        address.tls,
        address.ca_file,
        address.protocol,
        will,
    )
    return aiomqtt_bus(remote, options)
