"""Workers on brokers that are not their own, and spectators of all of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.conftest import free_port, need_mosquitto
from tests.evaluator.command_line import codriver
from vehicle_bus.broker.address import BrokerAddress
from vehicle_bus.broker.choose import connect
from vehicle_bus.broker.embedded import embedded_broker
from vehicle_bus.broker.mosquitto import find_mosquitto, mosquitto_broker
from vehicle_bus.bus import BusError
from vehicle_bus.child_process import child_process

TASKS = ("base_fog_lights", "settle_fan", "limit_no_trunk", "base_clear_view")
RUN = (
    *("run", "--agent", "reference", "--pace", "virtual", "--workers", "2", "--out", "run"),
    *("--task-ids", ",".join(TASKS), "--num-trials", "2", "--fail-under", "solved=1"),
)
ALL = {(task, str(trial)) for task in TASKS for trial in range(2)}
Seen = list[tuple[str, str]]


@asynccontextmanager
async def spectator(port: int) -> AsyncIterator[Seen]:
    """The units whose verdicts are published at a broker while the block runs."""
    seen: Seen = []

    async def watch(ready: asyncio.Event) -> None:
        async with (
            connect(BrokerAddress("127.0.0.1", port, "external"), "observer") as bus,
            bus.subscribe("codriver/v1/+/session/+/verdict") as verdicts,
        ):
            ready.set()
            async for message in verdicts:
                if message.payload:  # else it is cleared away
                    _, task, trial = message.topic.split("/")[2].rsplit("-", 2)
                    seen.append((task, trial))

    ready = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(watch(ready))
        await ready.wait()
        yield seen
        watching.cancel()


async def play(folder: Path, broker: str) -> None:
    done = await asyncio.to_thread(codriver, *RUN, "--broker", broker, folder=folder)
    assert done.code == 0, done.stderr


def two_ports() -> int:
    """A port that ends with 1; the next one is meant to be free as well."""
    return free_port() // 10 * 10 + 1


async def test_each_worker_has_the_broker_with_its_number(tmp_path: Path) -> None:
    first = two_ports()
    async with (
        embedded_broker(port=first),
        embedded_broker(port=first + 1),
        spectator(first) as one,
        spectator(first + 1) as two,
    ):
        await play(tmp_path, f"mqtt://127.0.0.1:{first // 10}{{worker}}")
    assert sorted(one + two) == sorted(ALL)


async def test_workers_may_share_a_broker(tmp_path: Path) -> None:
    async with embedded_broker() as port, spectator(port) as seen:
        await play(tmp_path, f"mqtt://127.0.0.1:{port}")
    assert sorted(seen) == sorted(ALL)


async def test_a_bridge_shows_the_cars_of_all_workers_in_one_place(tmp_path: Path) -> None:
    need_mosquitto()
    program, first, central = find_mosquitto(), two_ports(), free_port()
    bridges = [
        f"connection worker-{number}\naddress 127.0.0.1:{first + number - 1}\n"
        "bridge_protocol_version mqttv50\ntopic codriver/v1/# in 1\n"
        for number in (1, 2)
    ]
    config = tmp_path / "all.conf"
    config.write_text(
        f"listener {central} 127.0.0.1\nallow_anonymous true\n{''.join(bridges)}",
        encoding="utf-8",
    )
    with (tmp_path / "log").open("wb") as log:
        async with (
            mosquitto_broker(port=first),
            mosquitto_broker(port=first + 1),
            child_process([str(program), "-c", config], log),
        ):
            await answers(central)
            async with spectator(central) as seen:
                await play(tmp_path, f"mqtt://127.0.0.1:{first // 10}{{worker}}")
    assert sorted(seen) == sorted(ALL)


async def answers(port: int) -> None:
    """Wait until a broker listens."""
    async with asyncio.timeout(10):
        while True:
            try:
                async with connect(BrokerAddress("127.0.0.1", port, "external"), "observer"):
                    return
            except BusError:
                await asyncio.sleep(0.05)
