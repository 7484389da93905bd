"""What happened to a car without a command: a knob was turned, or something on the road."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """One event: `changes` are pairs of VSS path and value, `state` the whole state if it changed.

    `revision` counts only changes of the state. Without a `kind` it is not published as an event:
    the car has moved on, and only its signals changed.
    """

    at_ns: int
    kind: str | None
    detail: dict[str, Any] = field(default_factory=dict)
    revision: int = 0
    changes: tuple[tuple[str, Any], ...] = ()
    state: dict[str, Any] | None = None
