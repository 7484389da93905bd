"""How long the agent is waited for: for a word, for the end of its turn, for a first sound."""

from typing import Literal

from assistant_gateway.conversation.effects import HardLimit, NoReply
from assistant_gateway.conversation.turn import Turn
from assistant_gateway.timing.timeline import SECOND, Due, Timeline

OnHardLimit = Literal["record", "nudge", "end"]


class TurnTimeouts:
    """Plans the ends of waiting on the timeline, and cancels them."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._silence: Due | None = None
        self._too_long: Due | None = None

    def begin(self, turn: Turn, longest_ns: int, on_hard_limit: OnHardLimit) -> None:
        """The agent was asked; it is waited for since the driver's last word."""
        since_ns = turn.speech_end_ns
        self.await_words(turn, since_ns)
        self._too_long = self._timeline.at(since_ns + longest_ns, NoReply())
        if on_hard_limit != "record":
            hard_s = turn.budgets.of(turn.turn_class).first_speech.hard_s
            self._timeline.at(since_ns + round(hard_s * SECOND), HardLimit(turn.number))

    def await_words(self, turn: Turn, since_ns: int) -> None:
        """Wait for a word since then, or since the agent stopped being audible if that is later."""
        self._cancel(self._silence)
        silent_from_ns = max(since_ns, turn.playout.end_ns or 0)
        due_ns = silent_from_ns + turn.budgets.no_reply_ns(turn.turn_class)
        self._silence = self._timeline.at(due_ns, NoReply())

    def end(self) -> None:
        """Cancel the limits for silence and for the length of the turn."""
        self._cancel(self._silence)
        self._cancel(self._too_long)

    def _cancel(self, due: Due | None) -> None:
        if due is not None:
            due.cancelled = True
