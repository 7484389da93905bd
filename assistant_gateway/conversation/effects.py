"""What a conversation asks its session to do, and what it plans to happen later."""

from dataclasses import dataclass
from typing import Any

from assistant_gateway.conversation.call_queue import OpenCall
from assistant_gateway.protocol import Body, ControlWord, DriverFailure, EndReason
from assistant_gateway.timing.budgets import TurnClass

# --- effects


@dataclass(frozen=True, slots=True)
class ToAgent:
    body: Body
    turn: int | None = None
    rid: str | None = None
    cid: str | None = None


@dataclass(frozen=True, slots=True)
class ToUser:
    body: Body
    turn: int | None = None
    rid: str | None = None


@dataclass(frozen=True, slots=True)
class SendCommand:
    """Put a command on the bus."""

    call: OpenCall


@dataclass(frozen=True, slots=True)
class TurnDone:
    """Publish a finished turn."""

    number: int
    turn_class: TurnClass
    revision: int
    spans: dict[str, int | None]
    verdict: dict[str, Any]
    heard_user: str
    heard_agent: str
    calls: int
    handed_over: bool


@dataclass(frozen=True, slots=True)
class Decided:
    """Publish the driver's control word."""

    word: ControlWord | DriverFailure | str
    reason: str
    turn: int


@dataclass(frozen=True, slots=True)
class Ended:
    reason: EndReason | str
    revision: int


Effect = ToAgent | ToUser | SendCommand | TurnDone | Decided | Ended

# --- due events


@dataclass(frozen=True, slots=True)
class SpeechBegins:
    utt: str
    words: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class SpeechPartial:
    text: str
    stable_chars: int


@dataclass(frozen=True, slots=True)
class SpeechEnds:
    text: str


@dataclass(frozen=True, slots=True)
class YourTurn:
    text: str


@dataclass(frozen=True, slots=True)
class AgentHeard:
    turn: int
    rid: str | None


@dataclass(frozen=True, slots=True)
class HandOver:
    turn: int


@dataclass(frozen=True, slots=True)
class Silence:
    """The agent owes a word and has not said one for the whole no-reply time."""


@dataclass(frozen=True, slots=True)
class TooLong:
    """The agent has held the floor for as long as anybody listens."""


@dataclass(frozen=True, slots=True)
class Interjects:
    """The driver begins to speak although the floor is the agent's."""

    utt: str
    words: tuple[str, ...]
    turn: int
    only_if_silent: bool = False


@dataclass(frozen=True, slots=True)
class Interrupts:
    """The driver has spoken over the agent for long enough to be meant."""

    utt: str
    words: tuple[str, ...]
    turn: int
    onset_ns: int


@dataclass(frozen=True, slots=True)
class InterjectionEnds:
    """A "mhm" is over; nobody stops for it."""


@dataclass(frozen=True, slots=True)
class HardLimit:
    """The driver should have heard something by now."""

    turn: int


@dataclass(frozen=True, slots=True)
class CallOverdue:
    call: OpenCall


DueEvent = (
    SpeechBegins
    | SpeechPartial
    | SpeechEnds
    | YourTurn
    | AgentHeard
    | HandOver
    | Silence
    | TooLong
    | Interjects
    | Interrupts
    | InterjectionEnds
    | HardLimit
    | CallOverdue
)
