"""What a person who takes part in a conversation is shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assistant_gateway.agents.agent import Call
from evaluator.live.update import Update

# --- to both


@dataclass(frozen=True, slots=True)
class Asked(Update):
    """The conversation waits for the person; the `opening` of it by a driver says something."""

    KIND = "asked"
    opening: bool = False


@dataclass(frozen=True, slots=True)
class NotAsked(Update):
    """It waits no longer: something was sent, or the other side went on."""

    KIND = "not_asked"


@dataclass(frozen=True, slots=True)
class SessionOver(Update):
    KIND = "over"


@dataclass(frozen=True, slots=True)
class UnitScored(Update):
    """A unit of a run is over; the text says how it was scored."""

    KIND = "scored"
    text: str


# --- to who plays the assistant


@dataclass(frozen=True, slots=True)
class AssistantPart(Update):
    """A conversation begins; all the assistant has to know.

    `limits` are the budgets of turns by class, empty if nothing is judged by them.
    """

    KIND = "assistant"
    sid: str
    instructions: str
    tools: tuple[dict[str, Any], ...]
    phrases: tuple[dict[str, Any], ...]
    limits: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DriverSaid(Update):
    """The driver's words, which came at `mono_ns` of the wall clock."""

    KIND = "driver"
    text: str
    mono_ns: int


@dataclass(frozen=True, slots=True)
class WizardSent(Update):
    KIND = "sent"
    text: str
    calls: tuple[Call, ...]
    keeps_turn: bool


@dataclass(frozen=True, slots=True)
class CarAnswered(Update):
    KIND = "answered"
    call: Call
    output: str
    succeeded: bool


@dataclass(frozen=True, slots=True)
class WizardInterrupted(Update):
    """The driver spoke over the assistant or gave up waiting, and heard only this."""

    KIND = "interrupted"
    heard: str


# --- to who plays the driver


@dataclass(frozen=True, slots=True)
class DriverPart(Update):
    """A conversation begins; all the driver knows, and the words it may end with."""

    KIND = "driver_part"
    goal: str
    persona: str
    advice: str
    lines: tuple[dict[str, str], ...]
    words: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DriverHeard(Update):
    """What the assistant was heard to say in a turn, and what it changed in the car."""

    KIND = "heard"
    text: str
    done: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class DriverDecided(Update):
    KIND = "decided"
    word: str
    say: str | None
    reason: str
