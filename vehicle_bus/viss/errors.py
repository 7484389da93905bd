"""The error objects of VISS version 2: number, reason and message."""

from typing import Any

from vehicle_bus.bus import BusClosed, BusError, BusTimeout
from vehicle_bus.remote_car.remote_car import (
    CarRefused,
    ReadOnlySignal,
    SignalProblem,
    UnknownSignal,
)
from vehicle_bus.remote_car.setters import BadValue

NUMBERS = {
    "bad_request": 400,
    "filter_invalid": 400,
    "invalid_duration": 400,
    "invalid_value": 400,
    "read_only": 401,
    "invalid_path": 404,
    "unavailable_data": 404,
    "invalid_subscriptionId": 404,
    "service_unavailable": 503,
    "gateway_timeout": 504,
}
UNAVAILABLE = frozenset({"NOT_AVAILABLE"})  # of a car that declines without looking


class VissError(Exception):
    """A request that is answered with an error object; `reason` is one of `NUMBERS`."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def fields(self) -> dict[str, Any]:
        return {"number": NUMBERS[self.reason], "reason": self.reason, "message": str(self)}


def viss_error(problem: SignalProblem | BadValue | BusError) -> VissError:
    """What a client is told about a problem of the car; messages are the car's own words."""
    match problem:
        case UnknownSignal():
            reason = "invalid_path"
        case ReadOnlySignal():
            reason = "read_only"
        case CarRefused(status="REMOVED"):
            reason = "read_only"
        case CarRefused(error=error) if error in UNAVAILABLE:
            reason = "service_unavailable"
        case BusTimeout():
            reason = "gateway_timeout"
        case BusError() | BusClosed():
            reason = "service_unavailable"
        case _:
            reason = "invalid_value"
    return VissError(reason, str(problem))
