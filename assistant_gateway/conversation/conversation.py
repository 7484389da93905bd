"""One conversation as a pure state machine: frames, replies and due events in, effects out.

The floor belongs to the driver or to the agent. A turn begins with the driver's words and ends when
the agent hands the floor back: a `response.done` without tool calls in it and with none open.
Progress speech is no hand-over. All times are session time in ns.
"""

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
    Silence,
    SpeechBegins,
    SpeechEnds,
    SpeechPartial,
    TooLong,
    YourTurn,
)
from assistant_gateway.conversation.floor import Floor
from assistant_gateway.conversation.interruption import Interruption
from assistant_gateway.conversation.late_frames import LateFrames
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.conversation.tool_calls import ToolCalls
from assistant_gateway.conversation.turn import Turn
from assistant_gateway.protocol import EndReason, Frame, UserHangup
from vehicle_bus.contract import Reply


class Conversation:
    """Feed it what happens, drain `effects`, and pop its `timeline` when nothing else is due."""

    def __init__(self, plan: SessionPlan, ends_conversation: frozenset[str] = frozenset()) -> None:
        self._floor = Floor(plan)
        self._carrying_out = ToolCalls(self._floor, ends_conversation)
        self._late = LateFrames()
        self._answering = AgentMessages(self._floor, self._late, self._carrying_out)
        self._driver_speech = DriverSpeech(self._floor)
        self._cutting = Interruption(
            self._floor, self._late, self._carrying_out, self._driver_speech
        )
        self.timeline = self._floor.timeline
        self.effects = self._floor.effects

    @property
    def turn(self) -> Turn | None:
        """The turn that lasts, or the last one."""
        return self._floor.last_turn

    @property
    def revision(self) -> int:
        """How far the car has changed, as far as is known."""
        return self._floor.revision

    @property
    def end_reason(self) -> EndReason | str | None:
        """Why it is over; None as long as it is not."""
        return self._floor.end_reason

    @property
    def unanswered_calls(self) -> set[str]:
        """Calls the car did not answer in time."""
        return self._carrying_out.unanswered

    @property
    def owes(self) -> bool:
        """Whether the agent has to act before anything can be skipped."""
        floor = self._floor
        return floor.state == "agent" or floor.message is not None or self._carrying_out.busy

    def agent_wants(self, *, partials: bool, speech_events: bool) -> None:
        """What the agent asked to be told while the driver speaks."""
        self._driver_speech.partials = partials
        self._floor.speech_events = speech_events

    def agent_frame(self, frame: Frame, at_ns: int) -> bool:
        """Returns whether it counts; what comes too late or too early does not."""
        return self._answering.frame(frame, at_ns)

    def user_frame(self, frame: Frame, at_ns: int) -> None:
        if isinstance(frame.body, UserHangup):
            self._cutting.hang_up(at_ns)
        else:
            self._driver_speech.frame(frame, at_ns)

    def unusable(self, source: str, code: str, expected: str) -> None:
        """A peer sent something nobody can use: tell it, and let the record show it."""
        correct = self._floor.correct_agent if source == "agent" else self._floor.correct_user
        correct(code, expected)

    def reply(self, reply: Reply, at_ns: int) -> None:
        """The answer to the running call; answers to calls given up are only remembered."""
        self._carrying_out.reply(reply, at_ns)

    def unheard(self, call_id: str, revision: int, at_ns: int, *, changed: bool) -> None:
        """The car is known not to answer a call; whoever made it learns that from its silence."""
        self._carrying_out.unheard(call_id, revision, at_ns, changed=changed)

    def end(self, reason: EndReason) -> None:
        """End the session; what was said and done so far stays."""
        self._floor.end(reason)

    def due(self, event: DueEvent, at_ns: int) -> None:
        match event:
            case SpeechBegins():
                self._driver_speech.begins(event, at_ns)
            case SpeechPartial():
                self._driver_speech.partial(event)
            case SpeechEnds(text):
                self._driver_speech.ends(text, at_ns)
            case YourTurn(text):
                self._late.asked_anew()
                self._driver_speech.your_turn(text, at_ns)
            case AgentHeard():
                self._answering.heard(event)
            case HandOver(turn):
                self._answering.hand_over(turn, at_ns)
            case Silence() | TooLong():
                self._cutting.no_reply(at_ns)
            case Interjects():
                self._cutting.interject(event, at_ns)
            case Interrupts():
                self._cutting.interrupt(event, at_ns)
            case InterjectionEnds():
                self._floor.speech_stopped()
            case HardLimit(turn):
                self._cutting.hard_limit(turn, at_ns)
            case CallOverdue(call):
                self._carrying_out.overdue(call, at_ns)
            case _:
                assert_never(event)
