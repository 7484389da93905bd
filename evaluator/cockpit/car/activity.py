"""What driver and assistant are doing: idle, listening, thinking or speaking. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from assistant_gateway.protocol import (
    AgentNoReply,
    AgentSpeechEnd,
    AgentSpeechStart,
    Body,
    InputTranscriptFinal,
    Interrupt,
    ResponseTextDelta,
    SessionClose,
    ToolCall,
    UserSpeechEnd,
    UserSpeechStart,
)

Who = Literal["driver", "assistant"]
Doing = Literal["idle", "listening", "thinking", "speaking"]
# What each of both does after a frame. Speech over the assistant is an interruption only later.
AFTER: dict[type[Body], dict[Who, Doing]] = {
    UserSpeechStart: {"driver": "speaking"},
    UserSpeechEnd: {"driver": "idle"},
    InputTranscriptFinal: {"driver": "listening", "assistant": "thinking"},
    AgentSpeechStart: {"assistant": "speaking"},
    Interrupt: {"driver": "speaking", "assistant": "listening"},
    AgentSpeechEnd: {"driver": "idle", "assistant": "listening"},
    AgentNoReply: {"driver": "idle", "assistant": "listening"},
    SessionClose: {"driver": "idle", "assistant": "idle"},
}


def both_idle() -> dict[Who, Doing]:
    return {"driver": "idle", "assistant": "idle"}


@dataclass(slots=True)
class Activity:
    """Follows the frames of one car."""

    now: dict[Who, Doing] = field(default_factory=both_idle)
    _heard: bool = False  # whether the assistant was audible in this turn
    _says_words: bool = False  # whether the driver's speech has words, or only cuts off

    def take(self, body: Body) -> Iterator[tuple[Who, Doing]]:
        """Who does something else after a frame, and what."""
        after = dict(AFTER.get(type(body), {}))
        match body:
            case InputTranscriptFinal():
                self._heard = False
            case AgentSpeechStart():
                self._heard = True
            case UserSpeechStart(planned_words=words):
                self._says_words = bool(words)
                if self.now["assistant"] == "idle":
                    after["assistant"] = "listening"
            case Interrupt() if not self._says_words:
                after["driver"] = "idle"
            case AgentSpeechEnd(reason="interrupted"):
                after = {}
            case ToolCall() if self._heard:
                after["assistant"] = "thinking"
            case ResponseTextDelta() if self._heard:
                after["assistant"] = "speaking"
        for who, doing in after.items():
            if self.now[who] != doing:
                self.now[who] = doing
                yield who, doing
