"""Battery and charging: what there is, how far it takes the car, how long charging lasts."""

from typing import Annotated, Any

from vehicle_bus.car.car import Car
from vehicle_bus.car.schema import Limits
from vehicle_bus.car.tool import BadArguments, Coded, Errors, number, tool
from vehicle_bus.tools.charging_curve import Charging, at_plug
from vehicle_bus.tools.identifiers import check_places, check_plug

Percent = Annotated[int, Limits(0, 100)]
NO_TIME = Errors("CALCULATE_CHARGING_TIME", "CalculateChargingTimeBySoc")
NO_SOC = Errors("CALCULATE_CHARGING_SOC_BY_TIME", "CalculateChargingSocByTime")
USUAL_TARGETS = (80, 100)
FULL = 100.0


@tool("get")
def get_charging_specs_and_status(car: Car) -> dict[str, Any]:
    """Tell battery capacity, highest charging power by AC and DC, state of charge and range."""
    context = car.context
    return {
        "battery_capacity_kwh": context.battery_capacity_kwh,
        "max_charging_power_ac": context.max_charging_power_ac,
        "max_charging_power_dc": context.max_charging_power_dc,
        "state_of_charge": context.state_of_charge,
        "remaining_range": _in_km(context.remaining_range_km),
    }


@tool("get", unchecked=("initial_state_of_charge", "final_state_of_charge"))
def get_distance_by_soc(
    car: Car, initial_state_of_charge: Percent, final_state_of_charge: Percent = 0
) -> dict[str, Any]:
    """Tell how far the car gets while its battery goes from one state of charge down to another.

    Args:
        initial_state_of_charge: Percent at the start.
        final_state_of_charge: Percent that shall be left.
    """
    initial = number("initial_state_of_charge", initial_state_of_charge, car.compat)
    final = number("final_state_of_charge", final_state_of_charge, car.compat)
    if initial < final:
        text = f"driving does not bring the battery from {initial} to {final} percent"
        raise Errors("GET_DISTANCE_BY_SOC", "GetDistanceBySoc")(1, text)
    if "Q48" not in car.compat and not (_is_percent(initial) and _is_percent(final)):
        raise BadArguments("a state of charge is between 0 and 100 percent")
    key = f"distance_km_for_{initial}_until_{final}_percent_soc"
    return {key: _in_km(car.context.range_km(initial - final))}


@tool("get", unchecked=("start_state_of_charge", "target_state_of_charge"), heavy=True)
def calculate_charging_time_by_soc(
    car: Car,
    charging_station_id: str,
    charging_station_plug_id: str,
    start_state_of_charge: Percent,
    target_state_of_charge: Percent | None = None,
) -> dict[str, Any]:
    """Tell how many minutes charging takes at a plug of a charging station.

    Args:
        charging_station_id: Id of the charging station.
        charging_station_plug_id: Id of one of its plugs.
        start_state_of_charge: Percent on arrival.
        target_state_of_charge: Percent to charge to; without it the times to 80 and 100 are told.
    """
    start, target = start_state_of_charge, target_state_of_charge
    _check_arrival(car, NO_TIME, charging_station_id, charging_station_plug_id, start)
    if target is not None and not _is_percent(number("target_state_of_charge", target, car.compat)):
        raise NO_TIME(4, f"{target} is not between 0 and 100 percent")
    if target is not None and start > target:
        raise NO_TIME(5, f"charging does not bring the battery from {start} to {target} percent")
    charging = _charging(car, NO_TIME, 6, charging_station_id, charging_station_plug_id)
    targets = USUAL_TARGETS if target is None else (target,)
    return {
        f"time_from_{start}_until_{aim}_percent_soc": f"{_minutes(car, charging, start, aim)}min"
        for aim in targets
    }


@tool("get", unchecked=("start_state_of_charge", "charging_time"), heavy=True)
def calculate_charging_soc_by_time(
    car: Car,
    charging_station_id: str,
    charging_station_plug_id: str,
    start_state_of_charge: Percent,
    charging_time: Annotated[int, Limits(0)],
) -> dict[str, Any]:
    """Tell the state of charge after some minutes at a plug of a charging station.

    Args:
        charging_station_id: Id of the charging station.
        charging_station_plug_id: Id of one of its plugs.
        start_state_of_charge: Percent on arrival.
        charging_time: Minutes of charging.
    """
    start = start_state_of_charge
    _check_arrival(car, NO_SOC, charging_station_id, charging_station_plug_id, start)
    minutes = number("charging_time", charging_time, car.compat)
    if minutes < 0:
        raise NO_SOC(4, f"nobody charges for {minutes} minutes")
    charging = _charging(car, NO_SOC, 5, charging_station_id, charging_station_plug_id)
    if minutes != int(minutes) or ("Q67" in car.compat and isinstance(minutes, float)):
        raise BadArguments(f"charging_time must be whole minutes, not {minutes}")
    reached = round(charging.after(start, int(minutes)), 0)
    return {f"soc_in_percent_after_charging_for_{minutes}min": f"{reached} percent"}


@tool("set", Coded("limit_percent", "SET_CHARGE_LIMIT_001", anything=True))
def set_charge_limit(
    car: Car, limit_percent: Annotated[int, Limits(50, 100, step=5)]
) -> dict[str, Any]:
    """Set the state of charge at which charging stops from now on, to spare the battery.

    Args:
        limit_percent: Percent of the usable battery, in steps of five.
    """
    car.set(charge_limit_percent=limit_percent)
    return {"limit_percent": limit_percent}


def _check_arrival(car: Car, errors: Errors, station_id: str, plug_id: str, start: Any) -> None:
    check_places(errors, 1, station_id, what="a charging station")
    check_plug(errors, 2, plug_id)
    if not _is_percent(number("start_state_of_charge", start, car.compat)):
        raise errors(3, f"{start} is not between 0 and 100 percent")


def _charging(car: Car, errors: Errors, number: int, station_id: str, plug_id: str) -> Charging:
    station = car.world.poi(station_id)
    if station is not None and "charging_plugs" not in station and "Q46" in car.compat:
        raise BadArguments(f"{station_id} is no charging station")
    for plug in (station or {}).get("charging_plugs", ()):
        if plug["plug_id"] == plug_id:
            return at_plug(car.context, plug, float("inf") if "Q44" in car.compat else FULL)
    raise errors(number, f"there is no plug {plug_id} at {station_id}")


def _minutes(car: Car, charging: Charging, start: float, target: float) -> int:
    if "Q43" in car.compat:
        target = target or USUAL_TARGETS[0]
    if "Q42" in car.compat:
        target -= 1
    minutes = charging.minutes_until(start, target)
    if minutes is None:
        raise BadArguments(f"this battery does not charge up to {target} percent")
    return minutes


def _is_percent(number: float) -> bool:
    return 0 <= number <= FULL


def _in_km(distance_km: float) -> str:
    return f"{round(distance_km, 0)}km"
