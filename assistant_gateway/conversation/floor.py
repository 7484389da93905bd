"""Who has the floor and in which turn, what both sides are told, and how it all ends: pure."""

from collections import deque
from typing import Literal

from assistant_gateway.conversation.effects import Effect, Ended, ToAgent, ToUser
from assistant_gateway.conversation.interjections import Interjections
from assistant_gateway.conversation.playout import Playout
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.conversation.turn import OpenMessage, Turn
from assistant_gateway.conversation.turn_timeouts import TurnTimeouts
from assistant_gateway.protocol import (
    Body,
    EndReason,
    ErrorFrame,
    InputSpeechStarted,
    InputSpeechStopped,
    SessionClose,
    SessionEnded,
)
from assistant_gateway.timing.timeline import Timeline

TOLD_TO_AGENTS = frozenset({"call_placed", "step_limit", "agent_failed"})


class Floor:
    """The driver may speak or is `speaking`; the agent owes an answer or is in `playout`."""

    def __init__(self, plan: SessionPlan) -> None:
        self.plan = plan
        self.timeline = Timeline()
        self.effects: deque[Effect] = deque()
        self.state: Literal["driver", "speaking", "agent", "playout", "over"] = "driver"
        self.last_turn: Turn | None = None
        self.message: OpenMessage | None = None
        self.revision = 0
        self.end_reason: EndReason | str | None = None
        self.speech_events = True
        self.interrupting = False  # the driver speaks over the agent and will be meant
        self.interjections = Interjections(self.timeline)
        self.timeouts = TurnTimeouts(self.timeline)

    @property
    def turn(self) -> Turn:
        """The turn that lasts, or the last one; only once there was one."""
        assert self.last_turn is not None
        return self.last_turn

    @property
    def is_agents(self) -> bool:
        """Whether the agent owes an answer or is still heard."""
        return self.state in ("agent", "playout")

    def begin_turn(self) -> None:
        number = self.last_turn.number + 1 if self.last_turn else 1
        playout = Playout(self.plan.speech, number)
        self.last_turn = Turn(number, self.plan.turn_class(number), playout, self.plan.budgets)

    def finish_turn(
        self, at_ns: int, *, handed_over: bool, waited_until_ns: int | None = None
    ) -> None:
        """`waited_until_ns` is when the driver cut the turn, if he did."""
        self.interjections.clear()
        done = self.turn.finished(
            at_ns, self.revision, handed_over=handed_over, waited_until_ns=waited_until_ns
        )
        self.effects.append(done)

    def give_up(self, at_ns: int, reason: EndReason) -> None:
        """End in the middle of a turn: what was not answered is a miss, not a gap."""
        self.finish_turn(at_ns, handed_over=False)
        self.end(reason)

    def end(self, reason: EndReason | str) -> None:
        """End the session; what was said and done so far stays."""
        if self.end_reason is not None:
            return
        self.end_reason = reason
        self.state = "over"
        self.timeouts.end()
        # The agent learns that it is over, not how the driver judged it.
        told = reason if reason in TOLD_TO_AGENTS else "ended"
        self.effects.append(ToAgent(SessionEnded(reason=told)))
        self.effects.append(ToUser(SessionClose(reason=reason)))
        self.effects.append(Ended(reason, self.revision))

    def tell_agent(self, body: Body) -> None:
        self.effects.append(ToAgent(body, self.last_turn.number if self.last_turn else None))

    def tell_user(self, body: Body) -> None:
        self.effects.append(ToUser(body, self.turn.number))

    def speech_started(self) -> None:
        if self.speech_events:
            self.tell_agent(InputSpeechStarted())

    def speech_stopped(self) -> None:
        if self.speech_events:
            self.tell_agent(InputSpeechStopped())

    def correct_agent(self, code: str, expected: str, rid: str | None = None) -> None:
        self.effects.append(ToAgent(ErrorFrame(code=code, message=expected), rid=rid))

    def correct_user(self, code: str, expected: str) -> None:
        self.effects.append(ToUser(ErrorFrame(code=code, message=expected)))
