"""How a battery fills at a plug, minute by minute."""

from bisect import bisect_left
from dataclasses import dataclass

from vehicle_bus.car.state import ChargingCurve, FixedContext
from vehicle_bus.world.json_lines import Row


@dataclass(frozen=True, slots=True)
class Charging:
    """A battery at a plug that could give `limit_kw`; states of charge in percent.

    No losses; `full` is the state of charge it never exceeds.
    """

    usable_kwh: float
    limit_kw: float
    curve: ChargingCurve
    full: float = float("inf")

    def power_kw(self, soc: float) -> float:
        """Power at a state of charge: a share of the limit, 0 above the end of the curve."""
        index = bisect_left(self.curve.soc_tresholds, soc)
        if index == len(self.curve.soc_tresholds):
            return 0.0
        return self.curve.power_percentages[index] / 100 * self.limit_kw

    def a_minute_later(self, soc: float) -> float:
        return min(soc + self.power_kw(soc) / 60 / self.usable_kwh * 100, self.full)

    def minutes_until(self, soc: float, target: float) -> int | None:
        """Whole minutes until a state of charge is reached; None if it never is."""
        minutes = 0
        while soc < target:
            later = self.a_minute_later(soc)
            if later <= soc:
                return None
            soc, minutes = later, minutes + 1
        return minutes

    def after(self, soc: float, minutes: int) -> float:
        """State of charge after some minutes."""
        for _ in range(minutes):
            later = self.a_minute_later(soc)
            if later <= soc:
                break
            soc = later
        return soc


def at_plug(context: FixedContext, plug: Row, full: float) -> Charging:
    """This car at a plug: the weaker of the two limits the power."""
    alternating = plug["power_type"] == "AC"
    accepted = context.max_charging_power_ac if alternating else context.max_charging_power_dc
    return Charging(
        usable_kwh=context.usable_kwh,
        limit_kw=min(plug["power_kw"], accepted),
        curve=context.charging_curve_parameters,
        full=full,
    )
