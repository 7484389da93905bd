"""What goes wrong between a car and those who ask it, told beforehand. Pure.

These are the three faults a car can have at its door; all else comes with the fault catalogue.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Refuse:
    """The car does nothing and says why."""

    reason: str = "the car cannot do that right now"
    fault_id: str = "refused"


@dataclass(frozen=True, slots=True)
class LoseReply:
    """The car does as it is told, and nobody hears its answer."""

    fault_id: str = "reply_lost"


@dataclass(frozen=True, slots=True)
class DelayReply:
    """The car does as it is told, and its answer comes late."""

    delay_ms: int
    fault_id: str = "reply_delayed"


Fault = Refuse | LoseReply | DelayReply


@dataclass(slots=True)
class Faults:
    """The faults of one car, by tool: the next `times` calls, or all of them."""

    _planned: dict[str, tuple[Fault, int | None]] = field(default_factory=dict)

    def plan(self, tool: str, fault: Fault, times: int | None = None) -> None:
        """From now on; a newer fault of a tool replaces an older one."""
        self._planned[tool] = fault, times

    def clear(self) -> None:
        """The car is sound again."""
        self._planned.clear()

    def next(self, tool: str) -> Fault | None:
        """What happens to the call of a tool that arrives now."""
        fault, left = self._planned.get(tool, (None, None))
        if left is not None:
            if left <= 1:
                self._planned.pop(tool)
            else:
                assert fault is not None
                self._planned[tool] = fault, left - 1
        return fault
