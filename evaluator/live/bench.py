"""The live bench: what is up for all cars, and one car after the other on it."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from assistant_gateway.agents.client import PacedAgent
from evaluator.live.car import LiveCar
from evaluator.live.conversation import SEEN_WITHIN_S, Conversations
from evaluator.live.observer import observer
from evaluator.live.settings import CarRequest, LiveSettings
from evaluator.run.agent_connections import connected_agents
from evaluator.run.agents import agents_for
from evaluator.run.servers import Servers, servers
from evaluator.run.units import with_faults
from user_sim.free_driver import free_driver
from vehicle_bus.background_tasks import alone
from vehicle_bus.broker.address import BrokerAddress
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World


@dataclass(frozen=True, slots=True)
class LiveBench:
    """Broker, gateway and agent, up and connected."""

    settings: LiveSettings
    world: World
    servers: Servers
    agents: dict[str, PacedAgent] = field(default_factory=dict)

    def _vehicle(self, request: CarRequest) -> Vehicle:
        settings = self.settings
        setup = settings.moving(request.setup)
        return Vehicle(setup, self.world, seed=settings.seed, motion_hz=settings.motion_hz)

    @asynccontextmanager
    async def car(
        self, request: CarRequest | None = None, *, waits: bool = False
    ) -> AsyncIterator[LiveCar]:
        """Place a car with a driver in it; leaving ends the conversation and takes it away.

        The time of a car that `waits` stands still until it is started.
        """
        with alone():
            async with self._placed(request or CarRequest(), waits) as car:
                yield car

    @asynccontextmanager
    async def _placed(self, request: CarRequest, waits: bool) -> AsyncIterator[LiveCar]:
        vin = request.vin or f"live-{secrets.token_hex(4)}"
        up, gate, choice = self.servers, self.servers.gateway, self.settings.agent
        faulty = request.task and with_faults(request.task, self.settings.faults)
        fresh = await agents_for(choice, faulty, self.world) if choice.in_process else None
        async with (
            observer(up.evaluator_bus, self.settings.topics, vin) as seen,
            free_driver(gate.url, gate.tokens.user) as driver,
        ):
            car = self._vehicle(request)
            await up.cars.place(
                vin,
                car,
                faults=self.settings.faults,
                seed=f"{self.settings.seed}/faults",
                running=bool(car.setup.motion) and not waits,
            )
            conversations = Conversations(
                self.settings, request, fresh, gate, self.agents, driver, seen
            )
            try:
                async with asyncio.timeout(SEEN_WITHIN_S):
                    await seen.until(lambda record: record.initial_state)
                yield LiveCar(up, seen, conversations)
                await conversations.close()
            finally:
                if vin in up.cars.vins():  # else the whole bench is going down
                    await up.cars.remove(vin)
                gate.forget(vin)


@asynccontextmanager
async def live_bench(
    settings: LiveSettings, world: World, broker: BrokerAddress | None = None
) -> AsyncIterator[LiveBench]:
    """Entered means ready to place cars; leaving leaves nothing behind.

    Several benches may share a `broker`; without one it has its own.

    An external agent may come later: `bench.servers.gateway.agents_connected()` waits for it, and
    so does the first word in a car.
    """
    with alone():
        async with servers(settings, broker) as up:
            bench = LiveBench(settings, world, up)
            async with connected_agents(
                settings.agent, up.gateway, bench.agents.__getitem__, settings.sockets
            ):
                yield bench


@asynccontextmanager
async def live_car(
    settings: LiveSettings, world: World, request: CarRequest | None = None
) -> AsyncIterator[LiveCar]:
    """One car with everything it needs, for as long as the block runs."""
    async with live_bench(settings, world) as bench, bench.car(request) as car:
        yield car
