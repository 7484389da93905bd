"""Injected faults as the bus reported them."""

from collections.abc import Iterable, Iterator

from pydantic import BaseModel, ConfigDict, ValidationError

from vehicle_bus.car.fault import FaultKind
from vehicle_bus.contract import CarEvent

HELD_UP = frozenset({"delay", "loss", "lost_command", "offline"})
HARMLESS = frozenset({"delay", "duplicate", "reorder"})  # the answer came, whole and right


class FaultSeen(BaseModel):
    """One fault of a call, or of the car as such; `t_ns` after the session began.

    `status` and the revisions are the outcome of a call whose reply was lost; null if the command
    never reached the car.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    kind: FaultKind
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
        """Whether the car changed and the reply that says so was lost."""
        before, after = self.revision_before, self.revision_after
        return not self.answered and before is not None and after is not None and after > before


def faults_seen(events: Iterable[CarEvent]) -> Iterator[FaultSeen]:
    """Decode `event/fault`; other events are left out."""
    for event in events:
        try:
            yield FaultSeen.model_validate({**event.detail, "t_ns": event.t_ns, "n": event.n})
        except ValidationError:
            continue
