"""One conversation as a pure state machine: frames, replies and due events in, effects out.

The floor belongs to the driver or to the agent. A turn begins with the driver's words and ends when
the agent hands the floor back: a `response.done` without tool calls in it and with none open.
Progress speech is no hand-over. All times are session time in ns.
"""

from collections.abc import Callable
from typing import assert_never

from assistant_gateway.conversation.agent_messages import AgentMessages
from assistant_gateway.conversation.driver_speech import DriverSpeech
from assistant_gateway.conversation.effects import (
    AgentHeard,
    CallOverdue,
    DueEvent,
    HandOver,
    HardLimit,
    InterjectionEnds,
    Interjects,
    Interrupts,
    NoReply,
    SpeechBegins,
    SpeechEnds,
    SpeechPartial,
    YourTurn,
)
from assistant_gateway.conversation.floor import Floor, no_noise
from assistant_gateway.conversation.interruption import Interruption
from assistant_gateway.conversation.late_frames import LateFrames
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.conversation.tool_calls import ToolCalls
from assistant_gateway.protocol import Frame, UserHangup, Zone


class Conversation:
    """Feed it frames and replies, carry out `effects`, pop `timeline` when nothing else is due."""

    def __init__(
        self,
        plan: SessionPlan,
        ends_conversation: frozenset[str] = frozenset(),
        snr_db: Callable[[Zone], float | None] = no_noise,
    ) -> None:
        """`snr_db` is how well somebody on a seat would be heard now; None without noise."""
        self.floor = Floor(plan, snr_db)
        self.calls = ToolCalls(self.floor, ends_conversation)
        self._late = LateFrames()
        self._messages = AgentMessages(self.floor, self._late, self.calls)
        self._driver_speech = DriverSpeech(self.floor)
        self._interruption = Interruption(self.floor, self._late, self.calls, self._driver_speech)
        self.timeline = self.floor.timeline
        self.effects = self.floor.effects

    @property
    def owes(self) -> bool:
        """Whether the agent has to act before anything can be skipped."""
        return self.floor.state == "agent" or self.floor.message is not None or self.calls.busy

    def agent_frame(self, frame: Frame, at_ns: int) -> bool:
        """Returns whether it counts; what comes too late or too early does not."""
        return self._messages.frame(frame, at_ns)

    def user_frame(self, frame: Frame, at_ns: int) -> None:
        if isinstance(frame.body, UserHangup):
            self._interruption.hang_up(at_ns)
        else:
            self._driver_speech.frame(frame, at_ns)

    def due(self, event: DueEvent, at_ns: int) -> None:
        match event:
            case SpeechBegins():
                self._driver_speech.begins(event, at_ns)
            case SpeechPartial():
                self._driver_speech.partial(event)
            case SpeechEnds():
                self._driver_speech.ends(event, at_ns)
            case YourTurn(text):
                self._late.asked_anew()
                self._driver_speech.your_turn(text, at_ns)
            case AgentHeard():
                self._messages.heard(event)
            case HandOver(turn):
                self._messages.hand_over(turn, at_ns)
            case NoReply():
                self._interruption.no_reply(at_ns)
            case Interjects():
                self._interruption.interject(event, at_ns)
            case Interrupts():
                self._interruption.interrupt(event, at_ns)
            case InterjectionEnds():
                self.floor.speech_stopped()
            case HardLimit(turn):
                self._interruption.hard_limit(turn, at_ns)
            case CallOverdue(call):
                self.calls.overdue(call, at_ns)
            case _:
                assert_never(event)
