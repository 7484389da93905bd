"""The bridge at a databroker made of KUKSA's own classes, seen by KUKSA's own client."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import NamedTuple

import pytest
from kuksa.val.v2 import types_pb2, val_pb2  # type: ignore[import-untyped]
from kuksa_client.grpc import Datapoint  # type: ignore[import-untyped]
from kuksa_client.grpc.aio import VSSClient  # type: ignore[import-untyped]

from tests.vehicle_bus.cars import car
from tests.vehicle_bus.kuksa.databroker import Databroker, serving
from tests.vehicle_bus.remote_car.running import VIN, RemoteRig, followed
from vehicle_bus.car.signals import OVERLAY, SIGNALS, Datatype, Signal
from vehicle_bus.kuksa import bridge as module
from vehicle_bus.kuksa.bridge import DatabrokerError, KuksaBridge, kuksa_bridge
from vehicle_bus.kuksa.val_v2 import INVALID_ARGUMENT, OK
from vehicle_bus.remote_car.setters import SETTERS
from vehicle_bus.vehicle import Vehicle

FAN = "Vehicle.Cabin.HVAC.Station.Row1.Driver.FanSpeed"
WINDOW = "Vehicle.Cabin.Door.Row1.DriverSide.Window.Position"
ROOF = "Vehicle.Cabin.Sunroof.Position"
RANGE = "Vehicle.Powertrain.TractionBattery.Range"
# As VSS has it: the sunroof's position is a sensor, and it knows nothing of our overlay.
KNOWN = {signal.path: signal for signal in SIGNALS if not signal.path.startswith(OVERLAY)}
ACTUATORS = frozenset(SETTERS.keys() & KNOWN.keys() - {ROOF})


class KuksaRig(NamedTuple):
    rig: RemoteRig
    databroker: Databroker
    bridge: KuksaBridge
    client: VSSClient

    async def has(self, path: str, value: object) -> None:
        """Wait until the databroker has this value."""
        async with asyncio.timeout(10), self.databroker.changed:
            await self.databroker.changed.wait_for(lambda: self._value(path) == value)

    def _value(self, path: str) -> object:
        point = self.databroker.values.get(path)
        return point and getattr(point.value, point.value.WhichOneof("typed_value"))


@asynccontextmanager
async def bridged(
    vehicle: Vehicle | None = None, known: Mapping[str, Signal] = KNOWN
) -> AsyncIterator[KuksaRig]:
    databroker = Databroker(known, ACTUATORS)
    async with (
        followed(vehicle) as rig,
        serving(databroker) as address,
        kuksa_bridge(rig.remote, address, token="secret") as bridge,
    ):
        host, _, port = address.partition(":")
        async with VSSClient(host, int(port), ensure_startup_connection=False) as client:
            yield KuksaRig(rig, databroker, bridge, client)


async def test_a_client_of_kuksa_reads_subscribes_and_actuates() -> None:
    async with bridged() as kuksa:
        await kuksa.has(FAN, 0)
        read = await kuksa.client.get_current_values([FAN, RANGE])
        shown = kuksa.rig.host.vehicle(VIN).signals()
        assert {path: point.value for path, point in read.items()} == {
            FAN: 0,
            RANGE: shown[RANGE],
        }
        updates = kuksa.client.subscribe_current_values([FAN])
        assert (await anext(updates))[FAN].value == 0
        await kuksa.client.set_target_values({FAN: Datapoint(60)})
        async with asyncio.timeout(10):
            assert (await anext(updates))[FAN].value == 60
        await updates.aclose()
        assert kuksa.rig.host.vehicle(VIN).state.fan_speed == 3
        answer = await asyncio.wait_for(kuksa.databroker.answers.get(), 10)
        assert (answer.signal_id.path, answer.error.code) == (FAN, OK)


async def test_every_signal_that_the_databroker_knows_arrives_in_its_datatype() -> None:
    async with bridged() as kuksa:
        shown = kuksa.rig.host.vehicle(VIN).signals()
        wanted = {path: shown[path] for path in KNOWN.keys() & shown.keys()}
        for path, value in wanted.items():
            if value is not None:
                await kuksa.has(path, pytest.approx(value) if isinstance(value, float) else value)
        assert all(path.startswith(OVERLAY) for path in kuksa.bridge.left_out)
        assert kuksa.databroker.tokens == ["Bearer secret"]


async def test_only_actuators_with_a_tool_are_provided() -> None:
    async with bridged(car("codriver", "set_fan_speed")) as kuksa:
        await kuksa.has(FAN, 0)
        assert kuksa.databroker.provided == ACTUATORS - {FAN}
        assert ROOF not in kuksa.databroker.provided


async def test_what_the_car_refuses_is_told_to_the_databroker() -> None:
    async with bridged() as kuksa:
        await kuksa.has(WINDOW, 0)
        limit = "Vehicle.Powertrain.TractionBattery.Charging.ChargeLimit"
        await kuksa.client.set_target_values({limit: Datapoint(52)})
        answer = await asyncio.wait_for(kuksa.databroker.answers.get(), 10)
        assert answer.error.code == INVALID_ARGUMENT
        assert "multiple of 5" in answer.error.message


async def test_without_a_databroker_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vehicle_bus.kuksa.bridge.ANSWER_WITHIN_S", 0.2)
    async with followed() as rig:
        with pytest.raises(DatabrokerError, match=r"no databroker answers at 127\.0\.0\.1:9"):
            async with kuksa_bridge(rig.remote, "127.0.0.1:9"):
                pass


async def test_a_databroker_that_goes_ends_the_bridge() -> None:
    async def until_it_ends() -> None:
        async with bridged() as kuksa:
            await kuksa.has(FAN, 0)
            kuksa.databroker.hang_up()
            await asyncio.Event().wait()

    with pytest.raises(DatabrokerError, match="has ended the stream"):
        await asyncio.wait_for(until_it_ends(), 10)


@pytest.mark.parametrize("datatype", ["boolean", "string", "string[]"])
async def test_what_the_databroker_has_in_another_datatype_is_left_out(datatype: Datatype) -> None:
    known = {**KNOWN, RANGE: replace(KNOWN[RANGE], datatype=datatype)}
    async with bridged(known=known) as kuksa:
        await kuksa.has(FAN, 0)
        assert RANGE in kuksa.bridge.left_out
        await kuksa.client.set_target_values({FAN: Datapoint(60)})
        await kuksa.has(FAN, 60)


async def test_a_value_that_does_not_fit_is_said_once_and_others_are_published(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with bridged() as kuksa:
        await kuksa.has(FAN, 0)
        for level in (60, 100):
            reading = kuksa.rig.remote.reading(FAN)
            kuksa.bridge.take(FAN, reading._replace(value=-1))
            kuksa.bridge.take(WINDOW, reading._replace(value=level))
            await kuksa.has(WINDOW, level)
    assert [line for line in caplog.messages if "is not published" in line] == [
        f"{FAN} is not published: Value out of range: -1"
    ]


async def test_a_bridge_that_cannot_write_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    async def until_it_ends() -> None:
        async with bridged() as kuksa:
            await kuksa.has(FAN, 0)
            monkeypatch.setattr(module, "datapoint", broken)
            kuksa.bridge.take(FAN, kuksa.rig.remote.reading(FAN))
            await asyncio.Event().wait()

    with pytest.raises(DatabrokerError, match="broke off"):
        await asyncio.wait_for(until_it_ends(), 10)


async def test_only_so_many_are_actuated_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ACTUATING", 2)
    under_way: list[int] = []
    seen = []

    async def slow(_path: str, value: int) -> None:
        under_way.append(value)
        seen.append(len(under_way))
        await asyncio.sleep(0)
        under_way.remove(value)

    async with bridged() as kuksa:
        monkeypatch.setattr(kuksa.rig.remote, "set", slow)
        signal = types_pb2.SignalID(path=FAN)
        asked = [
            val_pb2.ActuateRequest(signal_id=signal, value=types_pb2.Value(uint32=value))
            for value in range(6)
        ]
        await kuksa.databroker.actuate(*asked)
        async with asyncio.timeout(10):
            for _ in asked:
                await kuksa.databroker.answers.get()
    assert max(seen) == 2
