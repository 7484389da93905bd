"""Searches that take long: who waits for them and who does not."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tests.vehicle_bus.small_world import (
    BER,
    MUN,
    PLACES,
    city_routes,
    recipes,
    route_id,
    world_file,
)
from vehicle_bus.broker.choose import broker, connect
from vehicle_bus.bus import Bus, Publication, Subscription
from vehicle_bus.car.state import CarSetup
from vehicle_bus.contract import Command, Reply, Topics, decode, encode
from vehicle_bus.host.host import VehicleHost, vehicle_host
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.json_lines import Row
from vehicle_bus.world.world import World

TOPICS = Topics()
SLOW, QUICK = "slow", "quick"
SEARCH = "search_poi_along_the_route"
ASKED = {"route_id": route_id(MUN, BER), "category_poi": "restaurants"}


class PausedWorld(World):
    """A world whose searches along a route begin, and go on once they may."""

    def __init__(self) -> None:
        super().__init__(world_file(PLACES, city_routes(), recipes()))
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.thread = ""

    def pois_along(
        self, route_id: str, category: str, at_kilometer: float | None, within_km: float
    ) -> Sequence[Row]:
        self.thread = threading.current_thread().name
        self.begun.set()
        self.go_on.wait(5)
        return super().pois_along(route_id, category, at_kilometer, within_km)


@asynccontextmanager
async def host_rig(world: PausedWorld) -> AsyncIterator[tuple[VehicleHost, Bus, Subscription]]:
    async with (
        broker(None) as address,
        connect(address, "car") as cars,
        connect(address, "gateway", client_id="gateway") as asking,
        asking.subscribe(TOPICS.reply("+", "gateway")) as replies,
    ):
        try:
            async with vehicle_host(cars, TOPICS) as host:
                for vin in (SLOW, QUICK):
                    await host.place(vin, Vehicle(CarSetup(), world))
                yield host, asking, replies
        finally:
            world.go_on.set()


def asks(vin: str, call_id: str, tool: str, **arguments: Any) -> Publication:
    command = Command(src="gateway", call_id=call_id, arguments=arguments)
    return Publication(TOPICS.command(vin, tool), encode(command))


async def answers(replies: Subscription, count: int) -> list[str]:
    """Call ids in the order of the answers."""
    heard: list[str] = []
    async with asyncio.timeout(5):
        while len(heard) < count:
            heard += [decode(Reply, message.payload).call_id for message in await replies.batch()]
    return heard


async def begun(world: PausedWorld) -> None:
    assert await asyncio.to_thread(world.begun.wait, 5)


async def test_other_cars_are_answered_during_a_search_and_this_one_in_order() -> None:
    world = PausedWorld()
    async with host_rig(world) as (_, asking, replies):
        await asking.publish_all(
            [
                asks(SLOW, "before", "set_fan_speed", level=1),
                asks(SLOW, "search", SEARCH, **ASKED),
                asks(SLOW, "after", "set_fan_speed", level=2),
                asks(QUICK, "other", "get_car_color"),
            ]
        )
        await begun(world)
        await asking.publish(asks(QUICK, "another", "get_car_color"))
        assert await answers(replies, 3) == ["before", "other", "another"]
        await asking.publish(asks(SLOW, "last", "get_car_color"))
        world.go_on.set()
        assert await answers(replies, 3) == ["search", "after", "last"]
        assert world.thread.startswith("heavy tools")


async def test_a_car_is_quick_again_after_its_search() -> None:
    world = PausedWorld()
    world.go_on.set()
    async with host_rig(world) as (host, asking, replies):
        for number in range(20):
            tool, arguments = (SEARCH, ASKED) if number % 3 else ("set_fan_speed", {"level": 3})
            await asking.publish(asks(SLOW, str(number), tool, **arguments))
        assert await answers(replies, 20) == [str(number) for number in range(20)]
        assert host.vehicle(SLOW).revision == 1


async def test_a_car_taken_off_the_bus_leaves_no_answer_behind() -> None:
    world = PausedWorld()
    async with host_rig(world) as (host, asking, replies):
        await asking.publish(asks(SLOW, "search", SEARCH, **ASKED))
        await begun(world)
        await host.remove(SLOW)
        world.go_on.set()
        await asking.publish(asks(QUICK, "search too", SEARCH, **ASKED))
        assert await answers(replies, 1) == ["search too"]


async def test_a_host_leaves_while_a_search_runs_and_others_wait() -> None:
    world = PausedWorld()
    async with host_rig(world) as (_, asking, _replies):
        await asking.publish_all([asks(SLOW, str(number), SEARCH, **ASKED) for number in range(3)])
        await begun(world)
        threading.Timer(0.05, world.go_on.set).start()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("heavy")]
