"""What is agreed about a session before it starts."""

from dataclasses import dataclass, field

from assistant_gateway.conversation.timeouts import OnHardLimit
from assistant_gateway.hearing.recogniser import Recogniser, perfect_recogniser
from assistant_gateway.protocol import Pace
from assistant_gateway.sound.utterances import DriverSound
from assistant_gateway.timing.budgets import DEFAULT_BUDGETS, Budgets, TurnClass
from assistant_gateway.timing.speech import Speech, constant_speech
from assistant_gateway.timing.timeline import MS, SECOND


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """All the gateway has to know about a session before it starts.

    An agent may take `ready_within_s` until it is ready; session time begins only then.
    A driver may think for `patience_s` before the session is given up, a human as long as he likes.
    Frames reach the bus in batches of `batch_ns`. What comes later than a `simulated` agent and car
    have planned is the bench's own doing; of others nobody knows what they planned. Without `sound`
    the session is one of text.
    """

    sid: str
    vin: str
    pace: Pace = "live"
    instructions: str = ""
    turn_classes: tuple[TurnClass, ...] = ("A",)
    max_steps: int = 40
    speak_progress: bool = True
    tool_timeout_ns: int = 5 * SECOND
    longest_turn_ns: int = 300 * SECOND
    ready_within_s: float = 10.0
    patience_s: float | None = 60.0
    batch_ns: int = 200 * MS
    locale: str = "en"
    speech: Speech = field(default_factory=constant_speech)
    budgets: Budgets = DEFAULT_BUDGETS
    on_hard_limit: OnHardLimit = "record"
    simulated: bool = False
    sound: DriverSound | None = None
    recogniser: Recogniser = field(default_factory=perfect_recogniser)

    def turn_class(self, turn: int) -> TurnClass:
        return self.turn_classes[min(turn, len(self.turn_classes)) - 1]
