"""What happened to a car without a command: a knob that was turned, by a hand or by the road."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Happened:
    """One event: `changes` are pairs of VSS path and value, `state` the whole state if it changed.

    `revision` counts only changes of the state. Without a `kind` nobody would call it an event: the
    car has moved on, and its instruments show something else.
    """

    at_ns: int
    kind: str | None
    revision: int
    detail: dict[str, Any] = field(default_factory=dict)
    changes: tuple[tuple[str, Any], ...] = ()
    state: dict[str, Any] | None = None
