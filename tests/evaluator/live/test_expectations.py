"""What a failed expectation tells."""

from collections.abc import Callable

import pytest

from evaluator.live import LiveCar
from evaluator.live.expectations import UnknownSignal
from tests.evaluator.live.test_live_car import CLOSE, HALF_OPEN, WINDOW, a_car


async def failures(car: LiveCar) -> dict[str, str]:
    reply = await car.say(CLOSE)
    expectations: dict[str, Callable[[], object]] = {
        "late": lambda: reply.within_ms(1, "upl_content"),
        "says": lambda: reply.says("rainbow"),
        "silent": lambda: reply.does_not_say("clos.."),
        "commanded": lambda: car.commanded("open_close_window", percentage=77),
        "never": lambda: car.commanded("open_close_sunroof"),
        "not": lambda: car.not_commanded("open_close_window", window="DRIVER"),
        "changed": lambda: car.changed("fan_speed", 3),
        "to": lambda: car.changed("window_driver_position", 10),
        "unchanged": lambda: car.unchanged(),
    }
    messages = {}
    for name, expect in expectations.items():
        with pytest.raises(AssertionError) as caught:
            expect()
        messages[name] = str(caught.value)
    return messages


async def test_a_failure_tells_what_was_expected_what_happened_and_the_last_words() -> None:
    async with a_car(HALF_OPEN) as car:
        messages = await failures(car)
    look = "get_vehicle_window_positions() -> SUCCESS"
    call = "open_close_window(window='DRIVER', percentage=0) -> SUCCESS"
    for text in messages.values():
        calls = f"{look}\n    {call}"
        assert f"the conversation:\n  driver: {CLOSE}\n    {calls}\n  car:    I've closed" in text
    first = {name: text.splitlines()[0] for name, text in messages.items()}
    late = first.pop("late")
    assert late.startswith("upl_content took ")
    assert late.endswith(" ms, expected within 1 ms")
    assert "measured: eou_delay 300 ms, ttft_text " in messages["late"]
    assert first == {
        "says": "expected words like 'rainbow' in the reply",
        "silent": "expected no words like 'clos..' in the reply, found 'closed'",
        "commanded": "expected the command open_close_window(percentage=77)",
        "never": "expected the command open_close_sunroof()",
        "not": "expected no command open_close_window(window='DRIVER')",
        "changed": "fan_speed is still 0, expected 3",
        "to": "window_driver_position changed from 50 to 0, expected 10",
        "unchanged": "window_driver_position changed from 50 to 0",
    }
    assert f"open_close_window was commanded:\n  {call}" in messages["commanded"]
    assert "open_close_sunroof was never commanded" in messages["never"]


async def test_names_that_do_not_exist_are_no_absence() -> None:
    async with a_car() as car:
        reply = await car.say("Hello")
        with pytest.raises(LookupError, match="did you mean open_close_window"):
            car.not_commanded("open_close_windows")
        with pytest.raises(LookupError, match="did you mean open_close_window"):
            car.refuse("open_close_windows")
        with pytest.raises(UnknownSignal, match="did you mean fan_speed"):
            car.unchanged("fanspeed")
        with pytest.raises(ValueError, match="known are eou_delay, ttft_text, upl"):
            reply.within_ms(1500, "latency")


async def test_signals_are_known_by_short_name_and_by_path() -> None:
    async with a_car({"state_of_charge": 40, "fan_speed": 1}) as car:
        assert car.signal("state_of_charge") == 40
        assert car.signal("fan_speed") == 1
        assert car.signal("Vehicle.Cabin.HVAC.Station.Row1.Driver.FanSpeed") == 20
        assert car.signal(WINDOW) == 0
        assert car.signal("remaining_range_km") > 0
