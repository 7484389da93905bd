"""`codriver vehicle`: one car on a broker, open to any MQTT client, until it is stopped."""

import asyncio
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import orjson

from evaluator.allowed_values import broker_option, check_vin
from evaluator.event_loop import run_until_interrupted
from evaluator.options import VehicleOptions
from evaluator.task.fault_sets import fault_set
from evaluator.task.selection import Selection, load, load_world
from vehicle_bus.broker.address import BrokerAddress
from vehicle_bus.broker.choose import broker, connect
from vehicle_bus.car.state import CarSetup
from vehicle_bus.contract import Topics
from vehicle_bus.host.host import last_will, vehicle_host
from vehicle_bus.remote_car.remote_car import remote_car
from vehicle_bus.vehicle import Vehicle


def serve(options: VehicleOptions, *, as_json: bool) -> None:
    """Keep a car on the bus until interrupted; raises `Problem`."""
    check_vin(options.vin)
    run_until_interrupted(_serve(options, as_json=as_json))


def vehicle(options: VehicleOptions) -> Vehicle:
    """The car of a task, else with everything at its default; raises `UsageProblem`."""
    if options.task is None:
        setup, world = CarSetup(), load_world(options.tasks_from, options.world)
    else:
        selection = Selection(options.tasks_from, task_ids=(options.task,))
        [task], _, world = load(selection, options.world)
        setup = task.car
    setup = setup.under_way() if options.motion else setup
    return Vehicle(setup, world, seed=options.seed, motion_hz=options.motion_hz)


async def _serve(options: VehicleOptions, *, as_json: bool) -> None:
    faults, car, topics = fault_set(options.faults), vehicle(options), Topics()
    client_id, asked = f"car-{secrets.token_hex(6)}", broker_option(options.broker)
    will = last_will(topics, client_id)
    async with (
        broker(asked.url, prefer=asked.kind, open_port=options.broker_port) as address,
        connect(address, "car", client_id=client_id, will=will) as bus,
        vehicle_host(
            bus,
            topics,
            signals="all",
            keep_retained=options.keep_retained,
            motion_hz=options.motion_hz,
        ) as host,
    ):
        await host.place(options.vin, car, faults=faults, seed=str(options.seed), running=True)
        async with _doors(options, address, topics) as doors:
            _print(options, address, topics, doors, as_json=as_json)
            await asyncio.Event().wait()


@asynccontextmanager
async def _doors(
    options: VehicleOptions, address: BrokerAddress, topics: Topics
) -> AsyncIterator[dict[str, str]]:
    """Where else the car can be reached, by protocol."""
    doors: dict[str, str] = {}
    async with AsyncExitStack() as stack:
        if options.viss is not None:
            from vehicle_bus.viss.server import viss_server

            bus = await stack.enter_async_context(connect(address, "observer"))
            remote = await stack.enter_async_context(remote_car(bus, topics, options.vin))
            served = viss_server(remote, port=options.viss)
            doors["viss"] = await stack.enter_async_context(served)
        yield doors


def _print(
    options: VehicleOptions,
    address: BrokerAddress,
    topics: Topics,
    doors: dict[str, str],
    *,
    as_json: bool,
) -> None:
    where = f"{address.host}:{address.port}"
    prefix = f"{topics.prefix}/{options.vin}"
    if as_json:
        fields = {"vin": options.vin, "broker": where, "topics": prefix, **doors}
        sys.stdout.write(orjson.dumps(fields).decode() + "\n")
    else:
        sys.stdout.write(
            f"{options.vin} is on the broker at {where}; Ctrl-C takes it away\n"
            f"  watch:    mosquitto_sub {address.client_options} -t '{prefix}/#' -v\n"
            f"  command:  {_ask(address, topics, options.vin)}\n"
            + "".join(f"  {f'{name}:':<9} {door}\n" for name, door in doors.items())
        )
    sys.stdout.flush()


def _ask(address: BrokerAddress, topics: Topics, vin: str) -> str:
    """A command line that asks the car; without MQTT 5 the reply goes where `src` says."""
    to, topic = address.client_options, topics.command(vin, "open_close_sunroof")
    body = '"call_id": "1", "arguments": {"percentage": 50}'
    if address.protocol == "5":
        return f"mosquitto_rr {to} -t {topic} -e {topics.reply(vin, 'me')} -m '{{{body}}}'"
    src = '"src": "me"'
    return f"mosquitto_pub {to} -t {topic} -m '{{{src}, {body}}}'"
