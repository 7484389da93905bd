"""Where a person takes part in a conversation: shows what happens, takes what the person does."""

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from evaluator.live import Feed
from evaluator.live.update import Update
from evaluator.person.updates import Asked, NotAsked, UnitScored

Done = TypeVar("Done")
REMEMBERED = 1000  # of a conversation, for a page that is opened later
BEHIND = 1000  # how many a page or a terminal may not have shown yet


class NotAccepted(Exception):
    """What a person did cannot be taken; the text says why."""


class Seat(Generic[Done]):
    """One person, at any number of pages and at most one terminal; the first to answer does.

    What was shown since the conversation began is kept for pages that are opened later. `name` is
    whom the person plays.
    """

    name = ""

    def __init__(self) -> None:
        self._shown: deque[Update] = deque(maxlen=REMEMBERED)
        self._feeds: list[Feed[Update]] = []
        self._waiting: asyncio.Future[Done] | None = None

    @property
    def asked(self) -> bool:
        """Whether the conversation waits for the person."""
        return self._waiting is not None

    @contextmanager
    def feed(self) -> Iterator[Feed[Update]]:
        """What was shown in this conversation, and what follows."""
        feed: Feed[Update] = Feed(REMEMBERED + BEHIND)
        for each in self._shown:
            feed.put(each)
        self._feeds.append(feed)
        try:
            yield feed
        finally:
            self._feeds.remove(feed)

    def scored(self, text: str) -> None:
        """Tell how a unit was scored."""
        self._show(UnitScored(text))

    def _begin(self, part: Update) -> None:
        """A conversation begins; nothing of the one before is kept but how it was scored."""
        before = [each for each in self._shown if isinstance(each, UnitScored)][-1:]
        self._shown.clear()
        self._shown.extend(before)
        self._show(part)

    def _show(self, update: Update) -> None:
        self._shown.append(update)
        for feed in self._feeds:
            feed.put(update)

    async def _ask(self, *, opening: bool = False) -> Done:
        """Wait for what the person does."""
        self._waiting = asyncio.get_running_loop().create_future()
        self._show(Asked(opening))
        try:
            return await self._waiting
        finally:
            if self._waiting is not None:
                self._waiting = None
                self._show(NotAsked())

    def _answer(self, done: Done, shown: Update) -> None:
        """Hand on what the person did; raises `NotAccepted` if nobody waits for it."""
        if self._waiting is None:
            raise NotAccepted("not sent: it is not your turn")
        self._waiting.set_result(done)
        self._waiting = None
        self._show(NotAsked())
        self._show(shown)
