from typing import Any

import pytest

from evaluator.task.worlds import own_world
from evaluator.terminal.call_line import BadLine, form, read_call
from vehicle_bus.car.state import CarSetup
from vehicle_bus.tools import BY_NAME
from vehicle_bus.vehicle import Vehicle

TOOLS = {
    tool["function"]["name"]: tool["function"]
    for tool in Vehicle(CarSetup(), own_world()).declarations()
}


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("set_fan_speed level=3", {"level": 3}),
        ('set_fan_speed {"level": 3}', {"level": 3}),
        ("set_fog_lights on=yes", {"on": True}),
        ("get_exterior_lights_status", {}),
        ("get_contact_id_by_contact_name contact_first_name='Anna Maria'",
         {"contact_first_name": "Anna Maria"}),
        ("get_contact_information contact_ids=con_1,con_2", {"contact_ids": ["con_1", "con_2"]}),
        ("get_user_preferences preference_categories.weather.weather=true",
         {"preference_categories": {"weather": {"weather": True}}}),
    ],
)  # fmt: skip
def test_a_line_that_begins_with_a_tool_is_a_call(line: str, arguments: dict[str, Any]) -> None:
    call = read_call(line, TOOLS)
    assert call is not None
    assert (call.name, call.arguments) == (line.split()[0], arguments)


def test_any_other_line_is_said() -> None:
    assert read_call("Sure, I set the fan to level 3.", TOOLS) is None


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("set_fan level=3", "no tool set_fan; set_fan_speed"),
        ("set_fan_speed 3", "write name=value"),
        ("set_fan_speed level='3", "quotes"),
        ("set_fan_speed {level: 3}", "no JSON"),
    ],
)
def test_a_line_that_is_nearly_a_call_is_never_said(line: str, why: str) -> None:
    with pytest.raises(BadLine, match=why):
        read_call(line, TOOLS)


def test_every_tool_can_be_shown_with_its_arguments() -> None:
    for name, tool in TOOLS.items():
        assert len(form(tool)) == 1 + len(tool["parameters"]["properties"])
        assert name in BY_NAME
    assert "0 to 5 in steps of 1" in form(TOOLS["set_fan_speed"])[1]
