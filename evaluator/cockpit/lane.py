"""One car with its assistant, as messages to the pages."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from assistant_gateway.sound.live_input import LiveInput
from assistant_gateway.timing.timeline import MS, wall_ns
from evaluator.cockpit.car.driver_voice import DriverVoice
from evaluator.cockpit.car.route_map import RouteNow
from evaluator.cockpit.car.view import CarView
from evaluator.cockpit.messages import CarMessage
from evaluator.cockpit.spectator import (
    Answered,
    CarEventSeen,
    Changed,
    ConversationOver,
    TurnBegan,
    TurnOver,
)
from evaluator.cockpit.verdict import TaskVerdict, verdict
from evaluator.cockpit.viewers import Message
from evaluator.live import LiveCar
from evaluator.live.update import Update
from evaluator.record.record import Entry, Record
from evaluator.record.recorder import GAP_TIMEOUT_S
from evaluator.task.task import Task
from evaluator.views.car_values import is_news, written
from evaluator.views.sentences import event_sentence, refusal
from vehicle_bus.world.world import World

Publish = Callable[[Message, bool], None]


class Lane:
    """What the pages are told about one car; `values` is how it stands, as texts.

    `publish` takes a message and whether pages that are opened later need it; a `person` may speak
    into the microphone of the car.
    """

    def __init__(
        self,
        name: str,
        agent: str,
        car: LiveCar,
        view: CarView,
        world: World,
        publish: Publish,
        person: LiveInput,
    ) -> None:
        self.name = name
        self.agent = agent
        self.car = car
        self.view = view
        self.voice = DriverVoice(car)
        self.person = person
        self.values: Message = {}
        self.verdict: TaskVerdict | None = None
        self.to_judge = asyncio.Event()  # a turn is over, or something happened in the car
        self._world = world
        self._publish = publish

    @property
    def about(self) -> Message:
        return {"lane": self.name, "agent": self.agent, "vin": self.car.vin, "values": self.values}

    @property
    def latest(self) -> list[Message]:
        """The route and the verdict as they were shown last."""
        return [self._message(each) for each in (self.view.route, self.verdict) if each]

    @property
    def judged(self) -> bool:
        """Whether the verdict is final."""
        return self.verdict is not None and self.verdict.final

    async def judge(self, task: Task) -> bool:
        """Tell the verdict on what has happened so far; true once it is final."""
        record = self.car.observer.since()
        if record.end is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(GAP_TIMEOUT_S):
                    record = await self.car.observer.until(_complete)
        self.verdict = await asyncio.to_thread(verdict, record, task, self._world)
        self.tell(self.verdict)
        return record.end is not None

    async def do(self, message: CarMessage) -> None:
        """Do to the car what a page asks for; raises `ValueError` for a value that no car has."""
        for update in await self.view.controls.do(message):
            self.tell(update)

    def tell(self, update: Update) -> None:
        message, lasting = self._message(update), True
        match update:
            case Changed(values, first, by):
                message["values"] = self._written(values)
                if not message["values"]:
                    return
                lasting = not first and (is_news(message["values"]) or by != "driving")
            case Answered(succeeded=False, output=output):
                message["why"] = refusal(output, self._world)
            case CarEventSeen(event, detail):
                message["text"] = event_sentence(event, detail)
            case RouteNow() | TaskVerdict():
                lasting = False
            case TurnBegan():
                message["since_ms"] = (wall_ns() - update.mono_ns) / MS
        self._publish(message, lasting)

    def _message(self, update: Update) -> Message:
        return {"lane": self.name, **update.fields()}

    def take(self, entry: Entry) -> None:
        """Tell what an entry says."""
        for update in self.view.take(entry):
            self.tell(update)
            if isinstance(update, TurnOver | ConversationOver | CarEventSeen):
                self.to_judge.set()

    def _written(self, values: dict[str, Any]) -> Message:
        """New values as texts, each with the text it had before."""
        new = written(values, self._world)
        for name, entry in new.items():
            entry["before"] = self.values.get(name, {}).get("text")
        self.values |= new
        return new


def _complete(record: Record) -> Record | None:
    """The record, once all that its end announced is there."""
    return None if record.missing() else record
