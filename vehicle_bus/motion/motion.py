"""A car under way: it drives its active route in small steps, by nothing but session time.

A step is planned when it begins, from the state of the car then, and is shown when it is over; what
happens in between has its exact moment. So it does not matter in how many pieces time passes.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from vehicle_bus.car.car import Car
from vehicle_bus.car.event import Event
from vehicle_bus.car.state import Place, Position
from vehicle_bus.motion.cabin_air import climate_w, later_c, target_c
from vehicle_bus.motion.consumption import J_PER_KWH, driving_w
from vehicle_bus.motion.journey import Journey
from vehicle_bus.motion.road import Rhythm
from vehicle_bus.world.forecast import forecast, temperature_c

SECOND_NS = 1_000_000_000
MINUTE_NS = 60 * SECOND_NS
ACCELERATION = 1.2  # of a relaxed driver, in metres per second²; braking alike
LOW_PERCENT = 20.0


@dataclass(frozen=True, slots=True)
class MotionStep:
    """The plan for one step: metres, joules, the speed at its end, and events in order."""

    metres: float
    joules: float
    speed: float
    arrives: bool
    events: tuple[Event, ...] = ()


class Motion:
    """Moves a car: `due_ns` is the next moment at which anything happens, `go` moves on to it.

    A car that `is_held` brakes and stands. With a `speed_factor` of 10 it drives in each second as
    far as in ten, at the same speed.
    """

    def __init__(
        self,
        car: Car,
        seed: str,
        at_kilometer: float = 0.0,
        step_ns: int = SECOND_NS,
        began_ns: int = 0,
    ) -> None:
        self.step_ns = step_ns
        self.is_held = False
        self.speed_factor = 1.0
        self.travelled_m = 0.0
        self.speed = 0.0
        self._car = car
        self._now_ns = began_ns
        self._clock_ns = began_ns  # of the clock in the car, which the speed factor makes faster
        self._rhythm = Rhythm(seed)
        self._journey = Journey(car.world)
        self._started = car.context.current_datetime
        self.charge(car.context.state_of_charge)
        self._published = {"battery_low"} if self.percent <= LOW_PERCENT else set()
        self._begin(at_kilometer)
        self.outside_c = self._weather_c()
        self.cabin_c = target_c(car.state, self.outside_c)
        self._step = self._planned()
        self.show()

    @property
    def due_ns(self) -> int:
        events = self._step.events
        return events[0].at_ns if events else self._now_ns + self.step_ns

    @property
    def percent(self) -> float:
        """The state of charge."""
        return self.battery_j / J_PER_KWH / self._car.context.usable_kwh * 100

    def go(self) -> Event | None:
        """Go on to the next event and return it, or to the end of the step and return None."""
        if self._step.events:
            event, *later = self._step.events
            self._step = replace(self._step, events=tuple(later))
            return event
        self._end_step()
        self._step = self._planned()
        return None

    def charge(self, percent: float) -> None:
        """The battery has another state of charge from now on."""
        self.battery_j = percent / 100 * self._car.context.usable_kwh * J_PER_KWH

    def show(self) -> None:
        """Let the tools of the car see where it is and how it stands."""
        car, journey = self._car, self._journey
        shown: dict[str, Any] = {"state_of_charge": round(self.percent, 1)}
        if journey.road is not None:
            place = journey.road.destination if journey.is_there else journey.road.start
            position = Position(**journey.road.position(journey.along_m))
            shown["current_location"] = Place(id=place["id"], name=place["name"], position=position)
        car.context = car.context.model_copy(update=shown)
        car.progress = journey.progress() if journey.is_guided(car.state) else None

    def readings(self) -> dict[str, float]:
        """What instruments show, by the names of the signals."""
        return {
            "speed_kmh": round(self.speed * 3.6, 1),
            "travelled_m": round(self.travelled_m),
            "outside_c": round(self.outside_c, 1),
            "cabin_c": round(self.cabin_c, 1),
        }

    def _begin(self, at_kilometer: float) -> None:
        """From a standstill at the start, or in the middle of a route at the usual speed."""
        journey = self._journey
        journey.follow(self._car.state, self._now_ns)
        journey.move(at_kilometer * 1000)
        if at_kilometer:
            self.speed = min(self._wanted(), _stopping(0.0, journey.left_m, 0.0))

    # --- one step

    @property
    def _step_s(self) -> float:
        return self.step_ns / SECOND_NS * self.speed_factor

    def _planned(self) -> MotionStep:
        journey, car = self._journey, self._car
        journey.follow(car.state, self._now_ns)
        seconds = self._step_s
        speed = self._next_speed(seconds)
        metres = (self.speed + speed) / 2 * seconds
        arrives = journey.road is not None and not journey.is_there and metres >= journey.left_m
        if arrives or journey.is_there:
            metres, speed = journey.left_m, 0.0
        watts = driving_w(car.context.energy_consumption, metres / seconds)
        watts += climate_w(car.state, self.cabin_c, self.outside_c)
        step = MotionStep(metres, min(watts * seconds, self.battery_j), speed, arrives)
        events = sorted(self._events(step), key=lambda event: event.at_ns)
        return replace(step, events=tuple(events))

    def _next_speed(self, seconds: float) -> float:
        journey = self._journey
        goes = journey.is_guided(self._car.state) and not journey.is_there and self.battery_j > 0
        goes = goes and not self.is_held
        stopping = _stopping(self.speed, journey.left_m, seconds)
        wanted = min(self._wanted(), stopping) if goes else 0.0
        change = ACCELERATION * seconds
        return min(max(wanted, self.speed - change), self.speed + change)

    def _end_step(self) -> None:
        step, journey = self._step, self._journey
        self._now_ns += self.step_ns
        self._clock_ns += round(self.step_ns * self.speed_factor)
        seconds = self._step_s
        self.cabin_c = later_c(self._car.state, self.cabin_c, self.outside_c, seconds)
        self.battery_j -= min(step.joules, self.battery_j)
        self.travelled_m += step.metres
        self.speed = step.speed
        journey.move(step.metres)
        if step.arrives:
            journey.rest(self._now_ns, self.speed_factor)
        self.outside_c = self._weather_c()

    def _wanted(self) -> float:
        """The speed a driver would like to have here."""
        road, along_m = self._journey.road, self._journey.along_m
        return road.cruising(along_m) * self._rhythm.factor(along_m) if road else 0.0

    def _weather_c(self) -> float:
        """Between the temperatures at the ends of the route, as far as it is driven."""
        road, share = self._journey.road, self._journey.share
        if road is None:
            return self._temperature_c(self._car.context.current_location.id)
        start_c, end_c = map(self._temperature_c, (road.start["id"], road.destination["id"]))
        return start_c * (1 - share) + end_c * share

    def _temperature_c(self, place_id: str) -> float:
        minute = self._started.hour * 60 + self._started.minute + self._clock_ns // MINUTE_NS
        return temperature_c(forecast(self._car.world, place_id, self._started.month), minute)

    # --- events

    def _events(self, step: MotionStep) -> Iterator[Event]:
        yield from self._battery_low(step)
        yield from self._battery_empty(step)
        journey = self._journey
        if not (journey.is_guided(self._car.state) and journey.road):
            return
        destination = journey.road.destination
        if step.arrives:
            steady_m = (self.speed + self._next_speed(self._step_s)) / 2
            steady_m *= self._step_s
            detail = {
                "waypoint_id": destination["id"],
                "name": destination["name"],
                "final": journey.is_last_leg,
            }
            yield self._event("arrival", step.metres / steady_m if steady_m else 1.0, detail)
        range_km = self._car.context.range_km(self.percent)
        next_km = journey.to_next_stop_m / 1000
        if range_km < next_km and self._first("range_low"):
            detail = {
                "remaining_range_km": round(range_km),
                "next_stop_km": round(next_km, 1),
                "next_waypoint_id": destination["id"],
            }
            yield self._event("range_low", 0.0, detail)

    def _battery_low(self, step: MotionStep) -> Iterator[Event]:
        if self.percent > LOW_PERCENT:
            self._published.discard("battery_low")  # charged meanwhile
        low_j = LOW_PERCENT / 100 * self._car.context.usable_kwh * J_PER_KWH
        if self.battery_j - step.joules <= low_j and self._first("battery_low"):
            share = (self.battery_j - low_j) / step.joules if step.joules else 0.0
            detail = {"state_of_charge": round(min(self.percent, LOW_PERCENT), 1)}
            yield self._event("battery_low", share, detail)

    def _battery_empty(self, step: MotionStep) -> Iterator[Event]:
        if self.battery_j > step.joules:
            self._published.discard("battery_empty")  # charged meanwhile
        elif self._first("battery_empty"):
            yield self._event("battery_empty", 1.0, {"state_of_charge": 0.0})

    def _first(self, kind: str) -> bool:
        new = kind not in self._published
        self._published.add(kind)
        return new

    def _event(self, kind: str, share: float, detail: dict[str, Any]) -> Event:
        """An event after a share of the step that begins now."""
        share = min(max(share, 0.0), 1.0)
        return Event(self._now_ns + round(share * self.step_ns), kind, detail)


def _stopping(speed: float, left_m: float, seconds: float) -> float:
    """The highest speed after some seconds from which one still stops within what is then left."""
    gained = ACCELERATION * seconds
    square = gained * gained + 4 * ACCELERATION * (2 * left_m - speed * seconds)
    return max((math.sqrt(square) - gained) / 2, 0.0) if square > 0 else 0.0
