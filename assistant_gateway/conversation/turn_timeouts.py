"""How long anybody waits for the agent: for a word, for its turn to end, for a first sound."""

from typing import Literal

from assistant_gateway.conversation.effects import HardLimit, Silence, TooLong
from assistant_gateway.conversation.turn import Turn
from assistant_gateway.timing.timeline import SECOND, Due, Timeline

OnHardLimit = Literal["record", "nudge", "end"]


class TurnTimeouts:
    """Plans the moments at which waiting is over, and takes them back."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._silence: Due | None = None
        self._too_long: Due | None = None

    def begin(self, turn: Turn, longest_ns: int, on_hard_limit: OnHardLimit) -> None:
        """The agent was asked: from the driver's last word on somebody waits."""
        since_ns = turn.speech_end_ns
        self.await_words(turn, since_ns)
        self._too_long = self._timeline.at(since_ns + longest_ns, TooLong())
        if on_hard_limit != "record":
            hard_s = turn.budgets.of(turn.turn_class).first_speech.hard_s
            self._timeline.at(since_ns + round(hard_s * SECOND), HardLimit(turn.number))

    def await_words(self, turn: Turn, since_ns: int) -> None:
        """The agent owes a word since then; as long as it is audible nobody waits for one."""
        self._strike(self._silence)
        silent_from_ns = max(since_ns, turn.playout.end_ns or 0)
        due_ns = silent_from_ns + turn.budgets.no_reply_ns(turn.turn_class)
        self._silence = self._timeline.at(due_ns, Silence())

    def end(self) -> None:
        """Neither silence nor length of the agent's turn matters any more."""
        self._strike(self._silence)
        self._strike(self._too_long)

    def _strike(self, due: Due | None) -> None:
        if due is not None:
            due.cancelled = True
