"""A driver at the gateway's `/user` socket: speaks, listens, decides."""

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Protocol

from assistant_gateway.peer import Peer, user_peer
from assistant_gateway.protocol import (
    AgentNoReply,
    AgentSpeechEnd,
    ErrorFrame,
    SessionClose,
    SessionOpen,
    SessionOpened,
    UserControl,
    UserSpeechStart,
)
from user_sim.scripted import Decision

REACTION_MS = 400
SCRIPT_BROKEN = "SCRIPT_BROKEN"
UNAVAILABLE = "DRIVER_UNAVAILABLE"


class Driver(Protocol):
    """Who sits behind the wheel; hears only what is spoken.

    A driver that has to think may answer with an awaitable. Each method may raise `DriverGaveUp`.
    """

    def opening(self) -> str | Awaitable[str]: ...

    def after_turn(self, heard: str) -> Decision | Awaitable[Decision]: ...

    def after_silence(self) -> Decision | Awaitable[Decision]: ...


class DriverGaveUp(Exception):
    """The driver cannot go on; none of it is the agent's doing.

    `word` is `SCRIPT_BROKEN` if the driver did what no script allows, or `UNAVAILABLE` if it could
    not be asked.
    """

    def __init__(self, word: str, why: str) -> None:
        super().__init__(why)
        self.word = word


class DriverRefused(Exception):
    """The gateway did not accept something this driver did; the text says what."""


class DriverSeat:
    """One socket, one session after the other."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._frames = peer.frames()
        self._utterances = 0

    async def drive(self, sid: str, driver: Driver) -> str:
        """Play one whole session; returns why it was closed."""
        self._peer.sid, self._utterances = sid, 0
        await self._peer.send(SessionOpen(scenario_id=sid))
        async for frame in self._frames:
            match frame.body:
                case SessionOpened():
                    self._peer.lockstep = frame.body.lockstep
                    await self._open(driver)
                case AgentSpeechEnd():
                    await self._act(driver, frame.body.heard_text)
                case AgentNoReply():
                    await self._act(driver, None)
                case SessionClose():
                    return frame.body.reason
                case ErrorFrame():
                    raise DriverRefused(f"{frame.body.code}: {frame.body.message}")
        return "gateway_closed"

    async def _open(self, driver: Driver) -> None:
        try:
            said = driver.opening()
            opening = said if isinstance(said, str) else await said
        except DriverGaveUp as error:
            await self._peer.send(UserControl(word=error.word, reason=str(error)))
            return
        await self._say(opening)

    async def _act(self, driver: Driver, heard: str | None) -> None:
        """Let the driver decide after a turn, or after silence if nothing came."""
        try:
            made = driver.after_silence() if heard is None else driver.after_turn(heard)
            decision = made if isinstance(made, Decision) else await made
        except DriverGaveUp as error:
            decision = Decision(error.word, None, str(error))
        await self._peer.send(UserControl(word=decision.word, reason=decision.reason))
        if decision.say is not None:
            await self._say(decision.say, after_ms=REACTION_MS)

    async def _say(self, text: str, after_ms: int = 0) -> None:
        self._utterances += 1
        speech = UserSpeechStart(
            utt=f"u{self._utterances}", planned_words=tuple(text.split()), after_ms=after_ms
        )
        await self._peer.send(speech)


@asynccontextmanager
async def driver_seat(url: str, token: str) -> AsyncIterator[DriverSeat]:
    async with user_peer(url, token) as peer:
        yield DriverSeat(peer)
