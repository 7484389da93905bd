"""Reading a socket without leaving holes in memory.

asyncio asks for 256 KiB before every read and gives back what was not filled, so each read that is
kept for a while spoils a place where the next one would have fitted. The heap grows with the number
of reads, for ever, though no more is held than at first.
"""

import asyncio
import threading

READ_BYTES = 256 << 10


class _Landing(threading.local):
    """Where bytes arrive: one place for all connections of a loop, and one loop in a thread."""

    def __init__(self) -> None:
        self.view = memoryview(bytearray(READ_BYTES))


_landing = _Landing()


class ExactReads(asyncio.Protocol, asyncio.BufferedProtocol):
    """A protocol whose `data_received` gets bytes that never were larger than they are.

    Needs a loop that reads only what is there, as every loop on Unix does; uvloop's reads are exact
    by themselves, and it goes on calling `data_received`.
    """

    def get_buffer(self, sizehint: int) -> memoryview:
        return _landing.view

    def buffer_updated(self, nbytes: int) -> None:
        self.data_received(bytes(_landing.view[:nbytes]))
