"""The servers that every session needs: broker, cars, gateway, and a bus to listen on."""

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from assistant_gateway.server import AccessTokens, Gateway, gateway
from assistant_gateway.session.bus_outbox import SRC
from evaluator.options import RunOptions, Signals
from vehicle_bus.broker.address import BrokerAddress
from vehicle_bus.broker.choose import Preference, broker, connect
from vehicle_bus.bus import Bus
from vehicle_bus.car.state import CarSetup
from vehicle_bus.contract import Topics
from vehicle_bus.host.host import VehicleHost, last_will, vehicle_host

GIVE_UP_S = 60.0  # how long a lost broker is sought
OWN_GIVE_UP_S = 2.0  # one that this program has started does not come back


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Which broker is used, and how cars and gateway are reached there.

    `bus_agents` are cars whose agents may log in at the broker themselves. With `motion` every car
    drives, not only those set up so; in real time it reports that `motion_hz` times per second.
    At a `broker_port` a broker of our own lets everybody in, else nobody.
    A gateway that `hears_cars` knows how fast they are, and so how loud.
    Each answer of whoever takes part is waited for at least `patience_s`, if that is given.
    """

    agent_wait_s: float = RunOptions.agent_wait_s
    patience_s: float | None = RunOptions.patience_s
    broker_url: str | None = None
    broker_kind: Preference = "auto"
    broker_port: int | None = None
    signals: Signals = RunOptions.signals
    keep_retained: bool = RunOptions.keep_retained
    bus_agents: tuple[str, ...] = ()
    motion: bool = RunOptions.motion
    motion_hz: int = RunOptions.motion_hz
    hears_cars: bool = False
    gateway_port: int = RunOptions.gateway_port
    tokens: AccessTokens = field(default_factory=AccessTokens)
    topics: Topics = field(default_factory=Topics)

    def moving(self, setup: CarSetup) -> CarSetup:
        """A car as it is set up, under way if all are."""
        return setup.under_way() if self.motion else setup


@dataclass(frozen=True, slots=True)
class Servers:
    """A host for cars and a gateway on one broker; `buses` are those of car, gateway, evaluator."""

    address: BrokerAddress
    buses: tuple[Bus, Bus, Bus]
    cars: VehicleHost
    gateway: Gateway

    @property
    def evaluator_bus(self) -> Bus:
        return self.buses[2]


def joining(address: BrokerAddress) -> Callable[..., AbstractAsyncContextManager[Bus]]:
    """`connect` for clients of a run, which ends if the broker does not come back."""
    give_up_s = GIVE_UP_S if address.kind == "external" else OWN_GIVE_UP_S
    return partial(connect, address, give_up_s=give_up_s)


def broker_of(settings: ServerSettings) -> AbstractAsyncContextManager[BrokerAddress]:
    """The broker that the settings name, for as long as the block runs."""
    return broker(
        settings.broker_url,
        prefer=settings.broker_kind,
        agents=settings.bus_agents,
        open_port=settings.broker_port,
    )


@asynccontextmanager
async def servers(
    settings: ServerSettings, at: BrokerAddress | None = None
) -> AsyncIterator[Servers]:
    """Entered means connected, subscribed and listening; leaving takes everything down again.

    The broker is that `at` an address, or goes up and down with them.
    """
    topics = settings.topics
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        address = await enter(broker_of(settings)) if at is None else at
        car_id = f"car-{secrets.token_hex(6)}"
        join = joining(address)
        car = await enter(join("car", client_id=car_id, will=last_will(topics, car_id)))
        gate_bus = await enter(join("gateway"))
        evaluator = await enter(join("evaluator"))
        cars = await enter(
            vehicle_host(
                car,
                topics,
                signals=settings.signals,
                keep_retained=settings.keep_retained,
                motion_hz=settings.motion_hz,
            )
        )
        gate = await enter(
            gateway(
                gate_bus,
                topics,
                port=settings.gateway_port,
                tokens=settings.tokens,
                agent_wait_s=settings.agent_wait_s,
                patience_s=settings.patience_s,
                hears_cars=settings.hears_cars,
                reply_names=(SRC,) if address.protocol == "3.1.1" else (),
            )
        )
        yield Servers(address, (car, gate_bus, evaluator), cars, gate)
