"""A gateway with one car on a real broker, for tests that talk to it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.server import Gateway, gateway
from assistant_gateway.session.result import SessionResult
from vehicle_bus.broker.address import BrokerAddress
from vehicle_bus.broker.choose import broker
from vehicle_bus.broker.choose import connect as bus_connect
from vehicle_bus.car.state import CarSetup
from vehicle_bus.contract import Topics
from vehicle_bus.host.host import vehicle_host
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

VIN = "testcar"
PLAN = SessionPlan(VIN, VIN, pace="fast")
NO_WORLD = World()


@dataclass(frozen=True)
class Rig:
    gateway: Gateway
    address: BrokerAddress

    async def result(self) -> SessionResult:
        async with asyncio.timeout(10):
            return await self.gateway.result(VIN)


@asynccontextmanager
async def rig(
    setup: CarSetup | None = None, *, agent_wait_s: float = 5, **plan: Any
) -> AsyncIterator[Rig]:
    """Broker, car and gateway are up; session `VIN` waits for its driver."""
    async with (
        asyncio.timeout(20),
        broker(None, prefer="embedded") as address,
        bus_connect(address, "car") as car,
        bus_connect(address, "gateway") as bus,
        vehicle_host(car, Topics()) as cars,
        gateway(bus, Topics(), agent_wait_s=agent_wait_s) as gate,
    ):
        gate.announce(replace(PLAN, **plan))
        await cars.place(VIN, Vehicle(setup or CarSetup(), NO_WORLD))
        yield Rig(gate, address)


class Raw:
    """A peer that sends whatever it likes."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def send(
        self,
        kind: str,
        cid: str | None = None,
        *,
        sid: str | None = None,
        rid: str | None = None,
        **data: Any,
    ) -> None:
        frame = {"type": kind, "sid": sid, "rid": rid, "cid": cid, "data": data}
        await self.socket.send(json.dumps(frame))

    async def until(self, kind: str) -> dict[str, Any]:
        """The next frame of this type; others are passed over."""
        while (frame := await self.frame())["type"] != kind:
            pass
        return frame

    async def frame(self) -> dict[str, Any]:
        async with asyncio.timeout(10):
            frame: dict[str, Any] = json.loads(await self.socket.recv())
            return frame


@asynccontextmanager
async def raw(rigged: Rig, role: str, token: str | None = None) -> AsyncIterator[Raw]:
    gate = rigged.gateway
    given = token or (gate.tokens.agent if role == "agent" else gate.tokens.user)
    async with connect(
        f"{gate.url}/{role}",
        additional_headers={"Authorization": f"Bearer {given}"},
        subprotocols=[Subprotocol(f"codriver.{role}.v1")],
        compression=None,
        proxy=None,
        close_timeout=0.5,
    ) as socket:
        yield Raw(socket)
