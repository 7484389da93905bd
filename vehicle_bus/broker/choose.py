"""Which broker to use, and a client on it."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

from vehicle_bus.broker.acl import Access, Role
from vehicle_bus.broker.address import BrokerAddress
from vehicle_bus.broker.embedded import embedded_broker
from vehicle_bus.bus import Bus, Publication
from vehicle_bus.codec_bus import codec_bus
from vehicle_bus.codec_link import Hello
from vehicle_bus.contract import Topics
from vehicle_bus.mqtt_bus import Terms


@asynccontextmanager
async def broker(
    url: str | None, *, prefer: Literal["auto", "embedded", "mosquitto"] = "auto"
) -> AsyncIterator[BrokerAddress]:
    """The broker at `url`, or one of our own for as long as the block runs."""
    access = Access()
    async with embedded_broker(access) as port:
        yield BrokerAddress("127.0.0.1", port, "embedded", access=access)


@asynccontextmanager
async def connect(
    address: BrokerAddress,
    role: Role,
    *,
    vin: str | None = None,
    client_id: str | None = None,
    will: Publication | None = None,
    give_up_s: float | None = None,
) -> AsyncIterator[Bus]:
    """A client that logged in as `role`; an agent needs the `vin` of its car.

    A lost connection is sought again, for ever or for `give_up_s`; then the block ends with a
    BusUnreachable.
    """
    login = address.credentials(role, vin)
    hello = Hello(
        client_id or f"{role}-{secrets.token_hex(6)}",  # nobody else can guess it and take it over
        None if login is None else login.user,
        None if login is None else login.password.encode(),
        will,
    )
    async with codec_bus(
        address.host,
        address.port,
        hello,
        Terms(Topics(address.prefix), reply_vin=vin or "+", give_up_s=give_up_s),
    ) as bus:
        yield bus
