"""What still comes of a turn that was cut, known by its `rid` or the `turn` it names: pure."""

from assistant_gateway.protocol import Frame, ResponseDone


class Late:
    """Messages of turns that were cut; nothing of them counts for a later turn.

    Without a `rid` only the next question to the agent tells an old message from a new one.
    """

    def __init__(self) -> None:
        self.lasts = False  # the agent was cut and has not been asked anew
        self._cut_ns: int | None = None
        self._messages: dict[str | None, int] = {}

    def cut(self, at_ns: int) -> None:
        """A turn was cut: until the agent is asked anew, all it sends belongs to that one."""
        self.lasts, self._cut_ns = True, at_ns

    def asked_anew(self) -> None:
        self.lasts = False
        self._messages.pop(None, None)

    def add(self, rid: str | None) -> None:
        """This message belongs to the turn that was cut last."""
        self._messages[rid] = self._cut_ns or 0

    def since_ns(self, frame: Frame, turn: int) -> int | None:
        """When the turn of this frame was cut; None if it belongs to the present one.

        `response.done` ends a late message too: from then on its `rid` names another one.
        """
        if isinstance(frame.body, ResponseDone):
            cut_ns = self._messages.pop(frame.rid, None)
        else:
            cut_ns = self._messages.get(frame.rid)
        if cut_ns is None and frame.turn is not None and frame.turn < turn:
            return self._cut_ns
        return cut_ns
