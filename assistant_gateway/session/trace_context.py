"""Which span of the agent's own trace a command belongs to: W3C Trace Context from its frames."""

from assistant_gateway.protocol import Frame, SessionReady, ToolCall
from assistant_gateway.session.logged_frame import LoggedFrame


class TraceContext:
    """`traceparent` of the session, the turn and single calls; of several the narrowest counts."""

    def __init__(self) -> None:
        self._session: str | None = None
        self._turn: str | None = None
        self._calls: dict[str, str] = {}

    def new_turn(self) -> None:
        self._turn = None
        self._calls.clear()

    def take(self, frame: Frame | LoggedFrame) -> None:
        """Keep what a frame of the agent says that is part of the conversation."""
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

    def of(self, cid: str | None) -> str | None:
        """Where the agent's call of this id belongs; None if the agent has said nothing."""
        return self._calls.pop(cid or "", None) or self._turn or self._session
