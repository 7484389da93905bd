"""Connects a driver to the gateway's `/user` socket."""

from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from typing import Final, Protocol

from assistant_gateway.peer import Peer, user_peer
from assistant_gateway.protocol import (
    AgentNoReply,
    AgentSpeechEnd,
    DriverFailure,
    EndReason,
    ErrorFrame,
    SessionClose,
    SessionOpen,
    SessionOpened,
    UserControl,
    UserInterject,
    UserSpeechStart,
    Zone,
)
from user_sim.script import Interjection
from user_sim.scripted import ARE_YOU_THERE, Decision
from user_sim.wants import CarCall

REACTION_MS = 400
SCRIPT_BROKEN: Final = "SCRIPT_BROKEN"
UNAVAILABLE: Final = "DRIVER_UNAVAILABLE"


class Driver(Protocol):
    """A simulated driver; it knows what was spoken and what the car did.

    A driver that has to think may answer with an awaitable. Each method may raise `DriverGaveUp`.
    """

    def opening(self) -> str | Awaitable[str]: ...

    def after_turn(
        self, heard: str, confirmed: Sequence[CarCall] = ()
    ) -> Decision | Awaitable[Decision]:
        """Decide after a turn; `confirmed` are the calls that the car carried out meanwhile."""
        ...

    def after_silence(self) -> Decision | Awaitable[Decision]: ...

    def interjections(self, turn: int) -> Sequence[Interjection]:
        """What it plans to say over the answer to its utterance number `turn`, counted from 1."""
        return ()

    def zone_of(self, text: str) -> Zone:
        """The seat from which it is said; the driver also speaks for others in the car."""
        return "driver"

    @property
    def impatient_after_s(self) -> float | None:
        """After how long a silence it asks whether anybody is there, if at all."""
        return None

    def interrupted(self, heard: str, said: str) -> None:
        """It has said `said` over the assistant, which was heard no further than `heard`."""
        return


class DriverGaveUp(Exception):
    """The driver cannot go on, and not because of the agent.

    `word` is `SCRIPT_BROKEN` if the driver did what no script allows, or `UNAVAILABLE` if it could
    not be asked.
    """

    def __init__(self, word: DriverFailure, why: str) -> None:
        super().__init__(why)
        self.word = word


class DriverRefused(Exception):
    """The gateway did not accept something this driver did; the text says what."""


class DriverConnection:
    """One socket, one session after the other."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._frames = peer.frames()
        self._utterances = 0
        self._planned: dict[str, str] = {}
        self._confirmed: list[CarCall] = []  # since the driver last decided after a turn

    async def drive(self, sid: str, driver: Driver) -> EndReason | str:
        """Play one whole session; returns why it was closed."""
        self._peer.sid, self._utterances = sid, 0
        self._confirmed.clear()
        await self._peer.send(SessionOpen(scenario_id=sid))
        async for frame in self._frames:
            match frame.body:
                case SessionOpened():
                    self._peer.lockstep = frame.body.lockstep
                    await self._open(driver)
                case AgentSpeechEnd(reason="interrupted", utt=str(utt)):
                    self._confirmed += _calls(frame.body)
                    driver.interrupted(frame.body.heard_text, self._planned[utt])
                    await self._plan_interjections(driver)
                case AgentSpeechEnd():
                    await self._act(driver, frame.body)
                case AgentNoReply():
                    await self._act(driver, None)
                case SessionClose():
                    return frame.body.reason
                case ErrorFrame():
                    raise DriverRefused(f"{frame.body.code}: {frame.body.message}")
        return "gateway_closed"

    async def _open(self, driver: Driver) -> None:
        try:
            made = driver.opening()
            opening = made if isinstance(made, str) else await made
        except DriverGaveUp as error:
            await self._peer.send(UserControl(word=error.word, reason=str(error)))
            return
        await self._say(driver, opening)

    async def _act(self, driver: Driver, heard: AgentSpeechEnd | None) -> None:
        """Let the driver decide after a turn, or after silence if nothing came."""
        confirmed: list[CarCall] = []
        if heard is not None:
            confirmed, self._confirmed = [*self._confirmed, *_calls(heard)], []
        try:
            made = (
                driver.after_silence()
                if heard is None
                else driver.after_turn(heard.heard_text, confirmed)
            )
            decision = made if isinstance(made, Decision) else await made
        except DriverGaveUp as error:
            decision = Decision(error.word, None, str(error))
        await self._peer.send(UserControl(word=decision.word, reason=decision.reason))
        if decision.say is not None:
            await self._say(driver, decision.say, after_ms=REACTION_MS)

    async def _say(self, driver: Driver, text: str, after_ms: int = 0) -> None:
        await self._plan_interjections(driver)
        speech = UserSpeechStart(
            utt=f"u{self._utterances}",
            planned_words=tuple(text.split()),
            after_ms=after_ms,
            zone=driver.zone_of(text),
        )
        await self._peer.send(speech)

    async def _plan_interjections(self, driver: Driver) -> None:
        """Before an utterance: what to say over the answer to it."""
        self._utterances += 1
        self._planned.clear()
        for planned in driver.interjections(self._utterances):
            zone = driver.zone_of(planned.say)
            await self._interject(planned.say, zone, after_words=planned.after_words)
        if driver.impatient_after_s is not None:
            after_ms = round(driver.impatient_after_s * 1000)
            await self._interject(ARE_YOU_THERE, "driver", after_silence_ms=after_ms)

    async def _interject(self, say: str, zone: Zone, **when: int) -> None:
        utt = f"u{self._utterances}.{len(self._planned) + 1}"
        self._planned[utt] = say
        words = tuple(say.split())
        await self._peer.send(UserInterject(utt=utt, planned_words=words, zone=zone, **when))


def _calls(heard: AgentSpeechEnd) -> list[CarCall]:
    return [(call.tool, call.arguments) for call in heard.confirmed]


@asynccontextmanager
async def connect_driver(url: str, token: str) -> AsyncIterator[DriverConnection]:
    async with user_peer(url, token) as peer:
        yield DriverConnection(peer)
