"""`codriver vehicle`: one car alone on a broker, for anybody to command, until it is stopped."""

import asyncio
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from evaluator.option_values import broker_at, broker_option
from evaluator.problems import UsageProblem
from evaluator.run_async import run_async
from evaluator.task.fault_sets import NONE, fault_set
from evaluator.task.selection import Selection, load, load_world
from vehicle_bus.broker.address import BrokerAddress
from vehicle_bus.broker.choose import connect
from vehicle_bus.broker.embedded import embedded_broker
from vehicle_bus.broker.mosquitto import find_mosquitto, mosquitto_broker
from vehicle_bus.car.state import CarSetup
from vehicle_bus.contract import Topics
from vehicle_bus.host.host import last_will, vehicle_host
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World


@dataclass(frozen=True, slots=True)
class VehicleOptions:
    """A car and its broker, as asked for on the command line."""

    broker: str = "embedded"
    broker_port: int = 0
    vin: str = "car-1"
    task_id: str | None = None
    tasks_from: Path | None = None
    world: Path | None = None
    keep_retained: bool = False
    motion: bool = False
    motion_hz: int = 1
    seed: int = 10
    faults: str = NONE

    def vehicle(self) -> Vehicle:
        """The car as a task has it, else with everything at its default."""
        setup, world = self._setup_and_world()
        setup = setup.under_way() if self.motion else setup
        return Vehicle(setup, world, seed=self.seed, motion_hz=self.motion_hz)

    def _setup_and_world(self) -> tuple[CarSetup, World]:
        if self.task_id is None:
            return CarSetup(), load_world(self.tasks_from, self.world)
        tasks, _, world = load(Selection(self.tasks_from, task_ids=(self.task_id,)), self.world)
        return tasks[0].car, world


def park(car: VehicleOptions, *, as_json: bool) -> None:
    """Stay on the bus until interrupted; raises `Problem`."""
    if not car.vin or set(car.vin) & set("/+#\0"):
        raise UsageProblem("--vin is one level of a topic: no slash, + or # in it")
    try:
        run_async(_park(car, as_json=as_json))
    except KeyboardInterrupt:
        return


async def _park(car: VehicleOptions, *, as_json: bool) -> None:
    faults, vehicle, topics = fault_set(car.faults), car.vehicle(), Topics()
    client_id = f"car-{secrets.token_hex(6)}"
    will = last_will(topics, client_id)
    async with (
        _open_broker(car) as address,
        connect(address, "car", client_id=client_id, will=will) as bus,
        vehicle_host(
            bus,
            topics,
            signals="all",
            keep_retained=car.keep_retained,
            motion_hz=car.motion_hz,
        ) as host,
    ):
        await host.place(car.vin, vehicle, faults=faults, seed=str(car.seed), running=True)
        _tell(car, address, topics, as_json=as_json)
        await asyncio.Event().wait()


@asynccontextmanager
async def _open_broker(car: VehicleOptions) -> AsyncIterator[BrokerAddress]:
    """The broker at a URL, or one of our own on loopback where everybody may do everything."""
    asked = broker_option(car.broker)
    if asked.url is not None:
        yield broker_at(asked.url)
    elif asked.kind == "embedded" or (asked.kind == "auto" and find_mosquitto() is None):
        async with embedded_broker(port=car.broker_port) as port:
            yield BrokerAddress("127.0.0.1", port, "embedded")
    else:
        async with mosquitto_broker(port=car.broker_port) as port:
            yield BrokerAddress("127.0.0.1", port, "mosquitto")


def _tell(car: VehicleOptions, address: BrokerAddress, topics: Topics, *, as_json: bool) -> None:
    where = f"{address.host}:{address.port}"
    prefix = f"{topics.prefix}/{car.vin}"
    if as_json:
        told = {"vin": car.vin, "broker": where, "topics": prefix}
        sys.stdout.write(orjson.dumps(told).decode() + "\n")
    else:
        to = f"-h {address.host} -p {address.port} -V 5"
        reply = topics.reply(car.vin, "me")
        command = topics.command(car.vin, "open_close_sunroof")
        body = '{"call_id": "1", "arguments": {"percentage": 50}}'
        sys.stdout.write(
            f"{car.vin} is on the broker at {where}; Ctrl-C takes it away\n"
            f"  watch:    mosquitto_sub {to} -t '{prefix}/#' -v\n"
            f"  command:  mosquitto_rr {to} -t {command} -e {reply} -m '{body}'\n"
        )
    sys.stdout.flush()
