import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import orjson
import pytest
from mcp import Client
from websockets.asyncio.client import connect as websocket

from evaluator.problems import installed
from tests.conftest import BrokerKind, Serve, need_mosquitto
from tests.evaluator.command_line import USAGE, Here, Running, started
from tests.vehicle_bus.kuksa.databroker import Databroker, serving
from vehicle_bus.broker.address import BrokerAddress, external
from vehicle_bus.broker.choose import connect
from vehicle_bus.broker.mosquitto import mosquitto_broker
from vehicle_bus.bus import Bus, Message, Publication
from vehicle_bus.car.signals import SIGNALS
from vehicle_bus.contract import Command, Reply, SignalChanged, Topics, decode, encode
from vehicle_bus.remote_car.setters import SETTERS

TOPICS = Topics()


async def parked(running: Running) -> dict[str, Any]:
    """What the command says once the car is on the bus."""
    assert running.process.stdout is not None
    line = await asyncio.to_thread(running.process.stdout.readline)
    assert line, running.finish().stderr
    return dict(orjson.loads(line))


async def stopped(running: Running, how: signal.Signals) -> int:
    running.process.send_signal(how)
    return (await asyncio.to_thread(running.finish)).code


def address(fields: dict[str, Any]) -> BrokerAddress:
    host, _, port = fields["broker"].rpartition(":")
    return BrokerAddress(host, int(port), "embedded")


async def retained(bus: Bus, topic: str) -> Message:
    async with bus.subscribe(topic) as messages:
        return await anext(messages)


async def ordered(bus: Bus, vin: str, tool: str, **arguments: Any) -> Reply:
    command = Command(src="anybody", call_id="1", arguments=arguments)
    publication = Publication(TOPICS.command(vin, tool), encode(command), correlation=b"1")
    reply_topic = TOPICS.reply(vin, bus.client_id)
    answer = await bus.request(publication, timeout_s=10, reply_topic=reply_topic)
    return decode(Reply, answer.payload)


async def test_anybody_may_command_a_car_that_is_alone(tmp_path: Path) -> None:
    with started("vehicle", "--vin", "mine", "--json", folder=tmp_path) as running:
        async with connect(address(await parked(running)), "observer") as bus:
            reply = await ordered(bus, "mine", "set_fan_speed", level=3)
            assert (reply.status, reply.revision_after) == ("SUCCESS", 1)
            path = "Vehicle.Cabin.HVAC.Station.Row1.Driver.FanSpeed"
            changed = await retained(bus, TOPICS.signal("mine", path))
            assert decode(SignalChanged, changed.payload).value == 60
        assert await stopped(running, signal.SIGINT) == 0


async def test_it_starts_as_a_task_says_and_leaves_a_broker_as_it_found_it(
    tmp_path: Path, serve: Serve
) -> None:
    async with serve() as port:
        url = f"mqtt://127.0.0.1:{port}"
        options = ("--broker", url, "--task", "settle_open_window", "--json")
        with started("vehicle", *options, folder=tmp_path) as running:
            assert await parked(running) == {
                "vin": "car-1",
                "broker": f"127.0.0.1:{port}",
                "topics": "codriver/v1/car-1",
            }
            async with connect(external(url), "observer") as bus:
                topic = TOPICS.snapshot("car-1")
                async with bus.subscribe(TOPICS.everything("car-1")) as messages:
                    while (message := await anext(messages)).topic != topic:
                        pass
                    state = orjson.loads(message.payload)["state"]
                    assert any(state[name] for name in state if name.startswith("window_"))
                    assert await stopped(running, signal.SIGTERM) == 0
                    while (message := await anext(messages)).topic != topic or message.payload:
                        pass


async def test_ctrl_c_in_a_terminal_ends_it_without_a_word(
    broker_kind: BrokerKind, tmp_path: Path
) -> None:
    with started("vehicle", "--broker", broker_kind, "--json", folder=tmp_path) as running:
        await parked(running)
        os.killpg(running.process.pid, signal.SIGINT)  # as a terminal does: all that run hear it
        done = await asyncio.to_thread(running.finish)
    assert (done.code, done.stdout, done.stderr) == (0, "", "")


async def test_a_car_may_have_a_viss_server_that_sets_it(tmp_path: Path) -> None:
    options = ("vehicle", "--viss", "0", "--task", "settle_open_window", "--json")
    with started(*options, folder=tmp_path) as running:
        async with websocket((await parked(running))["viss"]) as viss:
            path = "Vehicle.Cabin.Sunroof.Position"
            await viss.send(orjson.dumps({"action": "set", "path": path, "value": 20}).decode())
            assert "error" not in orjson.loads(await viss.recv())
        assert await stopped(running, signal.SIGINT) == 0


async def test_a_car_may_serve_its_tools_over_mcp(tmp_path: Path) -> None:
    with started("vehicle", "--mcp", "0", "--json", folder=tmp_path) as running:
        async with Client((await parked(running))["mcp"]) as mcp:
            assert not (await mcp.call_tool("set_fan_speed", {"level": 3})).is_error
        assert await stopped(running, signal.SIGINT) == 0


async def test_a_car_may_be_found_by_home_assistant_for_as_long_as_it_is_there(
    tmp_path: Path, serve: Serve
) -> None:
    config = "homeassistant/switch/codriver_car-1/fog_lights/config"
    async with serve() as port:
        url = f"mqtt://127.0.0.1:{port}"
        options = ("vehicle", "--discovery", "--broker", url, "--json")
        with started(*options, folder=tmp_path) as running:
            assert (await parked(running))["discovery"] == "homeassistant/#"
            async with connect(external(url), "observer") as bus, bus.subscribe(config) as messages:
                found = orjson.loads((await anext(messages)).payload)
                assert found["command_topic"] == TOPICS.command("car-1", "set_fog_lights")
                assert await stopped(running, signal.SIGINT) == 0
                assert (await anext(messages)).payload == b""


async def test_the_bridge_shows_a_car_to_a_databroker(tmp_path: Path) -> None:
    signals = {signal.path: signal for signal in SIGNALS}
    databroker = Databroker(signals, frozenset(SETTERS))
    path = "Vehicle.Body.Lights.Fog.Front.IsOn"
    with started("vehicle", "--json", folder=tmp_path) as running:
        broker = (await parked(running))["broker"]
        async with serving(databroker) as address:
            options = ("bridge", f"kuksa://{address}", "--broker", f"mqtt://{broker}")
            with started(*options, folder=tmp_path) as bridge:
                await asyncio.to_thread(bridge.until, "car-1 provides ")
                async with asyncio.timeout(30), databroker.changed:
                    await databroker.changed.wait_for(lambda: path in databroker.values)
                assert await stopped(bridge, signal.SIGINT) == 0


def test_a_databroker_has_an_address(here: Here) -> None:
    assert here("bridge", "127.0.0.1:55555").code == USAGE


@pytest.mark.parametrize(
    ("query", "command"), [("", "mosquitto_rr"), ("?protocol=3.1.1", "mosquitto_pub")]
)
async def test_the_commands_it_prints_work_as_they_are(
    query: str, command: str, tmp_path: Path
) -> None:
    need_mosquitto()
    async with mosquitto_broker() as port:
        url = f"mqtt://127.0.0.1:{port}{query}"
        with started("vehicle", "--broker", url, folder=tmp_path) as running:
            assert running.process.stdout is not None
            lines = [await asyncio.to_thread(running.process.stdout.readline) for _ in range(3)]
            ask = lines[2].removeprefix("  command:   ").strip()
            assert ask.startswith(command)
            async with (
                connect(external(url), "observer") as bus,
                bus.subscribe(TOPICS.reply("car-1", "me")) as replies,
                asyncio.timeout(20),
            ):
                silent = asyncio.subprocess.DEVNULL
                asking = await asyncio.create_subprocess_shell(ask, stdout=silent)
                reply = decode(Reply, (await anext(replies)).payload)
                assert (reply.status, await asking.wait()) == ("SUCCESS", 0)
            assert await stopped(running, signal.SIGTERM) == 0


def test_a_vin_is_one_level_of_a_topic(here: Here) -> None:
    done = here("vehicle", "--vin", "a/b")
    assert (done.code, done.stderr.count("\n")) == (USAGE, 1)


def test_brokers_are_named_in_one_way(here: Here) -> None:
    assert here("vehicle", "--broker", "rabbit").code == USAGE
    assert here("vehicle", "--broker", "amqp://x").code == USAGE


def test_a_package_counts_as_installed_only_with_all_its_modules() -> None:
    assert installed("json", "json.decoder")
    assert not installed("json", "no_such_package.protobuf")
    assert not installed("json.no_such_module")
