"""Cars to test with, and one-line calls to them."""

import json
from typing import Any

from vehicle_bus import vehicle
from vehicle_bus.car.state import CarSetup, Compat
from vehicle_bus.car.tool import Answer
from vehicle_bus.contract import Command
from vehicle_bus.data_folder import shipped
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.importing import read_world

WORLD = read_world(shipped("data", beside=vehicle.__file__) / "world")


def car(compat: Compat = "codriver", *removed: str, **start: Any) -> Vehicle:
    setup = CarSetup(start=start, removed=removed, compat=compat, calendar_id="cal_5201")
    return Vehicle(setup, WORLD)


def call(vehicle: Vehicle, tool: str, /, **arguments: Any) -> Answer:
    return vehicle.handle(tool, Command(call_id="call-1", arguments=arguments))


def result(vehicle: Vehicle, tool: str, /, **arguments: Any) -> Any:
    """The result of a call that must succeed."""
    answer = json.loads(call(vehicle, tool, **arguments).output)
    assert answer["status"] == "SUCCESS"
    return answer["result"]


def error(vehicle: Vehicle, tool: str, /, **arguments: Any) -> tuple[str | None, bool]:
    """Error key and whether it counts, of a call that must fail."""
    handled = call(vehicle, tool, **arguments)
    assert handled.status == "FAILURE"
    assert list(json.loads(handled.output)["errors"]) == [handled.error]
    return handled.error, handled.logged
