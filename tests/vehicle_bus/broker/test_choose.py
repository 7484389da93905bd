import asyncio
import os
from pathlib import Path

import pytest

from tests.conftest import need_mosquitto
from vehicle_bus.broker.acl import Access
from vehicle_bus.broker.address import external
from vehicle_bus.broker.choose import Preference, broker, connect
from vehicle_bus.broker.mosquitto import find_mosquitto, mosquitto_broker
from vehicle_bus.bus import BusError, BusRefused, BusUnreachable, Publication

COMMAND = "codriver/v1/v1/command/set_fan"


@pytest.mark.malformed("empty commands")
@pytest.mark.parametrize("kind", ["embedded", "mosquitto"])
async def test_roles_talk_on_a_broker_of_our_own(kind: Preference) -> None:
    if kind == "mosquitto":
        need_mosquitto()
    async with (
        broker(None, prefer=kind, agents=("v1",)) as address,
        connect(address, "car") as car,
        connect(address, "agent", vin="v1") as agent,
        car.subscribe("codriver/v1/+/command/+") as commands,
    ):
        assert address.kind == kind
        await agent.publish(Publication(COMMAND, b"{}"))
        assert (await anext(commands)).topic == COMMAND
        with pytest.raises(BusRefused):
            await agent.publish(Publication("codriver/v1/v2/command/set_fan", b"{}"))


@pytest.mark.malformed("numbers as payloads")
async def test_an_agent_asks_its_own_car_only() -> None:
    async with (
        broker(None, prefer="embedded") as address,
        connect(address, "car") as car,
        connect(address, "agent", vin="v1", client_id="me") as agent,
        car.subscribe("codriver/v1/+/command/+") as commands,
        agent.subscribe("codriver/v1/v1/reply/me") as replies,
    ):
        with pytest.raises(BusRefused, match="refused the subscription"):
            async with agent.subscribe("codriver/v1/+/reply/me"):
                pass
        await agent.publish(Publication(COMMAND, b"1"))
        await anext(commands)
        await car.publish(Publication("codriver/v1/v1/reply/me", b"2"))
        assert (await anext(replies)).payload == b"2"


async def test_without_mosquitto_the_embedded_broker_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("vehicle_bus.broker.mosquitto.PLACES", ())
    async with broker(None) as address:
        assert address.kind == "embedded"
    with pytest.raises(BusError, match="not installed; install it, or use the embedded"):
        async with broker(None, prefer="mosquitto"):
            pass


def test_mosquitto_is_found_outside_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "mosquitto"
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", os.defpath + "-nowhere")
    monkeypatch.setattr("vehicle_bus.broker.mosquitto.PLACES", (str(tmp_path),))
    assert find_mosquitto() == program


async def test_a_port_in_use_is_reported_before_mosquitto_starts() -> None:
    need_mosquitto()
    async with mosquitto_broker() as port:
        with pytest.raises(BusError, match=rf"port {port}: .* choose another") as caught:
            async with mosquitto_broker(port=port):
                pass
    assert "\n" not in str(caught.value)


async def test_a_mosquitto_that_does_not_start_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "mosquitto"
    program.write_text("#!/bin/sh\necho 'Error: no such luck' >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BusError, match=r"does not start on port \d+: Error: no such luck"):
        async with mosquitto_broker():
            pass


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
async def test_a_broker_given_by_url_is_used_through_aiomqtt(protocol: str) -> None:
    need_mosquitto()
    everything = Access(prefix="elsewhere")
    login = everything.credentials("gateway")
    async with mosquitto_broker(everything) as port:
        url = f"mqtt://{login.user}:{login.password}@127.0.0.1:{port}?protocol={protocol}"
        async with broker(url) as address, connect(address, "observer") as bus:
            assert (address.kind, address.client) == ("external", "aiomqtt")
            async with bus.subscribe("elsewhere/#") as messages:
                await bus.publish(Publication("elsewhere/v/clock", b"x"))
                assert (await anext(messages)).payload == b"x"
    assert login.password not in repr(address)


async def test_over_3_1_1_an_answer_is_known_by_its_call_id() -> None:
    need_mosquitto()
    async with mosquitto_broker() as port:
        address = external(f"mqtt://127.0.0.1:{port}?protocol=3.1.1")
        async with (
            connect(address, "car") as car,
            connect(address, "gateway", client_id="gw") as gateway,
            car.subscribe(COMMAND) as commands,
        ):
            reply = "codriver/v1/v1/reply/gw"

            async def ask() -> bytes:
                command = Publication(COMMAND, b'{"call_id": "c1"}')
                return (await gateway.request(command, timeout_s=10)).payload

            async with asyncio.TaskGroup() as tasks:
                asking = tasks.create_task(ask())
                await anext(commands)
                await car.publish(Publication(reply, b'{"call_id": "c0", "output": "other"}'))
                await car.publish(Publication(reply, b'{"call_id": "c1", "output": "mine"}'))
            assert b"mine" in asking.result()


@pytest.mark.parametrize(
    "url",
    [
        *("localhost:1883", "http://x", "mqtt://", "mqtt://x:port", "mqtt://u:topsecret@x?y=1"),
        *(
            "mqtt://u:p@topsecret/1@host",
            "mqtt://u:p@topsecret#1@host",
            "mqtt://u:p?topsecret@host",
        ),
    ],
)
def test_a_bad_url_says_what_was_expected_and_shows_no_password(url: str) -> None:
    with pytest.raises(BusError, match=r"mqtt://host:port|protocol=3") as caught:
        external(url)
    assert "topsecret" not in str(caught.value)


def test_a_url_carries_login_tls_and_default_ports() -> None:
    address = external("mqtts://me:p%40ss@broker.example")
    assert (address.host, address.port, address.tls) == ("broker.example", 8883, True)
    assert address.login is not None
    assert (address.login.user, address.login.password) == ("me", "p@ss")
    assert external("mqtt://[::1]").port == 1883
    assert "p@ss" not in repr(address)


async def test_an_unreachable_broker_is_reported_in_one_sentence_without_the_login() -> None:
    with pytest.raises(BusUnreachable, match=r"127\.0\.0\.1:1 .*check") as caught:
        async with broker("mqtt://me:topsecret@127.0.0.1:1"):
            pass
    assert "topsecret" not in str(caught.value)
    assert "\n" not in str(caught.value)
