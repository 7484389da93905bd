"""A car, the one who talks in it, and everybody who watches."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from assistant_gateway.server import NoAgent
from assistant_gateway.timing.budgets import BUDGETS, DEFAULT_BUDGETS, Budgets
from assistant_gateway.timing.timeline import MS, wall_ns
from evaluator.cockpit.sentences import sentence
from evaluator.cockpit.spectator import (
    CarTold,
    Changed,
    Shown,
    Spectator,
    Trouble,
    TurnBegan,
)
from evaluator.live import ConversationBroken, Feed, LiveCar
from evaluator.views.captions import TURN_CLASSES
from evaluator.views.car_values import layout, news, written
from vehicle_bus.background import background
from vehicle_bus.world.world import World

REMEMBERED = 2000  # messages a page that comes late is told
AHEAD = 4  # utterances that may wait for the floor
UNREAD = 500  # messages a page may be behind before it loses the oldest

Told = dict[str, Any]


@dataclass(eq=False, slots=True)
class Tab:
    """One open page."""

    unread: Feed[Told] = field(default_factory=lambda: Feed(UNREAD))
    told_of: int = 0


class Room:
    """Tabs come and go; the first one drives until another takes the wheel."""

    def __init__(
        self, car: LiveCar, world: World, about: Told, budgets: Budgets = DEFAULT_BUDGETS
    ) -> None:
        self._car = car
        self._world = world
        self._about = about
        self._budgets = budgets
        self._spectator = Spectator()
        self._tabs: list[Tab] = []
        self._driver: Tab | None = None
        self._history: deque[Told] = deque(maxlen=REMEMBERED)
        self._said: asyncio.Queue[str | None] = asyncio.Queue(AHEAD)

    # --- tabs

    @contextmanager
    def tab(self) -> Iterator[Tab]:
        """A page for as long as the block runs."""
        tab = Tab()
        self._tabs.append(tab)
        self._driver = self._driver or tab
        self._seat_all()
        try:
            yield tab
        finally:
            self._tabs.remove(tab)
            if self._driver is tab:
                self._driver = self._tabs[0] if self._tabs else None
            self._seat_all()

    async def message_for(self, tab: Tab) -> Told:
        """The next one; after a loss, how much was lost and how the car stands now."""
        if tab.unread.dropped > tab.told_of:
            tab.told_of = tab.unread.dropped
            return {"kind": "dropped", "count": tab.told_of, "values": self._values}
        return await anext(tab.unread)

    def heard(self, tab: Tab, message: Told) -> None:
        """A page sent something; what it may not do is told to it alone."""
        match message:
            case {"kind": "take"}:
                self._driver = tab
                self._seat_all()
            case {"kind": "say" | "restart"} if tab is not self._driver:
                tab.unread.put(Trouble("Another tab drives; take the wheel first.").told())
            case {"kind": "say", "text": str() as text} if text.strip():
                self._plan(tab, text.strip())
            case {"kind": "restart"}:
                self._plan(tab, None)

    def _plan(self, tab: Tab, text: str | None) -> None:
        try:
            self._said.put_nowait(text)
        except asyncio.QueueFull:
            tab.unread.put(Trouble("That is more than can wait; listen first.").told())

    def _seat_all(self) -> None:
        for tab in self._tabs:
            tab.unread.put({"kind": "seat", **self._seat(tab)})

    def _seat(self, tab: Tab) -> Told:
        return {"drives": tab is self._driver, "tabs": len(self._tabs)}

    # --- what they are told

    @property
    def _values(self) -> Told:
        return written(self._spectator.values, self._world)

    def greeting(self, tab: Tab) -> Told:
        """Everything a page has to know when it is opened."""
        limits = {
            name: {
                "soft": round(first.soft_s, 3),
                "hard": round(first.hard_s, 3),
                "told": f"budget {name}: {TURN_CLASSES[name]}",
            }
            for name, first in ((each, self._budgets.of(each).first_speech) for each in BUDGETS)
        }
        return {
            "kind": "hello",
            **self._about,
            "groups": layout(),
            "limits": limits,
            "values": self._values,
            "history": list(self._history),
            "seat": self._seat(tab),
        }

    def _tell(self, happening: Shown) -> None:
        message = happening.told()
        match happening:
            case Changed():
                message["values"] = written(happening.values, self._world)
                if not message["values"]:
                    return
            case CarTold(event, detail):
                message["text"] = sentence(event, detail)
            case TurnBegan():
                message["since_ms"] = (wall_ns() - happening.mono_ns) / MS
        if not isinstance(happening, Changed) or (not happening.first and news(message["values"])):
            self._history.append(message)
        for tab in self._tabs:
            tab.unread.put(message)

    # --- what goes on

    async def watch(self) -> None:
        """Tell everybody what happens in the car, from its first moment."""
        with self._car.observer.feed(10_000) as feed:
            for entry in self._car.observer.since().entries:
                for happening in self._spectator.take(entry):
                    self._tell(happening)
            async for entry in feed:
                for happening in self._spectator.take(entry):
                    self._tell(happening)

    async def talk(self) -> None:
        """Say one thing after the other; None begins a new conversation."""
        while True:
            text = await self._said.get()
            try:
                if text is None:
                    await self._car.new_conversation()
                else:
                    await self._car.say(text)
            except (ConversationBroken, NoAgent) as error:
                self._tell(Trouble(str(error)))


@asynccontextmanager
async def room(car: LiveCar, world: World, about: Told, budgets: Budgets) -> AsyncIterator[Room]:
    """Open for as long as the block runs."""
    opened = Room(car, world, about, budgets)
    async with background(opened.watch(), "watch"), background(opened.talk(), "talk"):
        yield opened
