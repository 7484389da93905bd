"""All that is shown of one car: conversation, values, faults and route."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from evaluator.cockpit.car.authors import Authors
from evaluator.cockpit.car.car_clock import CarClock, moment_of
from evaluator.cockpit.car.controls import CarControls
from evaluator.cockpit.car.route_map import RouteMap, RouteNow
from evaluator.cockpit.spectator import Spectator
from evaluator.live import LiveCar
from evaluator.live.update import Update
from evaluator.record.record import Entry
from vehicle_bus.car.fault import Fault
from vehicle_bus.car.state import CarSetup, context_at_start
from vehicle_bus.world.world import World


class CarView:
    """Turns the messages of a car into updates; `controls` is what a page may do to it.

    `faults` are those of the car beside the ones in its `setup`.
    """

    def __init__(
        self, car: LiveCar, world: World, setup: CarSetup, faults: Sequence[Fault] = ()
    ) -> None:
        authors = Authors(setup, list(faults))
        start = context_at_start(setup.start)
        self._car = car
        self._spectator = Spectator(authors)
        self._route = RouteMap(world, start.current_location)
        self._clock = CarClock(moment_of(start.current_datetime))
        self.controls = CarControls(car, authors)

    @property
    def route(self) -> RouteNow:
        """The route as it was shown last, and the time now."""
        self._tick()
        return self._timed(self._route.now)

    def take(self, entry: Entry) -> Iterator[Update]:
        yield from self._spectator.take(entry)
        yield from self.controls.take(entry)
        moved = list(self._route.take(self._spectator.values, entry.mono_ns))
        if self._tick() or moved:
            yield self._timed(self._route.now)

    def _tick(self) -> bool:
        """Whether the clock shows something else than before."""
        now = self._car.time
        return now is not None and self._clock.go(*now)

    def _timed(self, route: RouteNow) -> RouteNow:
        moment = self._clock.moment.isoformat(timespec="seconds")
        return replace(route, moment=moment, rate=self._clock.rate)
