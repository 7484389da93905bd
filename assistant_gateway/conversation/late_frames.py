"""Frames that arrive after their turn was cut, found by their `rid` or `turn`: pure."""

from assistant_gateway.protocol import Frame, ResponseDone


class LateFrames:
    """Knows which frames belong to turns that are over: they do not count for a later turn.

    Without a `rid` only the next question to the agent tells an old message from a new one.
    """

    def __init__(self) -> None:
        self.lasts = False  # the agent was cut and has not been asked anew
        self._cut_ns: dict[int | None, int] = {}  # by turn
        self._last_cut_ns = 0
        self._messages: dict[str | None, int] = {}

    def cut(self, turn: int, at_ns: int) -> None:
        """A turn was cut: until the agent is asked anew, all it sends belongs to that one."""
        self.lasts = True
        self._cut_ns[turn] = self._last_cut_ns = at_ns

    def asked_anew(self) -> None:
        self.lasts = False
        self._messages.pop(None, None)

    def add(self, rid: str | None) -> None:
        """This message belongs to the turn that was cut last."""
        self._messages[rid] = self._last_cut_ns

    def since_ns(self, frame: Frame, turn: int) -> int | None:
        """When the turn of this frame was cut; None if it was not, or is the present `turn`.

        `response.done` ends a late message too: from then on its `rid` names another one.
        """
        if isinstance(frame.body, ResponseDone):
            cut_ns = self._messages.pop(frame.rid, None)
        else:
            cut_ns = self._messages.get(frame.rid)
        if cut_ns is None and names_older(frame, turn):
            return self._cut_ns.get(frame.turn)
        return cut_ns


def names_older(frame: Frame, turn: int) -> bool:
    """Whether the frame says that it belongs to a turn before this one."""
    return frame.turn is not None and frame.turn < turn
