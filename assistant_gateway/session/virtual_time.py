"""A session in virtual time: time stands still while somebody is busy, then jumps to what is due.

Peers answer each frame with `idle {upto_seq}` once they have dealt with it. What arrived meanwhile
is ordered by when it is due, never by the order of arrival.
"""

import asyncio

from assistant_gateway.protocol import Frame
from assistant_gateway.session.arrivals import Arrival, Gone
from assistant_gateway.session.car_link import WATCHDOG_S
from assistant_gateway.session.result import SessionBroken
from assistant_gateway.session.session import Session
from vehicle_bus.contract import Reply

_RANK = {"broker": 0, "car": 1, "agent": 2, "user": 3}


class VirtualTimeSession(Session):
    """Everybody is waited for, then the next event on the timeline happens."""

    _deserted = False  # somebody has left: the others will not settle any more

    async def _advance(self) -> None:
        for arrival in sorted(await self._settled(), key=_rank):
            self._timeline.at(_planned_ns(arrival), arrival)
        if self._timeline.next_due_ns is None:
            raise SessionBroken(
                "virtual time cannot go on: "
                "nothing is planned, and agent, driver and car are all idle"
            )
        due = self._timeline.pop()
        self._clock.jump(due.due_ns)
        if isinstance(due.event, Arrival):
            self._handle(due.event, due.due_ns)
        else:
            self._happen(due)

    async def _settled(self) -> list[Arrival]:
        """What has arrived when peers and car have dealt with everything, or somebody has left."""
        arrived: list[Arrival] = []
        if self.inbox.empty() and not self._busy():
            return arrived
        try:
            async with asyncio.timeout(WATCHDOG_S):
                while not self._deserted and (not self.inbox.empty() or self._busy()):
                    arrival = await self.inbox.get()
                    if self._is_news(arrival):
                        arrived.append(arrival)
                    self._deserted = isinstance(arrival.item, Gone)
        except TimeoutError as error:
            waiting = " and ".join(self._busy())
            raise SessionBroken(
                f"virtual time stood still for {WATCHDOG_S:g} s: waiting for {waiting}"
            ) from error
        return arrived

    def _busy(self) -> list[str]:
        """Who has not yet dealt with all that was sent to it."""
        peers = [link.role for link in self._links.values() if link.idle_seq < link.sent_seq]
        return [*peers, *(["the car"] if self._car.owes else [])]


def _rank(arrival: Arrival) -> tuple[int, int]:
    return _RANK[arrival.source], arrival.seq


def _planned_ns(arrival: Arrival) -> int:
    """A slow agent or car plans ahead; everything else is due at once."""
    if isinstance(arrival.item, Frame):
        return arrival.item.due_ns or 0
    return arrival.item.t_ns if isinstance(arrival.item, Reply) else 0
