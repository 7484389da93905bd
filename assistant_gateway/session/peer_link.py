"""The gateway's end of one WebSocket: numbers and stamps what it sends, reads what comes."""

import asyncio
from contextlib import suppress
from typing import Literal

from websockets.exceptions import ConnectionClosed

from assistant_gateway.net.stamped_socket import StampedSocket
from assistant_gateway.protocol import BadFrame, Body, ErrorFrame, Frame, decode
from assistant_gateway.session.arrivals import Arrival, Gone, Inbox, Unusable
from assistant_gateway.timing.timeline import wall_ns

Role = Literal["agent", "user"]


class PeerStalled(Exception):
    """The peer does not read what is sent to it."""


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
        self._own_inbox = Inbox(64)
        self._inbox = self._own_inbox
        self._sid: str | None = None

    def attach(self, sid: str, inbox: Inbox) -> None:
        self._sid, self._inbox = sid, inbox

    def detach(self) -> None:
        self._sid, self._inbox = None, self._own_inbox

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
            async with asyncio.timeout(timeout_s):
                await self._socket.send(frame.encode())
        except ConnectionClosed:
            self.gone.set()
        except TimeoutError as error:
            await self._give_up()
            raise PeerStalled(f"the {self.role} has not read for {timeout_s:g} s") from error
        return frame

    async def _give_up(self) -> None:
        """Close with 1013, "try again later"; abort a peer that does not take the close frame."""
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                await self._socket.close(1013, "this peer does not read")
        self._socket.transport.abort()

    async def next(self) -> Arrival:
        """What arrives next outside a session."""
        return await self._own_inbox.get()

    async def read(self) -> None:
        """Read until the peer is gone; never returns before, never waits for more than an inbox."""
        try:
            async for raw in self._socket:
                mono_ns = self._socket.arrived_ns()
                try:
                    frame = decode(raw, self._known)
                    self._check_order(frame)
                except BadFrame as error:
                    await self._report_unusable(error, mono_ns)
                    continue
                if self._is_late(frame):
                    continue
                await self._inbox.put(Arrival(self.role, frame, mono_ns, frame.seq))
        except (ConnectionClosed, PeerStalled):
            pass
        finally:
            self.gone.set()
        if self._sid is not None or self.role == "user":
            await self._inbox.put(Arrival(self.role, Gone(), wall_ns()))

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
