import asyncio

import pytest

from tests.vehicle_bus.cars import car
from tests.vehicle_bus.remote_car.running import TOPICS, VIN, followed
from vehicle_bus.broker.choose import broker, connect
from vehicle_bus.bus import BusError, BusTimeout, Publication
from vehicle_bus.car.fault import Fault
from vehicle_bus.contract import CommandUnread, encode
from vehicle_bus.remote_car import remote_car as module
from vehicle_bus.remote_car.remote_car import (
    CarRefused,
    Reading,
    ReadOnlySignal,
    UnknownSignal,
    remote_car,
)

FAN = "Vehicle.Cabin.HVAC.Station.Row1.Driver.FanSpeed"
RANGE = "Vehicle.Powertrain.TractionBattery.Range"


async def test_it_knows_all_signals_and_tools_of_a_car_that_is_there() -> None:
    async with followed() as rig:
        vehicle = rig.host.vehicle(VIN)
        shown = {path: reading.value for path, reading in rig.remote.readings.items()}
        assert shown == vehicle.signals()
        assert rig.remote.declarations == vehicle.declarations()


async def test_a_new_value_is_told_once_the_car_has_it() -> None:
    async with followed() as rig:
        seen: asyncio.Queue[tuple[str, Reading]] = asyncio.Queue()
        with rig.remote.watched(lambda path, reading: seen.put_nowait((path, reading))):
            await rig.remote.set(FAN, 60)
            assert rig.remote.reading(FAN).value == 60
            path, reading = await asyncio.wait_for(seen.get(), 5)
        assert (path, reading.value) == (FAN, 60)
        assert rig.host.vehicle(VIN).state.fan_speed == 3


async def test_what_no_tool_sets_is_read_only_and_what_is_removed_is_too() -> None:
    async with followed(car("codriver", "set_fan_speed")) as rig:
        for path in (RANGE, FAN):
            assert not rig.remote.is_writable(path)
            with pytest.raises(ReadOnlySignal, match=path):
                await rig.remote.set(path, 60)


async def test_what_the_car_does_not_show_is_unknown() -> None:
    hidden = "result.get_charging_specs_and_status.remaining_range"
    async with followed(car("codriver", hidden)) as rig:
        with pytest.raises(UnknownSignal, match=RANGE):
            rig.remote.reading(RANGE)


async def test_the_words_of_a_refusal_are_the_cars() -> None:
    async with followed() as rig:
        with pytest.raises(CarRefused, match=r"^OpenCloseSunroof_001: .* not -5$"):
            await rig.remote.set("Vehicle.Cabin.Sunroof.Position", -5)


async def test_a_command_that_is_lost_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "ANSWER_WITHIN_S", 0.05)
    async with followed() as rig:
        await rig.host.plan(VIN, Fault(kind="lost_command"))
        with pytest.raises(BusTimeout, match="set_fan_speed"):
            await rig.remote.set(FAN, 60)


async def test_an_answer_that_is_no_reply_is_said() -> None:
    topic = TOPICS.command(VIN, "set_fan_speed")
    async with (
        followed() as rig,
        connect(rig.address, "car") as other,
        other.subscribe(topic) as commands,
    ):
        await rig.host.plan(VIN, Fault(kind="lost_command"))

        async def answer() -> None:
            [asked] = await commands.batch()
            assert asked.response_topic is not None
            unread = encode(CommandUnread(src="another car", n=1, output="What?"))
            await other.publish(
                Publication(asked.response_topic, unread, correlation=asked.correlation)
            )

        answering = asyncio.create_task(answer())
        with pytest.raises(BusError, match="the car's answer cannot be read"):
            await rig.remote.set(FAN, 60)
        await answering


async def test_a_car_that_leaves_has_no_signals_and_no_tools() -> None:
    async with followed() as rig:
        async with rig.remote.changed:
            leaving = asyncio.create_task(rig.host.remove(VIN))
            async with asyncio.timeout(5):
                await rig.remote.changed.wait_for(lambda: not rig.remote.tools)
        await leaving
        assert not rig.remote.is_writable(FAN)


async def test_without_such_a_car_it_says_what_to_start() -> None:
    async with (
        broker(None, prefer="embedded", open_port=0) as address,
        connect(address, "observer") as bus,
    ):
        with pytest.raises(BusTimeout, match="codriver vehicle --vin other"):
            async with remote_car(bus, TOPICS, "other", within_s=0.05):
                pass
