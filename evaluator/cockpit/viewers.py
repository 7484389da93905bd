"""The pages open on one car: one of them is the driver, all of them watch."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from assistant_gateway.timing.budgets import BUDGETS, DEFAULT_BUDGETS, Budgets
from assistant_gateway.timing.timeline import MS, wall_ns
from evaluator.cockpit.bus_log import BusLog
from evaluator.cockpit.car.driver_voice import DriverVoice
from evaluator.cockpit.car.route_map import RouteNow
from evaluator.cockpit.car.view import CarView
from evaluator.cockpit.spectator import (
    CarEventSeen,
    Changed,
    Trouble,
    TurnBegan,
    Update,
)
from evaluator.live import CarRequest, Feed, LiveCar
from evaluator.record.record import Entry
from evaluator.views.captions import TURN_CLASSES
from evaluator.views.car_values import is_news, layout, written
from evaluator.views.sentences import event_sentence
from vehicle_bus.background_tasks import background
from vehicle_bus.car.state import CarSetup
from vehicle_bus.contract import Topics
from vehicle_bus.world.world import World

REMEMBERED = 2000  # messages that a page gets when it is opened later
AHEAD = 20  # things to do to the car that may wait
DRIVERS = ("say", "restart", "interrupt", "knob", "fault", "heal", "motion")  # for the driver only
UNREAD = 500  # messages a page may be behind before it loses the oldest

Message = dict[str, Any]


@dataclass(eq=False, slots=True)
class Tab:
    """One open page."""

    unread: Feed[Message] = field(default_factory=lambda: Feed(UNREAD))
    reported_lost: int = 0


class Viewers:
    """Tabs come and go; the first one is the driver until another takes over."""

    def __init__(
        self,
        car: LiveCar,
        world: World,
        about: Message,
        budgets: Budgets = DEFAULT_BUDGETS,
        setup: CarSetup | None = None,
    ) -> None:
        self._car = car
        self._world = world
        self._about = about
        self._budgets = budgets
        self._view = CarView(car, world, setup or CarSetup())
        self._wanted: asyncio.Queue[tuple[Tab, Message]] = asyncio.Queue(AHEAD)
        self.bus = BusLog(Topics(car.servers.address.prefix))
        self._values: Message = {}
        self._tabs: list[Tab] = []
        self._driver: Tab | None = None
        self._history: deque[Message] = deque(maxlen=REMEMBERED)
        self.voice = DriverVoice(car, lambda problem: self._publish(Trouble(problem)))

    # --- tabs

    @contextmanager
    def tab(self) -> Iterator[Tab]:
        """A page for as long as the block runs."""
        tab = Tab()
        self._tabs.append(tab)
        self._driver = self._driver or tab
        self._announce_driver()
        try:
            yield tab
        finally:
            self._tabs.remove(tab)
            if self._driver is tab:
                self._driver = self._tabs[0] if self._tabs else None
            self._announce_driver()

    async def message_for(self, tab: Tab) -> Message:
        """The next one; after a loss, how many were lost and the values of the car now."""
        if tab.unread.dropped > tab.reported_lost:
            tab.reported_lost = tab.unread.dropped
            return {"kind": "dropped", "count": tab.reported_lost, "values": self._values}
        return await anext(tab.unread)

    def receive(self, tab: Tab, message: Message) -> None:
        """Handle a message of a page; a refusal goes to that page alone."""
        match message:
            case {"kind": "take"}:
                self._driver = tab
                self._announce_driver()
            case {"kind": kind} if kind in DRIVERS and tab is not self._driver:
                tab.unread.put(Trouble("Another tab is the driver; take over first.").fields())
            case {"kind": "say", "text": str() as text} if text.strip():
                self._plan(tab, text.strip())
            case {"kind": "restart"}:
                self._plan(tab, None)
            case {"kind": "interrupt", "text": str() as text} if text.strip():
                self.voice.interrupt(text.strip())
            case {"kind": "interrupt"}:
                self.voice.interrupt(None)
            case {"kind": "knob" | "fault" | "heal" | "motion"}:
                try:
                    self._wanted.put_nowait((tab, message))
                except asyncio.QueueFull:
                    tab.unread.put(Trouble("Too much at once.").fields())

    def _plan(self, tab: Tab, text: str | None) -> None:
        if not self.voice.say(text):
            tab.unread.put(Trouble("Too many messages are waiting; listen first.").fields())

    def _announce_driver(self) -> None:
        for tab in self._tabs:
            tab.unread.put({"kind": "seat", **self._seat(tab)})

    def _seat(self, tab: Tab) -> Message:
        return {"drives": tab is self._driver, "tabs": len(self._tabs)}

    # --- messages to the pages

    def greeting(self, tab: Tab) -> Message:
        """Everything a page has to know when it is opened."""
        limits = {
            name: {
                "soft": round(first.soft_s, 3),
                "hard": round(first.hard_s, 3),
                "text": f"budget {name}: {TURN_CLASSES[name]}",
            }
            for name, first in ((each, self._budgets.of(each).first_speech) for each in BUDGETS)
        }
        return {
            "kind": "hello",
            **self._about,
            "groups": layout(),
            "limits": limits,
            "values": self._values,
            "history": [*self._history, self._view.route.fields()],
            "seat": self._seat(tab),
        }

    def _publish(self, update: Update) -> None:
        message, lasting = update.fields(), True
        match update:
            case Changed(values, first):
                message["values"] = self._written(values)
                if not message["values"]:
                    return
                lasting = not first and is_news(message["values"])
            case CarEventSeen(event, detail):
                message["text"] = event_sentence(event, detail)
            case RouteNow():
                lasting = False
            case TurnBegan():
                message["since_ms"] = (wall_ns() - update.mono_ns) / MS
        if lasting:
            self._history.append(message)
        for tab in self._tabs:
            tab.unread.put(message)

    def _written(self, values: dict[str, Any]) -> Message:
        """New values as texts, each with the text it had before."""
        new = written(values, self._world)
        for name, entry in new.items():
            entry["before"] = self._values.get(name, {}).get("text")
        self._values |= new
        return new

    async def control(self) -> None:
        """Do what pages want of the car, one after the other."""
        while True:
            tab, message = await self._wanted.get()
            try:
                for update in await self._view.controls.do(message):
                    self._publish(update)
            except (ValueError, LookupError) as error:
                tab.unread.put(Trouble(str(error)).fields())

    # --- what runs while the cockpit is open

    async def watch(self) -> None:
        """Send every page what happens in the car, from its first moment."""
        with self._car.observer.feed(10_000) as feed:
            for entry in self._car.observer.since().entries:
                self._take(entry)
            async for entry in feed:
                self._take(entry)

    def _take(self, entry: Entry) -> None:
        self.bus.put("a", self._car.vin, entry)
        for update in self._view.take(entry):
            self._publish(update)


@asynccontextmanager
async def viewers(
    car: LiveCar, world: World, about: Message, budgets: Budgets, request: CarRequest | None = None
) -> AsyncIterator[Viewers]:
    """Open for as long as the block runs."""
    opened = Viewers(car, world, about, budgets, request.setup if request else None)
    async with (
        background(opened.watch(), "watch"),
        background(opened.voice.talk(), "talk"),
        background(opened.control(), "control"),
    ):
        yield opened
