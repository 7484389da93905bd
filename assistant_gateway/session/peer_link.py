"""The gateway's end of one WebSocket: numbers and stamps what it sends, reads what comes."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from websockets.exceptions import ConnectionClosed
from websockets.frames import CLOSE_CODE_EXPLANATIONS, Close, CloseCode

from assistant_gateway.net.stamped_socket import StampedSocket
from assistant_gateway.protocol import (
    FROM_PEER_LIMIT,
    BadFrame,
    Body,
    ErrorFrame,
    Frame,
    ResponseAudioDelta,
    decode,
)
from assistant_gateway.session.arrivals import Arrival, Gone, Inbox, Unusable
from assistant_gateway.timing.timeline import wall_ns

Role = Literal["agent", "user"]
Prepare = Callable[[Body], Awaitable[None]]

MOST_FRAMES = 50_000  # in one session, a hundred times as many as the longest ones have
MOST_UNUSABLE = 2_000
MOST_CHARACTERS = 32 << 20
MOST_AUDIO_FRAMES = 200_000  # more than an hour of 20 ms each
MOST_AUDIO_CHARACTERS = 512 << 20
ORDERLY = (CloseCode.NORMAL_CLOSURE, CloseCode.GOING_AWAY, CloseCode.NO_STATUS_RCVD)
BREACHES = {
    1002: "it broke the WebSocket protocol",
    1007: "it sent text that is no UTF-8",
    1009: f"it sent a frame over {FROM_PEER_LIMIT >> 10} KiB",
}


def how_it_left(close: Close | None) -> str:
    """What a peer that left by itself said with its last frame, if it sent one."""
    if close is None:
        return "the connection broke off: it crashed, or the network failed"
    if close.code in ORDERLY:
        return "it closed the connection"
    meaning = CLOSE_CODE_EXPLANATIONS.get(close.code, "")
    said = " ".join([str(close.code), close.reason or meaning]).strip()
    return f"it closed the connection with an error: {said}"


class PeerStalled(Exception):
    """The peer does not read what is sent to it."""


class TooMuch(Exception):
    """The peer sends more than any conversation needs."""


@dataclass(slots=True)
class Received:
    """What came since the session began; raises `TooMuch`."""

    frames: int = 0
    unusable: int = 0
    characters: int = 0
    audio_frames: int = 0
    audio_characters: int = 0

    def frame(self, raw: str | bytes) -> None:
        self.frames += 1
        self.characters += len(raw)
        if self.frames > MOST_FRAMES:
            raise TooMuch(f"it sent more than {MOST_FRAMES} frames in one session")
        if self.characters > MOST_CHARACTERS:
            raise TooMuch(f"it sent more than {MOST_CHARACTERS >> 20} MiB in one session")

    def audio(self, raw: str | bytes) -> None:
        """The last frame had samples in it, which are counted apart."""
        self.frames -= 1
        self.characters -= len(raw)
        self.audio_frames += 1
        self.audio_characters += len(raw)
        if self.audio_frames > MOST_AUDIO_FRAMES or self.audio_characters > MOST_AUDIO_CHARACTERS:
            raise TooMuch("it sent more than an hour of sound in one session")

    def unusable_frame(self) -> None:
        self.unusable += 1
        if self.unusable > MOST_UNUSABLE:
            raise TooMuch(f"it sent more than {MOST_UNUSABLE} frames that cannot be used")


class PeerLink:
    """One peer. While `attach`ed to a session its frames go to that session's inbox."""

    def __init__(self, socket: StampedSocket, role: Role, known: dict[str, type[Body]]) -> None:
        self.role: Role = role
        self.sent_seq = 0
        self.idle_seq = 0  # in lockstep: up to which frame it has dealt with all
        self.gone = asyncio.Event()
        self._socket = socket
        self._known = known
        self._received_seq = 0
        self._received = Received()
        self._own_inbox = Inbox(64)
        self._inbox = self._own_inbox
        self._sid: str | None = None
        self._prepare: Prepare | None = None

    def attach(self, sid: str, inbox: Inbox, prepare: Prepare | None = None) -> None:
        """From now on frames go to a session; what they need is prepared before they do."""
        self._sid, self._inbox, self._prepare = sid, inbox, prepare
        self._received = Received()

    def detach(self) -> None:
        self._sid, self._inbox, self._prepare = None, self._own_inbox, None

    async def send(
        self,
        body: Body,
        *,
        turn: int | None = None,
        rid: str | None = None,
        cid: str | None = None,
        timeout_s: float = 5.0,
    ) -> Frame:
        """Send one frame; a peer that is gone is noticed by its reader, not here.

        Raises `PeerStalled` when the peer has not read for `timeout_s`; it is then closed (1013).
        """
        self.sent_seq += 1
        frame = Frame(body, self._sid or "", self.sent_seq, turn, rid, cid, wall_ns())
        try:
            await self._socket.send_text(frame.encode(), timeout_s)
        except ConnectionClosed:
            self.gone.set()
        except TimeoutError as error:
            await self._give_up(1013, "this peer does not read")
            raise PeerStalled(f"the {self.role} has not read for {timeout_s:g} s") from error
        return frame

    async def _give_up(self, code: int, why: str) -> None:
        """Close; abort a peer that does not take the close frame."""
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                await self._socket.close(code, why)
        self._socket.transport.abort()

    async def next(self) -> Arrival:
        """What arrives next outside a session."""
        return await self._own_inbox.get()

    async def read(self) -> None:
        """Read until the peer is gone; never returns before, never waits for more than an inbox."""
        breach = ""
        try:
            async for raw in self._socket:
                self._received.frame(raw)
                mono_ns = self._socket.arrived_ns()
                try:
                    frame = decode(raw, self._known)
                    self._check_order(frame)
                except BadFrame as error:
                    self._received.unusable_frame()
                    await self._report_unusable(error, mono_ns)
                    continue
                if isinstance(frame.body, ResponseAudioDelta):
                    self._received.audio(raw)
                if self._is_late(frame):
                    continue
                if self._prepare is not None:
                    await self._prepare(frame.body)
                await self._inbox.put(Arrival(self.role, frame, mono_ns, frame.seq))
        except ConnectionClosed:
            breach = self._broken_rule()
        except TooMuch as error:
            breach = str(error)
            await self._give_up(1008, breach)
        except PeerStalled:
            pass
        finally:
            self.gone.set()
        if self._sid is not None or self.role == "user":
            gone = Gone(breach, how_it_left(self._socket.protocol.close_rcvd))
            await self._inbox.put(Arrival(self.role, gone, wall_ns()))

    def _broken_rule(self) -> str:
        """What the peer did that made us close the connection; nothing if it closed by itself."""
        sent, received = self._socket.protocol.close_sent, self._socket.protocol.close_rcvd
        if sent is None or (received is not None and self._socket.protocol.close_rcvd_then_sent):
            return ""
        return BREACHES.get(sent.code, "")

    async def _report_unusable(self, error: BadFrame, mono_ns: int) -> None:
        """In a session the error goes through its record, else straight back."""
        if self._sid is None:
            await self.send(ErrorFrame(code=error.code, message=error.expected))
        else:
            unusable = Unusable(error.code, error.expected)
            await self._inbox.put(Arrival(self.role, unusable, mono_ns))

    def _is_late(self, frame: Frame) -> bool:
        """Whether it belongs to an earlier session; outside a session all frames of an agent do."""
        if self._sid is None:
            return self.role == "agent"
        return frame.sid not in ("", self._sid)

    def _check_order(self, frame: Frame) -> None:
        """`seq` is optional; a peer that numbers its frames must not lose one."""
        if frame.seq and self._received_seq and frame.seq != self._received_seq + 1:
            expected, self._received_seq = self._received_seq + 1, frame.seq
            raise BadFrame("seq_gap", f"expected seq {expected}, got {frame.seq}")
        if frame.seq:
            self._received_seq = frame.seq
