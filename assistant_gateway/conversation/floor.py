"""Who has the floor, in which turn, and why the session ended: pure."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Literal

from assistant_gateway.conversation.effects import Effect, Ended, ToAgent, ToUser
from assistant_gateway.conversation.interjections import Interjections
from assistant_gateway.conversation.playout import Playout
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.conversation.sound_playout import SoundPlayout
from assistant_gateway.conversation.timeouts import Timeouts
from assistant_gateway.conversation.turn import OpenMessage, Turn
from assistant_gateway.protocol import (
    AgentSpeechEnd,
    Body,
    ConfirmedCall,
    EndReason,
    ErrorFrame,
    InputSpeechStarted,
    InputSpeechStopped,
    SessionClose,
    SessionEnded,
    Zone,
)
from assistant_gateway.sound.audio_capability import DetectedBy
from assistant_gateway.sound.wire_format import WireFormat
from assistant_gateway.timing.timeline import Timeline

FloorState = Literal["driver", "speaking", "agent", "playout", "over"]
FloorEvent = Literal[
    "driver_speaks", "asked", "answered", "heard", "interrupted", "no_reply", "ended"
]
# By state, what may happen in it and the state that follows. The driver may speak or is
# `speaking`; the agent owes an answer, or its complete answer is still in `playout`.
TRANSITIONS: Mapping[FloorState, Mapping[FloorEvent, FloorState]] = {
    "driver": {
        "driver_speaks": "speaking",
        "ended": "over",
    },
    "speaking": {
        "asked": "agent",
        "ended": "over",
    },
    "agent": {
        "answered": "playout",
        "interrupted": "speaking",
        "no_reply": "driver",
        "ended": "over",
    },
    "playout": {
        "heard": "driver",
        "interrupted": "speaking",
        "ended": "over",
    },
    "over": {},
}
# All other ends are hidden from the agent: it must not learn how the driver judged it.
ENDS_FOR_AGENTS = frozenset({"call_placed", "step_limit", "agent_failed"})


class IllegalTransition(Exception):
    """Something happened to the floor that its state does not allow: a defect of the gateway."""

    def __init__(self, state: FloorState, event: FloorEvent) -> None:
        super().__init__(f"{event!r} cannot happen while the floor is {state!r}")


def no_noise(_: Zone) -> None:
    """How well somebody is heard whom nothing disturbs."""


class Floor:
    """The state of the floor and what all parts of a conversation share."""

    def __init__(
        self, plan: SessionPlan, snr_db: Callable[[Zone], float | None] = no_noise
    ) -> None:
        self.plan = plan
        self._snr_db_now = snr_db
        self.snr_db: float | None = None  # of what the driver says, since it began
        self.timeline = Timeline()
        self.effects: deque[Effect] = deque()
        self.state: FloorState = "driver"
        self.last_turn: Turn | None = None
        self.message: OpenMessage | None = None
        self.revision = 0
        self.confirmed: list[ConfirmedCall] = []  # since the driver was last given the floor
        self.end_reason: EndReason | str | None = None
        self.partials = False  # whether the agent wants partial transcripts
        self.speech_events = True  # whether it wants to know when the driver speaks
        self.agent_speaks: WireFormat | None = None  # how its samples are encoded, if it sends any
        self.turn_detection: DetectedBy = "recogniser"
        self.interrupting = False  # the driver has begun an utterance that will cut the agent
        self.interjections = Interjections(self.timeline)
        self.timeouts = Timeouts(self.timeline)

    def move(self, event: FloorEvent) -> None:
        """Go to the state that follows; raises `IllegalTransition`."""
        state = TRANSITIONS[self.state].get(event)
        if state is None:
            raise IllegalTransition(self.state, event)
        self.state = state

    @property
    def turn(self) -> Turn:
        """The turn that lasts, or the last one; only once there was one."""
        assert self.last_turn is not None
        return self.last_turn

    @property
    def is_agents(self) -> bool:
        """Whether the agent owes an answer or is still audible."""
        return "interrupted" in TRANSITIONS[self.state]

    def begin_turn(self, zone: Zone = "driver") -> None:
        number = self.last_turn.number + 1 if self.last_turn else 1
        kind = Playout if self.agent_speaks is None else SoundPlayout
        playout = kind(self.plan.speech, number)
        kind_of_turn = self.plan.turn_class(number)
        self.last_turn = Turn(number, kind_of_turn, playout, self.plan.budgets, zone=zone)

    def finish_turn(
        self, at_ns: int, *, handed_over: bool, waited_until_ns: int | None = None
    ) -> None:
        """`waited_until_ns` is when the driver cut the turn, if he did."""
        self.interjections.clear()
        done = self.turn.finished(
            at_ns, self.revision, handed_over=handed_over, waited_until_ns=waited_until_ns
        )
        self.effects.append(done)

    def give_up(self, at_ns: int, reason: EndReason, waited_until_ns: int | None = None) -> None:
        """End the session; in the agent's turn, what it still owed is a miss."""
        if self.is_agents:
            self.finish_turn(at_ns, handed_over=False, waited_until_ns=waited_until_ns)
        self.end(reason)

    def end(self, reason: EndReason | str) -> None:
        """End the session, once; a turn that lasts is left out."""
        if self.end_reason is not None:
            return
        self.end_reason = reason
        self.move("ended")
        self.timeouts.end()
        for_agent = reason if reason in ENDS_FOR_AGENTS else "ended"
        self.effects.append(ToAgent(SessionEnded(reason=for_agent)))
        self.effects.append(ToUser(SessionClose(reason=reason)))
        self.effects.append(Ended(reason, self.revision))

    def tell_agent(self, body: Body) -> None:
        self.effects.append(ToAgent(body, self.last_turn.number if self.last_turn else None))

    def tell_user(self, body: Body) -> None:
        self.effects.append(ToUser(body, self.turn.number))

    def tell_user_heard(self, heard: str, interrupted_by: str | None = None) -> None:
        """What of a turn was audible, and what the car has confirmed meanwhile."""
        confirmed, self.confirmed = tuple(self.confirmed), []
        reason: Literal["done", "interrupted"] = "interrupted" if interrupted_by else "done"
        self.tell_user(
            AgentSpeechEnd(heard_text=heard, confirmed=confirmed, utt=interrupted_by, reason=reason)
        )

    def speech_started(self, zone: Zone = "driver") -> None:
        """Somebody begins to speak, and is heard as well as the car lets them at that moment."""
        self.snr_db = self._snr_db_now(zone)
        if self.speech_events:
            self.tell_agent(InputSpeechStarted())

    def speech_stopped(self) -> None:
        if self.speech_events:
            self.tell_agent(InputSpeechStopped())

    def correct(self, role: str, code: str, message: str, rid: str | None = None) -> None:
        """Answer a frame of the agent or the driver that cannot be used."""
        effect = ToAgent if role == "agent" else ToUser
        self.effects.append(effect(ErrorFrame(code=code, message=message), rid=rid))
