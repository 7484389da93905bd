"""The pages open on a cockpit: one of them is the driver, all of them watch."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson

from evaluator.live import Feed

REMEMBERED = 20_000  # messages that a page gets when it is opened later
UNREAD = 500  # messages a page may be behind before it loses the oldest

Message = dict[str, Any]


@dataclass(eq=False, slots=True)
class Tab:
    """One open page, with the messages for it as they are sent."""

    unread: Feed[str] = field(default_factory=lambda: Feed(UNREAD))
    reported_lost: int = 0

    def tell(self, message: Message) -> None:
        self.unread.put(orjson.dumps(message).decode())


class Viewers:
    """Tabs come and go; the first one is the driver until another takes over.

    `about` gives what a page has to know of the present: what is played and how the cars stand.
    """

    def __init__(self, about: Callable[[], Message]) -> None:
        self.opened = asyncio.Event()  # set once a page was opened
        self._about = about
        self._tabs: list[Tab] = []
        self._driver: Tab | None = None
        self._history: deque[Message] = deque(maxlen=REMEMBERED)

    @contextmanager
    def tab(self) -> Iterator[Tab]:
        """A page for as long as the block runs."""
        tab = Tab()
        self._tabs.append(tab)
        self.opened.set()
        self._driver = self._driver or tab
        tab.tell(self._greeting(tab))
        self._announce_driver()
        try:
            yield tab
        finally:
            self._tabs.remove(tab)
            if self._driver is tab:
                self._driver = self._tabs[0] if self._tabs else None
            self._announce_driver()

    async def frame_for(self, tab: Tab) -> str:
        """All that waits for a page, at least one message, as a JSON list.

        After a loss it begins with how many were lost and the values of the cars now.
        """
        messages = [await anext(tab.unread), *tab.unread.rest()]
        if tab.unread.dropped > tab.reported_lost:
            tab.reported_lost = tab.unread.dropped
            about = {name: self._about()[name] for name in ("values", "lanes")}
            lost = {"kind": "dropped", "count": tab.reported_lost, **about}
            messages.insert(0, orjson.dumps(lost).decode())
        return f"[{','.join(messages)}]"

    def drives(self, tab: Tab) -> bool:
        return tab is self._driver

    def take(self, tab: Tab) -> None:
        """Make a tab the driver."""
        self._driver = tab
        self._announce_driver()

    def publish(self, message: Message, lasting: bool = True) -> None:
        """Send a message to all pages; a lasting one also to those that are opened later."""
        if lasting:
            self._remember(message)
        encoded = orjson.dumps(message).decode()
        for tab in self._tabs:
            tab.unread.put(encoded)

    def begin(self) -> None:
        """Forget what was before, and greet every page anew."""
        self._history.clear()
        for tab in self._tabs:
            tab.tell(self._greeting(tab))

    def _remember(self, message: Message) -> None:
        """Words of one sentence are kept in one piece."""
        last = self._history[-1] if self._history else {}
        same = ("kind", "lane", "message", "aside")
        if message["kind"] == "words" and all(last.get(k) == message.get(k) for k in same):
            message = {**message, "text": last["text"] + message["text"]}
            self._history.pop()
        self._history.append(message)

    def _announce_driver(self) -> None:
        for tab in self._tabs:
            tab.tell({"kind": "seat", **self._seat(tab)})

    def _seat(self, tab: Tab) -> Message:
        return {"drives": self.drives(tab), "tabs": len(self._tabs)}

    def _greeting(self, tab: Tab) -> Message:
        """Everything a page has to know when it is opened, or when all begins anew."""
        about = self._about()
        history = [*self._history, *about.pop("latest", ())]
        return {"kind": "hello", **about, "history": history, "seat": self._seat(tab)}
