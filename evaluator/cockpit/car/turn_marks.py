"""When what happened in the turn under way, since the driver's last word: for a waterfall. Pure."""

from dataclasses import dataclass, field

from assistant_gateway.protocol import (
    InputTranscriptFinal,
    ResponseTextDelta,
    ToolCall,
    ToolResult,
)
from assistant_gateway.session.logged_frame import LoggedFrame
from assistant_gateway.timing.timeline import MS
from vehicle_bus.car.tool import is_failure
from vehicle_bus.contract import TurnFinished

SPAN_OF_MARK = {"transcript": "eou_delay", "first_sound": "upl", "effect": "effect_latency"}


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment of a turn, such as its first sound."""

    name: str
    at_ms: float


@dataclass(slots=True)
class CallSpan:
    """A call of a turn, from when it was sent: after the reply to the one before.

    Unanswered until `to_ms` is known.
    """

    tool: str
    from_ms: float
    to_ms: float | None = None
    ok: bool = False


@dataclass(slots=True)
class TurnMarks:
    """Collects frames of one turn after the other."""

    _speech_end_ns: int = 0
    _first_token_ms: float | None = None
    _calls: dict[str, CallSpan] = field(default_factory=dict)

    def take(self, frame: LoggedFrame) -> None:
        match frame.body:
            case InputTranscriptFinal(user_speech_end_ns=end_ns):
                self._speech_end_ns, self._first_token_ms, self._calls = end_ns, None, {}
            case ResponseTextDelta(delta=delta) if delta.strip() and self._first_token_ms is None:
                self._first_token_ms = self._since(frame.t_ns)
            case ToolCall(name=name):
                self._calls[str(frame.cid)] = CallSpan(name, self._since(frame.t_ns))
            case ToolResult(output=output, error=error) if call := self._calls.get(str(frame.cid)):
                call.from_ms = max([call.from_ms, *(c.to_ms for c in self.calls() if c.to_ms)])
                call.to_ms = self._since(frame.t_ns)
                call.ok = not error and not is_failure(output)

    def calls(self) -> tuple[CallSpan, ...]:
        return tuple(self._calls.values())

    def marks(self, turn: TurnFinished) -> tuple[Mark, ...]:
        """Those of a finished turn, in the order in which they happened."""
        at_ms = {name: _ms(turn.spans.get(span)) for name, span in SPAN_OF_MARK.items()}
        at_ms["first_token"] = self._first_token_ms
        end_ms = _ms(turn.spans.get("turnaround"))
        at_ms["end"] = self._since(turn.t_ns) if end_ms is None else end_ms
        marks = [Mark(name, ms) for name, ms in at_ms.items() if ms is not None]
        return tuple(sorted(marks, key=lambda mark: mark.at_ms))

    def _since(self, t_ns: int) -> float:
        return (t_ns - self._speech_end_ns) / MS


def _ms(span_ns: int | None) -> float | None:
    return None if span_ns is None else span_ns / MS
