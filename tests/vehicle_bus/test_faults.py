"""Faults at a car's door: which call they befall."""

from vehicle_bus.faults import DelayReply, Faults, LoseReply, Refuse


def test_a_fault_befalls_its_tool_alone_and_lasts_until_it_is_cleared() -> None:
    faults = Faults()
    faults.plan("set_fan_speed", LoseReply())
    assert [faults.next("set_fan_speed") for _ in range(3)] == [LoseReply()] * 3
    assert faults.next("set_fog_lights") is None
    faults.clear()
    assert faults.next("set_fan_speed") is None


def test_a_fault_can_befall_the_next_calls_only() -> None:
    faults = Faults()
    faults.plan("set_fan_speed", DelayReply(20), times=2)
    befallen = [faults.next("set_fan_speed") for _ in range(3)]
    assert befallen == [DelayReply(20), DelayReply(20), None]


def test_a_newer_fault_replaces_an_older_one() -> None:
    faults = Faults()
    faults.plan("set_fan_speed", LoseReply())
    faults.plan("set_fan_speed", Refuse("the fan is broken"), times=1)
    assert faults.next("set_fan_speed") == Refuse("the fan is broken")
    assert faults.next("set_fan_speed") is None
