"""Which span of the agent's own trace a command belongs to: W3C Trace Context from its frames."""

from assistant_gateway.conversation.effects import OpenCall
from assistant_gateway.protocol import Frame, SessionReady, ToolCall


class TraceContext:
    """`traceparent` of the session, the turn and single calls; of several the narrowest counts."""

    def __init__(self) -> None:
        self._session: str | None = None
        self._turn: str | None = None
        self._calls: dict[str, str] = {}

    def new_turn(self) -> None:
        self._turn = None

    def take(self, frame: Frame) -> None:
        """Keep what a frame of the agent says."""
        given = frame.traceparent
        if given is None:
            return
        match frame.body:
            case SessionReady():
                self._session = given
            case ToolCall() if frame.cid:
                self._calls[frame.cid] = given
            case _:
                self._turn = given

    def of(self, call: OpenCall) -> str | None:
        """Where a call belongs; None if the agent has said nothing."""
        return self._calls.pop(call.cid, None) or self._turn or self._session
