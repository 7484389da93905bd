"""Interjections that the driver has planned, until their time is known."""

from assistant_gateway.conversation.effects import Interjects
from assistant_gateway.conversation.turn import Turn
from assistant_gateway.protocol import UserInterject
from assistant_gateway.timing.timeline import MS, Timeline


class Interjections:
    """Plans of the driver for the agent's next turn."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._waiting: list[UserInterject] = []

    def add(self, planned: UserInterject) -> None:
        self._waiting.append(planned)

    def clear(self) -> None:
        """The turn they were meant for is over."""
        self._waiting.clear()

    def plan(self, turn: Turn) -> None:
        """Put those on the timeline whose time is known by now."""
        for planned in list(self._waiting):
            due_ns = _due_ns(planned, turn)
            if due_ns is not None:
                self._waiting.remove(planned)
                silent = planned.after_silence_ms is not None
                event = Interjects(
                    planned.utt, planned.planned_words, turn.number, silent, planned.zone
                )
                self._timeline.at(due_ns, event)


def _due_ns(planned: UserInterject, turn: Turn) -> int | None:
    if planned.after_silence_ms is not None:
        return turn.speech_end_ns + planned.after_silence_ms * MS
    return turn.playout.heard_ns(planned.after_words) if planned.after_words is not None else None
