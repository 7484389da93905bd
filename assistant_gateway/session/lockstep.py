"""Virtual time: who has dealt with everything it was sent, and in which order what came is due."""

from collections.abc import Iterable, Iterator

from assistant_gateway.protocol import Frame, Idle
from assistant_gateway.session.peer_link import Arrival, PeerLink
from vehicle_bus.contract import Reply

_RANK = {"broker": 0, "car": 1, "agent": 2, "user": 3}


class Lockstep:
    """Peers that answer each frame with `idle {upto_seq}`."""

    def __init__(self, links: Iterable[PeerLink]) -> None:
        self._links = tuple(links)
        self._idle_seq: dict[str, int] = {}

    def is_idle(self, arrival: Arrival) -> bool:
        """Whether a peer says no more than that it is done; it is then taken down."""
        if isinstance(arrival.item, Frame) and isinstance(arrival.item.body, Idle):
            self._idle_seq[arrival.source] = arrival.item.body.upto_seq
            return True
        return False

    @property
    def busy(self) -> list[str]:
        """Roles of the peers that have not yet dealt with all they were sent."""
        return [
            link.role for link in self._links if self._idle_seq.get(link.role, 0) < link.sent_seq
        ]


def by_due_time(arrived: Iterable[Arrival]) -> Iterator[tuple[int, Arrival]]:
    """What came while time stood still, with when it is due; never by the order of arrival."""
    for arrival in sorted(arrived, key=lambda arrival: (_RANK[arrival.source], arrival.seq)):
        yield _planned_ns(arrival.item), arrival


def said_by_agent(event: object) -> bool:
    """Whether a due event is something the agent sent ahead."""
    return isinstance(event, Arrival) and event.source == "agent"


def _planned_ns(item: object) -> int:
    """A slow agent or car plans ahead; everything else is due at once."""
    if isinstance(item, Frame):
        return item.due_ns or 0
    return item.t_ns if isinstance(item, Reply) else 0
