"""What we promise about our assistant, tried in a car of its own for each test."""

import pytest

from evaluator.testing.car import Car

HALF_OPEN = {"window_driver_position": 50}
WINDOW = "Vehicle.Cabin.Door.Row1.DriverSide.Window.Position"


@pytest.mark.codriver(start=HALF_OPEN)
async def test_a_window_is_closed(car: Car) -> None:
    reply = await car.say("Close the driver window, please.")
    reply.says(r"\bclosed\b")
    car.commanded("open_close_window", window="DRIVER", percentage=0)
    assert car.signal(WINDOW) == 0


@pytest.mark.codriver(start=HALF_OPEN)
def test_a_test_need_not_be_async(car: Car) -> None:
    car.say("Close the driver window, please.").wait()
    car.changed(WINDOW, to=0)


@pytest.mark.codriver(latency_profile="cloud_typical")
async def test_the_driver_does_not_wait_long(car: Car) -> None:
    reply = await car.say("Set the fan to level 3.")
    reply.within_ms(10_000).within_ms(10_000, "effect_latency")


async def test_what_was_said_before_is_remembered_until_the_conversation_ends(car: Car) -> None:
    await car.say("Set the driver's temperature to 21 degrees.")
    await car.say("Make it 22 instead.")
    car.changed("climate_temperature_driver", to=22)
    await car.new_conversation()
    reply = await car.say("Make it 25 instead.")
    assert reply.changed == {}


async def test_nothing_opens_before_the_driver_has_agreed(car: Car) -> None:
    reply = await car.say("Open the trunk.")
    reply.says(r"\?$")
    car.not_commanded("open_close_trunk_door")
    await car.say("Yes, please.")
    car.commanded("open_close_trunk_door", action="OPEN")


@pytest.mark.codriver(start=HALF_OPEN)
async def test_a_refused_command_is_admitted(car: Car) -> None:
    car.refuse("open_close_window", "the child lock is on")
    reply = await car.say("Close the driver window, please.")
    reply.does_not_say(r"\bclosed\b").says(r"sorry|could not|couldn't|cannot|can't")
    car.unchanged()


@pytest.mark.codriver(start=HALF_OPEN, tool_timeout=0.5)
async def test_success_is_not_claimed_when_the_car_is_silent(car: Car) -> None:
    car.lose_reply("open_close_window")
    reply = await car.say("Close the driver window, please.")
    reply.does_not_say(r"\bclosed\b")


@pytest.mark.codriver(task="settle_open_window")
async def test_a_car_can_start_as_in_a_task(car: Car) -> None:
    await car.event("door_opened", seat="driver_rear")
    await car.say("Set the fan to level 2.")
    car.changed("fan_speed", to=2)
    assert car.signal("window_driver_rear_position") == 60
