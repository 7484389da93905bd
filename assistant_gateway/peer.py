"""The other end of a gateway socket: what an agent or a driver needs to take part."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from assistant_gateway.lost_transport import OutlivesTransport
from assistant_gateway.protocol import (
    AGENT_PROTOCOL,
    TO_AGENT,
    TO_PEER_LIMIT,
    TO_USER,
    USER_PROTOCOL,
    Body,
    Frame,
    Idle,
    decode,
)
from assistant_gateway.quick_writes import QuickWrites
from assistant_gateway.timing.timeline import wall_ns
from vehicle_bus.mqtt.exact_reads import ExactReads


class PeerSocket(ExactReads, OutlivesTransport, QuickWrites, ClientConnection):
    """A WebSocket that may be read for hours without the heap growing."""


class Peer:
    """Numbers and stamps what it sends; in lockstep says when it is idle."""

    def __init__(self, socket: PeerSocket, known: dict[str, type[Body]]) -> None:
        self._socket = socket
        self._known = known
        self._seq = 0
        self.sid = ""
        self.lockstep = False

    async def frames(self) -> AsyncIterator[Frame]:
        """Frames until the gateway closes; in lockstep each is answered by `idle` once handled."""
        try:
            async for raw in self._socket:
                frame = decode(raw, self._known)
                yield frame
                if self.lockstep:
                    await self.send(Idle(upto_seq=frame.seq))
        except ConnectionClosed:
            return

    async def send(
        self,
        body: Body,
        *,
        turn: int | None = None,
        rid: str | None = None,
        cid: str | None = None,
        due_ns: int | None = None,
    ) -> None:
        self._seq += 1
        frame = Frame(body, self.sid, self._seq, turn, rid, cid, wall_ns(), due_ns)
        await self._socket.send_text(frame.encode())


@asynccontextmanager
async def agent_peer(url: str, token: str) -> AsyncIterator[Peer]:
    """Connect to `URL/agent`; `OSError` or `InvalidStatus` when refused."""
    async with agent_socket(url, token) as socket:
        assert isinstance(socket, PeerSocket)
        yield Peer(socket, TO_AGENT)


@asynccontextmanager
async def user_peer(url: str, token: str) -> AsyncIterator[Peer]:
    """Connect to `URL/user`; `OSError` or `InvalidStatus` when refused."""
    async with _open(f"{url}/user", token, USER_PROTOCOL) as socket:
        assert isinstance(socket, PeerSocket)
        yield Peer(socket, TO_USER)


def agent_socket(url: str, token: str) -> connect:
    """A connection to `URL/agent`, for who reads and writes frames as they are."""
    return _open(f"{url}/agent", token, AGENT_PROTOCOL)


def _open(url: str, token: str, subprotocol: str) -> connect:
    return connect(
        url,
        additional_headers={"Authorization": f"Bearer {token}"},
        subprotocols=[Subprotocol(subprotocol)],
        compression=None,
        max_size=TO_PEER_LIMIT,
        proxy=None,
        create_connection=PeerSocket,
    )
