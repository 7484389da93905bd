"""Others on the bus who do not read, or say far too much."""

import asyncio

from evaluator.run.units import Unit, bench
from tests.conftest import BrokerKind
from tests.evaluator.runs import BY_ID, TASKS, WORLD, outcomes, play_units, settings
from vehicle_bus.broker.choose import connect
from vehicle_bus.bus import Publication
from vehicle_bus.contract import Command, Topics, encode

TOPICS = Topics()
FLOOD = 2_000


async def test_a_subscriber_that_never_reads_holds_up_no_run(broker_kind: BrokerKind) -> None:
    async with (
        asyncio.timeout(150),
        bench(settings(broker_kind=broker_kind), WORLD) as up,
        connect(up.address, "observer") as observer,
        observer.subscribe(TOPICS.everything(), queue=1),
    ):
        attempts = await play_units(up, TASKS[:30])
    assert set(outcomes(attempts).values()) == {"success"}


async def test_an_agent_that_floods_its_car_with_commands_harms_only_itself(
    broker_kind: BrokerKind,
) -> None:
    task, other = BY_ID["base_fog_lights"], BY_ID["base_charge_to_ninety"]
    vin = Unit(task, 0).vin(settings(), 0)
    chosen = settings(broker_kind=broker_kind, bus_agents=(vin,), pace="fast")
    commands = [
        Publication(TOPICS.command(vin, "get_car_color"), encode(Command(call_id=f"x{number}")))
        for number in range(FLOOD)
    ]
    async with (
        asyncio.timeout(150),
        bench(chosen, WORLD) as up,
        connect(up.address, "agent", vin=vin) as agent,
        asyncio.TaskGroup() as tasks,
    ):
        flooding = tasks.create_task(agent.publish_all(commands), name="flood")
        attempts = await play_units(up, [task, other])
        await flooding
    assert set(outcomes(attempts).values()) == {"success"}
