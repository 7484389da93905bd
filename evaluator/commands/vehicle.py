"""`codriver vehicle`: one car on a broker, open to any MQTT client, until it is stopped.

`codriver bridge` shows such a car to another stack.
"""

import asyncio
import os
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import orjson

from assistant_gateway.wording.spoken import counted
from evaluator.allowed_values import broker_option, check_vin
from evaluator.event_loop import run_until_interrupted
from evaluator.options import BridgeOptions, VehicleOptions
from evaluator.problems import InfraProblem, UsageProblem, installed, missing_extra
from evaluator.task.fault_sets import fault_set
from evaluator.task.selection import Selection, load, load_world
from vehicle_bus.broker.address import BrokerAddress, external
from vehicle_bus.broker.choose import broker, connect
from vehicle_bus.bus import Bus
from vehicle_bus.car.state import CarSetup
from vehicle_bus.contract import Topics
from vehicle_bus.host.host import last_will, vehicle_host
from vehicle_bus.remote_car.remote_car import RemoteCar, remote_car
from vehicle_bus.vehicle import Vehicle


def serve(options: VehicleOptions, *, as_json: bool) -> None:
    """Keep a car on the bus until interrupted; raises `Problem`."""
    check_vin(options.vin)
    if options.mcp is not None and not installed("mcp"):
        raise missing_extra("--mcp", "mcp")
    run_until_interrupted(_serve(options, as_json=as_json))


def bridge(options: BridgeOptions) -> None:
    """Provide a car's signals to a databroker until interrupted; raises `Problem`."""
    check_vin(options.vin)
    scheme, _, address = options.address.partition("://")
    if scheme != "kuksa" or not address.rpartition(":")[2].isdecimal():
        raise UsageProblem(f"a databroker is kuksa://HOST:PORT, not {options.address!r}")
    if not installed("grpc", "google.protobuf"):
        raise missing_extra("codriver bridge", "kuksa")
    broker = broker_option(options.broker)
    if broker.url is None:
        raise UsageProblem("--broker is the broker that the car is on: mqtt://HOST:PORT")
    run_until_interrupted(_bridge(options, broker.url, address))


async def _bridge(options: BridgeOptions, url: str, address: str) -> None:
    from vehicle_bus.kuksa.bridge import DatabrokerError, kuksa_bridge

    token = os.environ.get("CODRIVER_KUKSA_TOKEN")
    at = external(url)
    topics = Topics(at.prefix)
    try:
        async with (
            connect(at, "observer") as bus,
            remote_car(bus, topics, options.vin) as car,
            kuksa_bridge(car, address, token=token) as bridged,
        ):
            left_out = f"; it does not know {', '.join(bridged.left_out)}" * bool(bridged.left_out)
            sys.stderr.write(
                f"{options.vin} provides {counted(len(bridged.entries), 'signal')} and "
                f"{counted(len(bridged.actuators), 'actuator')} to the databroker at {address}"
                f"{left_out}; Ctrl-C ends it\n"
            )
            await asyncio.Event().wait()
    except DatabrokerError as error:
        raise InfraProblem(str(error)) from error


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
        async with _endpoints(options, address, topics) as endpoints:
            _print(options, address, topics, endpoints, as_json=as_json)
            await asyncio.Event().wait()


@asynccontextmanager
async def _endpoints(
    options: VehicleOptions, address: BrokerAddress, topics: Topics
) -> AsyncIterator[dict[str, str]]:
    """Where else the car can be reached, by protocol."""
    endpoints: dict[str, str] = {}
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        if options.viss is not None or options.mcp is not None or options.discovery:
            bus = await enter(connect(address, "observer"))
            car = await enter(remote_car(bus, topics, options.vin))
        if options.discovery:
            endpoints["discovery"] = await enter(_discovered(options, bus, topics, car))
        if options.viss is not None:
            from vehicle_bus.viss.server import viss_server

            endpoints["viss"] = await enter(viss_server(car, port=options.viss))
        if options.mcp is not None:
            from assistant_gateway.mcp_server.car_server import car_mcp_server

            endpoints["mcp"] = await enter(car_mcp_server(car, port=options.mcp))
        yield endpoints


@asynccontextmanager
async def _discovered(
    options: VehicleOptions, bus: Bus, topics: Topics, car: RemoteCar
) -> AsyncIterator[str]:
    """Home Assistant finds the car while the block runs; yields where it looks for it."""
    from vehicle_bus.discovery.home_assistant import PREFIX, discovery, forgotten

    published = discovery(topics, options.vin, car.declarations, car.readings)
    await bus.publish_all(published)
    try:
        yield f"{PREFIX}/#"
    finally:
        if not options.keep_retained:
            await bus.publish_all(forgotten(published))


def _print(
    options: VehicleOptions,
    address: BrokerAddress,
    topics: Topics,
    endpoints: dict[str, str],
    *,
    as_json: bool,
) -> None:
    where = f"{address.host}:{address.port}"
    prefix = f"{topics.prefix}/{options.vin}"
    if as_json:
        fields = {"vin": options.vin, "broker": where, "topics": prefix, **endpoints}
        sys.stdout.write(orjson.dumps(fields).decode() + "\n")
    else:
        sys.stdout.write(
            f"{options.vin} is on the broker at {where}; Ctrl-C takes it away\n"
            f"  watch:     mosquitto_sub {address.client_options} -t '{prefix}/#' -v\n"
            f"  command:   {_ask(address, topics, options.vin)}\n"
            + "".join(f"  {f'{name}:':<11}{where_else}\n" for name, where_else in endpoints.items())
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
