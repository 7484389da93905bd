"""All that is shown of one car: conversation, values, faults and route."""

from collections.abc import Iterator, Sequence

from evaluator.cockpit.car.authors import Authors
from evaluator.cockpit.car.controls import CarControls
from evaluator.cockpit.car.route_map import RouteMap, RouteNow
from evaluator.cockpit.spectator import Spectator
from evaluator.live import LiveCar
from evaluator.live.update import Update
from evaluator.record.record import Entry
from vehicle_bus.car.fault import Fault
from vehicle_bus.car.state import CarSetup
from vehicle_bus.world.world import World


class CarView:
    """Turns the messages of a car into updates; `controls` is what a page may do to it.

    `faults` are those of the car beside the ones in its `setup`.
    """

    def __init__(
        self, car: LiveCar, world: World, setup: CarSetup, faults: Sequence[Fault] = ()
    ) -> None:
        authors = Authors(setup, list(faults))
        self._spectator = Spectator(authors)
        self._route = RouteMap(world)
        self.controls = CarControls(car, authors)

    @property
    def route(self) -> RouteNow:
        """The route as it was shown last."""
        return self._route.now

    def take(self, entry: Entry) -> Iterator[Update]:
        yield from self._spectator.take(entry)
        yield from self.controls.take(entry)
        yield from self._route.take(self._spectator.values, entry.mono_ns)
