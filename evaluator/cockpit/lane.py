"""One car with its assistant, as messages to the pages."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from assistant_gateway.timing.timeline import MS, wall_ns
from evaluator.cockpit.car.authors import Authors
from evaluator.cockpit.car.driver_voice import DriverVoice
from evaluator.cockpit.spectator import (
    CarEventSeen,
    Changed,
    ConversationOver,
    Spectator,
    TurnBegan,
    TurnOver,
    Update,
)
from evaluator.live import Feed, LiveCar
from evaluator.record.record import Entry
from evaluator.views.car_values import is_news, written
from evaluator.views.sentences import event_sentence
from vehicle_bus.world.world import World

UNSEEN = 10_000  # messages of the bus that may wait

Message = dict[str, Any]
Publish = Callable[[Message, bool], None]


class Lane:
    """What the pages are told about one car; `values` is how it stands, as texts.

    `publish` takes a message and whether pages that are opened later need it. `noticed` is called
    when a turn or a conversation is over.
    """

    def __init__(
        self,
        name: str,
        agent: str,
        car: LiveCar,
        world: World,
        authors: Authors,
        feed: Feed[Entry],
        publish: Publish,
    ) -> None:
        self.name = name
        self.agent = agent
        self.car = car
        self.values: Message = {}
        self._world = world
        self._feed = feed
        self._publish: Publish = lambda message, lasting: None
        self.voice = DriverVoice(car)
        self._spectator = Spectator(authors)
        for entry in car.observer.since().entries:  # what a page is greeted with
            self._take(entry)
        self._publish = publish

    @property
    def about(self) -> Message:
        return {"lane": self.name, "agent": self.agent, "vin": self.car.vin, "values": self.values}

    async def watch(self, noticed: Callable[["Lane"], None]) -> None:
        """Tell the pages what happens in the car."""
        async for entry in self._feed:
            if self._take(entry):
                noticed(self)

    def tell(self, update: Update) -> None:
        message, lasting = {"lane": self.name, **update.fields()}, True
        match update:
            case Changed(values, first):
                message["values"] = self._written(values)
                if not message["values"]:
                    return
                lasting = not first and is_news(message["values"])
            case CarEventSeen(event, detail):
                message["text"] = event_sentence(event, detail)
            case TurnBegan():
                message["since_ms"] = (wall_ns() - update.mono_ns) / MS
        self._publish(message, lasting)

    def _take(self, entry: Entry) -> bool:
        """Tell what an entry says; true if a turn or the conversation is over with it."""
        over = False
        for update in self._spectator.take(entry):
            self.tell(update)
            over |= isinstance(update, TurnOver | ConversationOver)
        return over

    def _written(self, values: dict[str, Any]) -> Message:
        """New values as texts, each with the text it had before."""
        new = written(values, self._world)
        for name, entry in new.items():
            entry["before"] = self.values.get(name, {}).get("text")
        self.values |= new
        return new


@contextmanager
def lane(
    name: str, agent: str, car: LiveCar, world: World, authors: Authors, publish: Publish
) -> Iterator[Lane]:
    """Entered means that nothing of the car is missed from now on."""
    with car.observer.feed(UNSEEN) as feed:
        yield Lane(name, agent, car, world, authors, feed, publish)
