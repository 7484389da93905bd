"""What a conversation asks its session to do, and what it plans to happen later."""

from dataclasses import dataclass
from typing import Any

from assistant_gateway.budgets import TurnClass
from assistant_gateway.protocol import Body
from assistant_gateway.timeline import Due

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


@dataclass(slots=True)
class Call:
    """A tool call of the agent; `call_id` is ours, `cid` the agent's."""

    call_id: str
    cid: str
    tool: str
    arguments: dict[str, Any]
    turn: int
    deadline: Due | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Put a command on the bus."""

    call: Call


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

    word: str
    reason: str
    turn: int


@dataclass(frozen=True, slots=True)
class Ended:
    reason: str
    revision: int


Effect = ToAgent | ToUser | Run | TurnDone | Decided | Ended

# --- due events


@dataclass(frozen=True, slots=True)
class SpeechBegins:
    utt: str
    words: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class SpeechPartial:
    text: str


@dataclass(frozen=True, slots=True)
class SpeechEnds:
    text: str


@dataclass(frozen=True, slots=True)
class YourTurn:
    text: str


@dataclass(frozen=True, slots=True)
class AgentHeard:
    rid: str | None


@dataclass(frozen=True, slots=True)
class HandOver:
    turn: int


@dataclass(frozen=True, slots=True)
class Silence:
    """The agent owes a word and has not said one for the whole no-reply time."""

    turn: int


@dataclass(frozen=True, slots=True)
class TooLong:
    """The agent has held the floor for as long as anybody listens."""


@dataclass(frozen=True, slots=True)
class CallOverdue:
    call: Call


DueEvent = (
    SpeechBegins
    | SpeechPartial
    | SpeechEnds
    | YourTurn
    | AgentHeard
    | HandOver
    | Silence
    | TooLong
    | CallOverdue
)
