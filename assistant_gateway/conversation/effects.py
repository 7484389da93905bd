"""What a conversation asks its session to do, and what it plans to happen later."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from assistant_gateway.hearing.recogniser import Recognised
from assistant_gateway.protocol import Body, ControlWord, DriverFailure, EndReason, Zone
from assistant_gateway.sound.pcm import Samples
from assistant_gateway.timing.budgets import TurnClass, TurnVerdict
from assistant_gateway.timing.timeline import Due


@dataclass(slots=True)
class OpenCall:
    """A tool call of the agent until it is answered; `call_id` is ours, `cid` the agent's."""

    call_id: str
    cid: str
    tool: str
    arguments: dict[str, Any]
    turn: int
    deadline: Due | None = None


# --- effects


class ToAgent(NamedTuple):
    body: Body
    turn: int | None = None
    rid: str | None = None
    cid: str | None = None


class ToUser(NamedTuple):
    body: Body
    turn: int | None = None
    rid: str | None = None


class DriverSpeaks(NamedTuple):
    """Words that are known beforehand are heard from then on."""

    words: tuple[str, ...]
    begins_ns: int


class AgentPlays(NamedTuple):
    """Samples of the agent are heard from then on: behind those that are still being played."""

    samples: Samples
    begins_ns: int


class SendCommand(NamedTuple):
    """Put a command on the bus."""

    call: OpenCall


class TurnDone(NamedTuple):
    """Publish a finished turn; fields as in `vehicle_bus.contract.TurnFinished`.

    Of an agent that sends samples also when they were audible, and how long they are played; of
    one that sends text `Playout.restarts_ns`.
    """

    turn: int
    turn_class: TurnClass
    revision: int
    spans: dict[str, int | None]
    verdict: TurnVerdict
    heard_user: str
    heard_agent: str
    calls: int
    handed_over: bool
    recognised: Recognised | None = None
    audible_ns: list[tuple[int, int]] | None = None
    plays_until_ns: int | None = None
    restarts_ns: Sequence[tuple[int, int]] = ()


class Decided(NamedTuple):
    """Publish the driver's control word."""

    word: ControlWord | DriverFailure | str
    reason: str
    turn: int


class Ended(NamedTuple):
    reason: EndReason | str
    revision: int


Effect = ToAgent | ToUser | DriverSpeaks | AgentPlays | SendCommand | TurnDone | Decided | Ended

# --- due events


class SpeechBegins(NamedTuple):
    words: tuple[str, ...] | None
    zone: Zone = "driver"


class SpeechPartial(NamedTuple):
    text: str
    stable_chars: int


class SpeechEnds(NamedTuple):
    text: str
    ago_ns: int = 0


class YourTurn(NamedTuple):
    text: str


class AgentHeard(NamedTuple):
    """The first word of the agent's turn is audible."""

    turn: int
    rid: str | None


class HandOver(NamedTuple):
    """All that the agent said in a turn has been audible."""

    turn: int


class NoReply(NamedTuple):
    """The agent has said no word for the whole no-reply time, or its turn lasts too long."""


class Interjects(NamedTuple):
    """The driver begins to speak although the floor is the agent's."""

    utt: str
    words: tuple[str, ...]
    turn: int
    only_if_silent: bool = False
    zone: Zone = "driver"


class Interrupts(NamedTuple):
    """The driver has spoken over the agent for long enough to be meant.

    Without `words` the driver's side has decided that at once, and the words follow.
    """

    utt: str
    words: tuple[str, ...] | None
    turn: int
    onset_ns: int
    zone: Zone = "driver"


class InterjectionEnds(NamedTuple):
    """A "mhm" is over; nobody stops for it."""


class HardLimit(NamedTuple):
    """The driver should have heard something by now."""

    turn: int


class CallOverdue(NamedTuple):
    call: OpenCall


DueEvent = (
    SpeechBegins
    | SpeechPartial
    | SpeechEnds
    | YourTurn
    | AgentHeard
    | HandOver
    | NoReply
    | Interjects
    | Interrupts
    | InterjectionEnds
    | HardLimit
    | CallOverdue
)
