"""The agent's tool calls: one at a time, in listed order."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from assistant_gateway.timing.timeline import Due


@dataclass(slots=True)
class OpenCall:
    """A tool call of the agent; `call_id` is ours, `cid` the agent's."""

    call_id: str
    cid: str
    tool: str
    arguments: dict[str, Any]
    turn: int
    deadline: Due | None = None


@dataclass(slots=True)
class CallQueue:
    """Which call the car is working on, and which are still to come."""

    running: OpenCall | None = None
    _waiting: deque[OpenCall] = field(default_factory=deque)
    _numbered: int = 0

    def numbered(self, cid: str, tool: str, arguments: dict[str, Any], turn: int) -> OpenCall:
        """A new call with the next id of ours."""
        self._numbered += 1
        return OpenCall(f"c{self._numbered}", cid, tool, arguments, turn)

    def add(self, call: OpenCall) -> None:
        self._waiting.append(call)

    def next(self) -> OpenCall | None:
        """The call to run now; None while another one runs or nothing waits."""
        if self.running is not None or not self._waiting:
            return None
        self.running = self._waiting.popleft()
        return self.running

    def any_of(self, turn: int) -> bool:
        """Whether a call of this turn is not answered yet."""
        running = () if self.running is None else (self.running,)
        return any(call.turn == turn for call in (*running, *self._waiting))

    def close(self, call: OpenCall) -> None:
        """The running call has been answered or given up."""
        if call.deadline is not None:
            call.deadline.cancelled = True
        self.running = None

    def drop_waiting(self) -> list[OpenCall]:
        """Forget what has not begun."""
        dropped = list(self._waiting)
        self._waiting.clear()
        return dropped
