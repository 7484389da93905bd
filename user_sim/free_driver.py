"""A driver without a script: its user says each line and gets the outcome."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from websockets.exceptions import ConnectionClosed

from assistant_gateway.peer import Peer, user_peer
from assistant_gateway.protocol import (
    AgentNoReply,
    AgentSpeechEnd,
    Body,
    ErrorFrame,
    SessionClose,
    SessionOpen,
    SessionOpened,
    UserControl,
    UserHangup,
    UserSpeechEnd,
    UserSpeechStart,
)
from user_sim.driver import DriverRefused

Outcome = AgentSpeechEnd | AgentNoReply | SessionClose
GATEWAY_CLOSED = SessionClose(reason="gateway_closed")


class FreeDriver:
    """One socket, one conversation after another; call one method at a time.

    Each method raises `DriverRefused` if the gateway does not accept what was done.
    """

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._received: asyncio.Queue[Body] = asyncio.Queue()
        self._changed = asyncio.Condition()
        self._utterances = 0
        self._begun = False  # an utterance without its words
        self.gone = False
        self._opening = False
        self.talking = False

    async def open(self, sid: str) -> SessionClose | None:
        """Begin a conversation; why it was closed if it did not come about."""
        self._peer.sid, self._utterances, self._begun = sid, 0, False
        while not self._received.empty():
            self._received.get_nowait()
        self._opening = True
        await self._send(SessionOpen(scenario_id=sid))
        answer = await self._next(SessionOpened, SessionClose)
        return answer if isinstance(answer, SessionClose) else None

    async def begin(self) -> None:
        """Begin to speak while it is the driver's turn; `say` brings the words."""
        if self.talking:
            await self._begin(over_agent=False)

    async def say(
        self, text: str, after_ms: int = 0, *, typed: bool = False, ago_ms: int = 0
    ) -> Outcome:
        """Speak and listen until the floor is the driver's again, or the conversation is over.

        A `typed` line is said when it is sent, and so is one that began before its words were
        known, and ended `ago_ms` ago; another takes as long as its words.
        """
        if typed or self._begun:
            await self._begin(over_agent=False)
            self._begun = False
            ended = UserSpeechEnd(utt=self._utterance, text=text, ago_ms=ago_ms)
            await self._send(ended)
        else:
            self._utterances += 1
            words = tuple(text.split())
            speech = UserSpeechStart(utt=self._utterance, planned_words=words, after_ms=after_ms)
            await self._send(speech)
        outcome = await self._next(AgentSpeechEnd, AgentNoReply, SessionClose)
        assert isinstance(outcome, Outcome)
        return outcome

    async def interrupt(self) -> None:
        """Begin to speak while another task awaits `say`: the assistant is cut off, now.

        That `say` returns what was heard until then; the next one says the words.
        """
        if self.talking:
            await self._begin(over_agent=True)

    async def _begin(self, *, over_agent: bool) -> None:
        """Begin an utterance whose words follow, unless that is done."""
        if not self._begun:
            self._begun = True
            self._utterances += 1
            await self._send(UserSpeechStart(utt=self._utterance, is_barge_in=over_agent))

    @property
    def _utterance(self) -> str:
        return f"u{self._utterances}"

    async def hang_up(self) -> None:
        """End the conversation if there is one; one that is being opened is opened first."""
        await self._until(lambda: not self._opening)
        if self.talking:
            await self._send(UserHangup())
            await self._until(lambda: not self.talking)

    async def end(self, word: str, reason: str) -> None:
        """End the conversation with a control word, while it is the driver's turn."""
        if self.talking:
            await self._send(UserControl(word=word, reason=reason))
            await self._until(lambda: not self.talking)

    async def _until(self, so_far: Callable[[], bool]) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: so_far() or self.gone)

    async def listen(self) -> None:
        """Read until the gateway closes; runs as a task of its own."""
        async for frame in self._peer.frames():
            await self._take(frame.body)
        self.gone = True
        await self._take(GATEWAY_CLOSED)

    async def _send(self, body: Body) -> None:
        """If the gateway is gone, `listen` notices it."""
        with suppress(ConnectionClosed):
            await self._peer.send(body)

    async def _take(self, body: Body) -> None:
        match body:
            case SessionOpened():
                self._opening, self.talking = False, True
            case SessionClose():
                self._opening = self.talking = False
            case ErrorFrame(code="unknown_session"):
                self._opening = False
        self._received.put_nowait(body)
        async with self._changed:
            self._changed.notify_all()

    async def _next(self, *awaited: type[Body]) -> Body:
        while not (self.gone and self._received.empty()):
            body = await self._received.get()
            if isinstance(body, awaited):
                return body
            # A line said after the end of the session: its end is already in the queue.
            if isinstance(body, ErrorFrame) and body.code != "no_session":
                raise DriverRefused(f"{body.code}: {body.message}")
        return GATEWAY_CLOSED


@asynccontextmanager
async def free_driver(url: str, token: str) -> AsyncIterator[FreeDriver]:
    """Connect a driver to a gateway for as long as the block runs."""
    async with user_peer(url, token) as peer, asyncio.TaskGroup() as tasks:
        driver = FreeDriver(peer)
        listening = tasks.create_task(driver.listen(), name="driver listens")
        yield driver
        listening.cancel()
