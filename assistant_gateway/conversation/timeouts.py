"""How long the agent and the car are waited for: a word, the end of a turn, the reply to a call."""

from typing import Literal

from assistant_gateway.conversation.effects import CallOverdue, HardLimit, NoReply, OpenCall
from assistant_gateway.conversation.turn import Turn
from assistant_gateway.timing.timeline import SECOND, Due, Timeline

OnHardLimit = Literal["record", "nudge", "end"]


class Timeouts:
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

    def await_reply(self, call: OpenCall, until_ns: int) -> None:
        """The car has been sent a call, and is given up when it has not replied by then."""
        call.deadline = self._timeline.at(until_ns, CallOverdue(call))

    def replied(self, call: OpenCall) -> None:
        """The call is over: answered, or given up."""
        self._cancel(call.deadline)

    def end(self) -> None:
        """Cancel the limits for silence and for the length of the turn."""
        self._cancel(self._silence)
        self._cancel(self._too_long)

    def _cancel(self, due: Due | None) -> None:
        if due is not None:
            due.cancelled = True
