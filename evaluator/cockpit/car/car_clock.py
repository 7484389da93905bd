"""The date and time in a car. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from vehicle_bus.car.state import Moment

US = 1000  # nanoseconds


def moment_of(start: Moment) -> datetime:
    """The moment at which a scenario begins."""
    return datetime(start.year, start.month, start.day, start.hour, start.minute)  # noqa: DTZ001 - a car knows no time zone


@dataclass(slots=True)
class CarClock:
    """Follows the car's own time; `rate` is how many times as fast it runs."""

    moment: datetime
    rate: float = 1.0
    _car_ns: int = 0

    def go(self, car_ns: int, rate: float) -> bool:
        """Go on to a time of the car, in ns, and from there at a rate.

        True if the minute or the rate has changed.
        """
        before = self.moment.replace(second=0, microsecond=0), self.rate
        self.moment += timedelta(microseconds=(car_ns - self._car_ns) * self.rate / US)
        self.rate, self._car_ns = rate, car_ns
        return before != (self.moment.replace(second=0, microsecond=0), rate)
