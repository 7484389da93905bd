"""A car on a broker of its own, and a remote car that follows it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from tests.vehicle_bus.cars import car
from vehicle_bus.broker.address import BrokerAddress
from vehicle_bus.broker.choose import broker, connect
from vehicle_bus.bus import Bus
from vehicle_bus.contract import Topics
from vehicle_bus.host.host import VehicleHost, vehicle_host
from vehicle_bus.remote_car.remote_car import RemoteCar, remote_car
from vehicle_bus.vehicle import Vehicle

TOPICS = Topics()
VIN = "car-1"


class RemoteRig(NamedTuple):
    """The car in its host, and the same car as others see it."""

    host: VehicleHost
    remote: RemoteCar
    bus: Bus
    address: BrokerAddress


@asynccontextmanager
async def followed(vehicle: Vehicle | None = None) -> AsyncIterator[RemoteRig]:
    """A car whose time runs by itself."""
    async with (
        broker(None, prefer="embedded", open_port=0) as address,
        connect(address, "car") as own,
        vehicle_host(own, TOPICS, signals="all") as host,
        connect(address, "observer") as bus,
    ):
        await host.place(VIN, vehicle or car(), running=True)
        async with remote_car(bus, TOPICS, VIN) as remote:
            yield RemoteRig(host, remote, bus, address)
