"""A WebSocket that may be used, in vain, after its connection is lost.

The library aborts the transport again whenever somebody sends; a transport of asyncio that had to
write something before it closed has then no loop any more, and breaks.
"""

import asyncio

from websockets.asyncio.connection import Connection


class LostTransport(asyncio.Transport):
    """Takes the place of a transport that is closed: nothing is left to close or abort."""

    def abort(self) -> None:
        """Nothing happens."""

    def close(self) -> None:
        """Nothing happens."""

    def is_closing(self) -> bool:
        return True


class OutlivesTransport(Connection):
    """A WebSocket whose transport can always be aborted."""

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.transport = LostTransport()
