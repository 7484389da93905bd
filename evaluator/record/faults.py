"""Faults that struck, as the bus told them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from vehicle_bus.car.fault import KINDS
from vehicle_bus.contract import CarEvent

HELD_UP = frozenset({"delay", "loss", "lost_command", "offline"})
HARMLESS = frozenset({"delay", "duplicate", "reorder"})  # the answer came, whole and right


@dataclass(frozen=True, slots=True)
class FaultSeen:
    """One fault of a call, or of the car as such; `t_ns` after the session began.

    `status` and the revisions are what a call came to that nobody heard an answer to; null if the
    car never heard of it.
    """

    id: str
    kind: str
    t_ns: int
    n: int
    call_id: str | None = None
    tool: str | None = None
    answered: bool = True
    delay_ms: int = 0
    status: str | None = None
    revision_before: int | None = None
    revision_after: int | None = None

    @property
    def unheard(self) -> bool:
        """Whether the car changed, and whoever made it was not told."""
        before, after = self.revision_before, self.revision_after
        return not self.answered and before is not None and after is not None and after > before


def struck(events: Iterable[CarEvent]) -> Iterator[FaultSeen]:
    """What `event/fault` told; what cannot be one is passed over."""
    for event in events:
        told = event.detail
        if not isinstance(told.get("id"), str) or told.get("kind") not in KINDS:
            continue
        yield FaultSeen(
            id=told["id"],
            kind=told["kind"],
            t_ns=event.t_ns,
            n=event.n,
            call_id=_text(told.get("call_id")),
            tool=_text(told.get("tool")),
            answered=told.get("answered") is not False,
            delay_ms=_number(told.get("delay_ms")) or 0,
            status=_text(told.get("status")),
            revision_before=_number(told.get("revision_before")),
            revision_after=_number(told.get("revision_after")),
        )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
