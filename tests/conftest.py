import os
import random
import shutil
import signal
import socket
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import settings

from evaluator.measuring.rig.browser import find_chromium
from tests.contract_tap import ContractPlugin
from vehicle_bus.broker.acl import Access
from vehicle_bus.broker.embedded import embedded_broker
from vehicle_bus.broker.mosquitto import find_mosquitto, mosquitto_broker

BrokerKind = Literal["embedded", "mosquitto"]
EXAMPLES = Path(__file__).parents[1] / "examples"
Serve = Callable[..., AbstractAsyncContextManager[int]]

# Shells ignore Ctrl-C for what they start in the background, and the commands that tests start
# would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def free_port() -> int:
    """A port nobody listens on, for a broker that is stopped and started again.

    Below those a system hands out, so that nobody who asks for any port is given it meanwhile.
    """
    while True:
        port = random.SystemRandom().randrange(10_000, 30_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def pytest_configure(config: pytest.Config) -> None:
    """Worlds are built once for all tests, beside what pytest remembers, not in the home folder.

    An example may take its time on a busy machine; a test that hangs has a timeout of its own.
    """
    config.pluginmanager.register(ContractPlugin(), "contract")
    os.environ["CODRIVER_CACHE"] = str(config.rootpath / ".pytest_cache" / "worlds")
    settings.register_profile("unhurried", deadline=None)
    settings.load_profile("unhurried")


def need_mosquitto() -> None:
    """Skip without mosquitto; CODRIVER_REQUIRE_MOSQUITTO=1 makes that a failure."""
    if find_mosquitto() is not None:
        return
    reason = "mosquitto is not installed; the broker contract was not checked against it"
    if os.environ.get("CODRIVER_REQUIRE_MOSQUITTO") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def need_node() -> str:
    """Skip without what examples in JavaScript need; CODRIVER_REQUIRE_NODE=1 fails instead."""
    node = shutil.which("node")
    packages = ("ws", "@modelcontextprotocol")
    if node is not None and all((EXAMPLES / "node_modules" / one).is_dir() for one in packages):
        return node
    reason = "node or the packages of examples/ (npm install) are missing; no .mjs was run"
    if os.environ.get("CODRIVER_REQUIRE_NODE") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def need_chromium() -> None:
    """Skip without Chromium; CODRIVER_REQUIRE_CHROMIUM=1 makes that a failure."""
    if find_chromium() is not None:
        return
    reason = "chromium is not installed; the report was not opened in a browser"
    if os.environ.get("CODRIVER_REQUIRE_CHROMIUM") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(params=["embedded", "mosquitto"])
def broker_kind(request: pytest.FixtureRequest) -> BrokerKind:
    """Both brokers, one after the other."""
    kind: BrokerKind = request.param
    if kind == "mosquitto":
        need_mosquitto()
    return kind


@pytest.fixture
def serve(broker_kind: BrokerKind) -> Serve:
    """Start a broker: `async with serve(access, port=0, agents=()) as port`."""

    def start(
        access: Access | None = None, *, port: int = 0, agents: tuple[str, ...] = ()
    ) -> AbstractAsyncContextManager[int]:
        if broker_kind == "embedded":
            return embedded_broker(access, port=port)
        return mosquitto_broker(access, port=port, agents=agents)

    return start
