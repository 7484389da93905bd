"""What a unit of a stored run consists of: turns, calls of tools, and latencies. All frozen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assistant_gateway.timing.timeline import MS


@dataclass(frozen=True, slots=True)
class Span:
    """One latency of a turn.

    `ns` is null if its end never came. `mark` says how it kept its limits: `ok`, `soft`, `hard`,
    `missing`, or `n/a` where it has none.
    """

    name: str
    ns: int | None
    mark: str

    @property
    def ms(self) -> float | None:
        return None if self.ns is None else self.ns / MS


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A call of a tool and what the car answered; times in ns since the session began.

    `status` is SUCCESS, FAILURE or REMOVED, and null without an answer; `error` names the problem
    of a failure. `fault` is the kind of an injected fault that hit the call. `traceparent` is the
    span of the agent's own trace that it belongs to.
    """

    call_id: str
    tool: str
    arguments: Mapping[str, Any]
    turn: int | None
    asked_ns: int
    answered_ns: int | None
    status: str | None
    output: str
    error: str | None
    changed: bool
    fault: str | None
    traceparent: str | None

    @property
    def succeeded(self) -> bool:
        return self.status == "SUCCESS"

    @property
    def took_ms(self) -> float | None:
        """From the command to the answer of the car."""
        return None if self.answered_ns is None else (self.answered_ns - self.asked_ns) / MS


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """What the driver said, and all that the agent did and said about it.

    Times in ns since the session began: `asked_ns` is the true end of the driver's speech,
    `ended_ns` when the driver had the floor again; both null if no record was kept. `driver` is
    what he said, `agent` what he heard. `too_late` says that a hard limit was missed, `slow` a soft
    one; `score` is 1 down to 0, null if nothing was judged. Where the bench itself was late or a
    fault delayed the car, the latencies of the turn do not count: then `counts` is false.
    """

    number: int
    turn_class: str
    driver: str
    agent: str
    asked_ns: int | None
    ended_ns: int | None
    spans: tuple[Span, ...]
    calls: tuple[StoredCall, ...]
    too_late: bool
    slow: bool
    score: float | None
    counts: bool

    def span(self, name: str) -> Span | None:
        """The latency of this name, such as `upl`; null if it was not measured."""
        return next((span for span in self.spans if span.name == name), None)
