import asyncio
import re
import signal
import socket
from pathlib import Path

from evaluator.cockpit.about import setting_of
from evaluator.live.settings import talk_setup
from evaluator.options import TalkOptions
from tests.evaluator.command_line import INFRA, Here, started
from vehicle_bus.broker.address import external
from vehicle_bus.broker.choose import connect
from vehicle_bus.contract import Topics

OPTIONS = ("serve", "--broker", "embedded", "--agent", "null")


def test_it_prints_where_the_page_is_and_ends_cleanly(tmp_path: Path) -> None:
    for how in (signal.SIGINT, signal.SIGTERM):
        with started(*OPTIONS, "--port", 0, folder=tmp_path) as running:
            assert running.process.stdout is not None
            assert running.process.stdout.readline().startswith("http://127.0.0.1:")
            assert running.until("null in live-")
            running.process.send_signal(how)
            assert running.finish().code == 0


def test_the_page_says_which_faults_are_injected_and_how_fast_the_agent_is() -> None:
    plain, _, _ = talk_setup(TalkOptions(latency_profile="zero"))
    assert setting_of(plain) == ""
    faulty, _, _ = talk_setup(TalkOptions(latency_profile="edge_8b_int4", faults="lying"))
    shown = setting_of(faulty)
    assert shown.startswith("latency of edge_8b_int4; injected faults: ")
    assert "reply contradicts the car" in shown


def test_a_port_that_is_taken_is_one_line(here: Here) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = here(*OPTIONS, "--port", taken.getsockname()[1])
    assert (done.code, done.stderr.count("\n")) == (INFRA, 1)
    assert "name another --port" in done.stderr


async def test_a_broker_address_is_printed_only_where_others_may_use_it(tmp_path: Path) -> None:
    with started(*OPTIONS, "--port", 0, folder=tmp_path) as closed:
        assert "lets nobody else in" in closed.until("its broker")
    with started(*OPTIONS, "--port", 0, "--broker-port", 0, folder=tmp_path) as running:
        [port] = re.findall(r" -p (\d+) ", running.until("watch: mosquitto_sub "))
        broker = external(f"mqtt://127.0.0.1:{port}")
        async with (
            asyncio.timeout(120),
            connect(broker, "observer") as bus,
            bus.subscribe(Topics().everything()) as messages,
        ):
            assert (await anext(messages)).payload


def test_the_address_for_an_assistant_of_your_own_is_printed(tmp_path: Path) -> None:
    options = ("serve", "--broker", "embedded", "--agent", "ws", "--agent-token", "mine")
    with started(*options, "--port", 0, folder=tmp_path) as running:
        assert "'Authorization: Bearer mine'" in running.until("your assistant connects to ws://")
