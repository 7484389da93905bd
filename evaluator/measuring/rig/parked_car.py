"""A car on the bus that nobody drives, and one timed request to it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assistant_gateway.timing.timeline import wall_ns
from evaluator.run.units import Bench
from vehicle_bus.bus import Publication
from vehicle_bus.car.state import CarSetup
from vehicle_bus.contract import Command, encode
from vehicle_bus.vehicle import Vehicle

TIMEOUT_S = 30.0


@asynccontextmanager
async def parked_car(up: Bench, vin: str) -> AsyncIterator[Vehicle]:
    """A car with defaults on the bus, for as long as the block runs."""
    vehicle = Vehicle(CarSetup(), up.world)
    await up.cars.place(vin, vehicle)
    try:
        yield vehicle
    finally:
        await up.cars.remove(vin)


async def request_ns(up: Bench, vin: str, tool: str, arguments: dict[str, object]) -> int:
    """One command over the bus until its reply is there, nobody else in between."""
    command = Command(src="bench", call_id="bench", arguments=arguments)
    publication = Publication(up.settings.topics.command(vin, tool), encode(command))
    started_ns = wall_ns()
    await up.buses[1].request(publication, timeout_s=TIMEOUT_S)
    return wall_ns() - started_ns
