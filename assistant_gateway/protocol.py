"""The two WebSocket subprotocols: every frame an agent or a driver may send or receive.

One JSON text frame carries an envelope (`v`, `type`, `sid`, `seq`, `turn`, `rid`, `cid`, `ts`) and
a `data` object, whose model is the `Body` subclass with that `type`. Unknown fields are ignored; an
unknown type or a malformed body is answered by an `error` frame and the connection stays open.
Names follow OpenAI Realtime where it has one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, NamedTuple

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vehicle_bus.validation_problem import first_problem

AGENT_PROTOCOL = "codriver.agent.v1"
USER_PROTOCOL = "codriver.user.v1"
TO_PEER_LIMIT = 1 << 20
SHOWN = 80  # characters of what cannot be used
CONNECTION_CLOSED = "connection_closed"  # code of the error that says which rule a peer broke
FROM_PEER_LIMIT = 64 << 10
TRACEPARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
)

Pace = Literal["live", "fast", "virtual"]
SpeechKind = Literal["content", "ack", "progress"]
# The seats that are told apart by who speaks from them, and what they are called.
Zone = Literal["driver", "passenger", "driver_rear", "passenger_rear"]
SEATS: Final[Mapping[Zone, str]] = {
    "driver": "driver",
    "passenger": "front passenger",
    "driver_rear": "seat behind the driver",
    "passenger_rear": "seat behind the front passenger",
}

# What a driver decides after a turn; any other word that somebody sends ends the session as well.
ControlWord = Literal[
    "CONTINUE",
    "STOP",
    "OUT_OF_SCOPE",
    "HALLUCINATION_ERROR",
    "DISAMBIGUATION_ERROR",
    "ASSISTANT_ACKNOWLEDGED_REMOVED_PART",
]
GO_ON: Final = "CONTINUE"
# Why a driver cannot go on: it did what no script allows, or it could not be asked.
DriverFailure = Literal["SCRIPT_BROKEN", "DRIVER_UNAVAILABLE"]
# Why a session ended; "gateway_closed" is what a driver says of a connection that ended first.
EndReason = (
    ControlWord
    | DriverFailure
    | Literal[
        "driver_hung_up",
        "call_placed",
        "step_limit",
        "agent_failed",
        "infra_error",
        "gateway_closed",
    ]
)


class BadFrame(Exception):
    """A frame that cannot be used; the text goes back to the peer in an `error` frame."""

    def __init__(self, code: str, expected: str) -> None:
        super().__init__(f"{code}: {expected}")
        self.code = code
        self.expected = expected


class Body(BaseModel):
    """The `data` of one frame type."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    TYPE: ClassVar[str]


# --- gateway to agent


class SessionStart(Body):
    """A new conversation. `instructions` is the policy text with place and time filled in.

    `lockstep` asks for an `idle` frame after each frame is dealt with (virtual time): the agent
    then stamps planned delays into `ts.due_ns` instead of waiting. `audio` has the formats in which
    the session can be heard; null if it is one of text alone.
    """

    TYPE = "session.start"
    instructions: str
    tools: list[dict[str, Any]]
    locale: str = "en"
    pace: Pace = "live"
    lockstep: bool = False
    now_ns: int = 0
    budgets: dict[str, Any] | None = None
    audio: dict[str, Any] | None = None


class InputAudioAppend(Body):
    """What the microphone of the car has heard since the last such frame: samples in base64.

    It goes on all the time; `now_ns` is the time of the last sample.
    """

    TYPE = "input.audio.append"
    audio: str
    now_ns: int


class InputSpeechStarted(Body):
    TYPE = "input.speech_started"


class InputTranscriptPartial(Body):
    """Cumulative; the first `stable_chars` characters will not change any more."""

    TYPE = "input.transcript.partial"
    text: str
    stable_chars: int


class InputSpeechStopped(Body):
    TYPE = "input.speech_stopped"
    eou_reason: Literal["silence", "complete"] = "silence"


class ResponseAudioCleared(Body):
    """Of the samples of this turn so much was played; nothing that you have sent still is."""

    TYPE = "response.audio.cleared"
    played_ms: int
    now_ns: int = 0


class InputTranscriptFinal(Body):
    """Your turn: the driver, or somebody on another seat, said this and has finished."""

    TYPE = "input.transcript.final"
    text: str
    user_speech_end_ns: int
    now_ns: int
    zone: Zone = "driver"

    @property
    def with_seat(self) -> str:
        """For who gets text alone: words that are not the driver's begin with the seat."""
        return self.text if self.zone == "driver" else f"[{SEATS[self.zone]}] {self.text}"


class Interrupt(Body):
    """The driver speaks over you, or waits no longer: stop. Only `heard_text` was heard."""

    TYPE = "interrupt"
    heard_text: str
    now_ns: int = 0


class Nudge(Body):
    """The driver has heard nothing for as long as the budget allows."""

    TYPE = "nudge"
    waited_ms: int


class ToolResult(Body):
    """The exact text the tool gave, or `error` when the bus did not answer."""

    TYPE = "tool.result"
    output: str = ""
    error: str | None = None
    now_ns: int = 0


class VehicleEvent(Body):
    """Something happened in the car without a command; only for agents that ask for it."""

    TYPE = "vehicle.event"
    kind: str
    detail: dict[str, Any] = {}
    now_ns: int = 0


class SessionEnded(Body):
    """The agent learns of an end by its own doing, else only that the session has `ended`."""

    TYPE = "session.end"
    reason: Literal["call_placed", "step_limit", "agent_failed", "ended"] | str


class ErrorFrame(Body):
    TYPE = "error"
    code: str
    message: str
    fatal: bool = False


# --- agent to gateway


class SessionReady(Body):
    """The agent has taken the session.

    `capabilities.partials` asks for partial transcripts, `vehicle_events` for `vehicle.event`,
    `audio` says in which formats the agent wants to hear and speak.
    """

    TYPE = "session.ready"
    name: str
    version: str = ""
    capabilities: dict[str, Any] = {}


class ResponseStart(Body):
    TYPE = "response.start"


class ResponseTextDelta(Body):
    TYPE = "response.text.delta"
    delta: str
    kind: SpeechKind = "content"


class ResponseAudioDelta(Body):
    """Samples of what the agent says, in base64; the text that they speak is sent before them."""

    TYPE = "response.audio.delta"
    audio: str


class ResponseAudioClear(Body):
    """Stop the loudspeaker: nothing that was sent so far is played any more."""

    TYPE = "response.audio.clear"


class TurnDetected(Body):
    """You have found out that the driver has finished; it may come before he has."""

    TYPE = "turn.detected"


class ToolCall(Body):
    TYPE = "tool.call"
    name: str
    arguments: dict[str, Any]


class ResponseDone(Body):
    """Closes one agent message. Without tool calls in it, it hands the floor to the driver.

    `reasoning` is kept for the record; nobody hears it.
    """

    TYPE = "response.done"
    status: Literal["completed", "cancelled", "incomplete", "failed"] = "completed"
    reason: str | None = None
    usage: dict[str, Any] | None = None
    reasoning: str | None = None


class AgentMetrics(Body):
    """Informational; never scored."""

    TYPE = "agent.metrics"
    ttft_ms: float | None = None
    thinking_ms: float | None = None
    model_ms: float | None = None


class Idle(Body):
    """Lockstep peers: every frame up to this `seq` was dealt with and its answers were sent."""

    TYPE = "idle"
    upto_seq: int


# --- driver to gateway


class SessionOpen(Body):
    """Connect to a planned session as its driver."""

    TYPE = "session.open"
    scenario_id: str
    seed: int = 0
    profile: str = ""


class UserSpeechStart(Body):
    """The driver begins to speak `after_ms` from now.

    With `planned_words` the whole utterance is known and the gateway paces it; without, words
    follow one by one and `user.speech.end` closes the utterance. `is_barge_in` says that it may
    begin in the agent's turn; without `planned_words` it cuts the agent at once.
    """

    TYPE = "user.speech.start"
    utt: str
    planned_words: tuple[str, ...] | None = Field(default=None, min_length=1)
    after_ms: int = 0
    is_barge_in: bool = False
    zone: Zone = "driver"


class UserSpeechWord(Body):
    TYPE = "user.speech.word"
    utt: str
    i: int
    w: str


class UserSpeechEnd(Body):
    """The true end of user speech of an utterance that was not planned.

    It was `ago_ms` before the frame is sent, if a recogniser had to write the words down first.
    """

    TYPE = "user.speech.end"
    utt: str
    text: str
    ago_ms: int = Field(default=0, ge=0, le=60_000)


class UserInterject(Body):
    """Planned before the agent's turn: speak over it once `after_words` were heard.

    With `after_silence_ms` instead: once that long passed since the driver's last word and nothing
    was heard. What lasts longer than a "mhm" interrupts the agent; see `agent.speech.end`.
    """

    TYPE = "user.interject"
    utt: str
    planned_words: tuple[str, ...] = Field(min_length=1)
    after_words: int | None = Field(default=None, ge=1)
    after_silence_ms: int | None = Field(default=None, ge=1)
    zone: Zone = "driver"


class UserControl(Body):
    """The driver's decision after a turn: go on (`CONTINUE`) or end, and why."""

    TYPE = "user.control"
    word: ControlWord | DriverFailure | str
    reason: str = ""


class UserHangup(Body):
    TYPE = "user.hangup"
    reason: str = ""


# --- gateway to driver


class SessionOpened(Body):
    TYPE = "session.opened"
    pace: Pace
    lockstep: bool
    now_ns: int = 0


class AgentSpeechStart(Body):
    TYPE = "agent.speech.start"


@dataclass(frozen=True, slots=True)
class ConfirmedCall:
    """A call of the agent that the car carried out."""

    tool: str
    arguments: dict[str, Any]


class AgentSpeechEnd(Body):
    """What the driver heard in this turn, all of it; the floor is the driver's.

    `interrupted`: the driver's utterance `utt` cut it short and goes on already. `confirmed` are
    the calls that the car confirmed since the last such frame: a driver sees what the car does.
    """

    TYPE = "agent.speech.end"
    heard_text: str
    confirmed: tuple[ConfirmedCall, ...] = ()
    utt: str | None = None
    reason: Literal["done", "interrupted", "error"] = "done"


class AgentNoReply(Body):
    TYPE = "agent.no_reply"
    waited_ms: int


class SessionClose(Body):
    TYPE = "session.close"
    reason: EndReason | str


def _by_type(*bodies: type[Body]) -> dict[str, type[Body]]:
    return {body.TYPE: body for body in bodies}


FROM_AGENT = _by_type(
    SessionReady, ResponseStart, ResponseTextDelta, ResponseAudioDelta, ResponseAudioClear,
    TurnDetected, ToolCall, ResponseDone, AgentMetrics, Idle, ErrorFrame,
)  # fmt: skip
FROM_USER = _by_type(
    SessionOpen, UserSpeechStart, UserSpeechWord, UserSpeechEnd, UserInterject, UserControl,
    UserHangup, Idle, ErrorFrame,
)  # fmt: skip
TO_AGENT = _by_type(
    SessionStart, InputAudioAppend, InputSpeechStarted, InputTranscriptPartial, InputSpeechStopped,
    InputTranscriptFinal, ResponseAudioCleared, Interrupt, Nudge, ToolResult, VehicleEvent,
    SessionEnded, ErrorFrame,
)  # fmt: skip
TO_USER = _by_type(
    SessionOpened, AgentSpeechStart, AgentSpeechEnd, AgentNoReply, SessionClose, ErrorFrame,
)  # fmt: skip


class Frame(NamedTuple):
    """An envelope and its body; `due_ns` is the session time a lockstep peer plans it for.

    A peer may send a `traceparent` (W3C Trace Context): its commands belong to that span. One that
    is not well-formed is passed over, as the standard asks.
    """

    body: Body
    sid: str = ""
    seq: int = 0
    turn: int | None = None
    rid: str | None = None
    cid: str | None = None
    mono_ns: int = 0
    due_ns: int | None = None
    clk: str = ""
    traceparent: str | None = None

    def encode(self) -> str:
        stamps: dict[str, Any] = {"mono_ns": self.mono_ns, "clk": self.clk}
        if self.due_ns is not None:
            stamps["due_ns"] = self.due_ns
        envelope = {
            "v": 1,
            "type": self.body.TYPE,
            "sid": self.sid,
            "seq": self.seq,
            "turn": self.turn,
            "rid": self.rid,
            "cid": self.cid,
            "ts": stamps,
            "data": self.body.__dict__,
        }
        return orjson.dumps(envelope).decode()


def decode(raw: str | bytes, known: dict[str, type[Body]]) -> Frame:
    """Read one frame of a peer; raises `BadFrame` with what was expected instead."""
    try:
        envelope = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadFrame("bad_json", f"expected one JSON object per text frame ({error})") from error
    if not isinstance(envelope, dict):
        raise BadFrame("bad_envelope", 'expected a JSON object such as {"type": …, "data": {…}}')
    kind = envelope.get("type")
    body = known.get(kind) if isinstance(kind, str) else None
    if body is None:
        raise BadFrame(
            "unknown_type", f"{repr(kind)[:SHOWN]} is none of {', '.join(sorted(known))}"
        )
    stamps = envelope.get("ts") or {}
    try:
        return Frame(
            body=body.model_validate(envelope.get("data") or {}),
            sid=_text(envelope, "sid") or "",
            seq=_whole(envelope, "seq") or 0,
            turn=_whole(envelope, "turn"),
            rid=_text(envelope, "rid"),
            cid=_text(envelope, "cid"),
            mono_ns=_whole(stamps, "mono_ns") or 0,
            due_ns=_whole(stamps, "due_ns"),
            traceparent=well_formed(envelope.get("traceparent")),
        )
    except ValidationError as error:
        raise BadFrame("bad_body", f"{kind} {first_problem(error, 'data')}") from error


def well_formed(traceparent: object) -> str | None:
    """A `traceparent` as the standard has it; None for all else."""
    found = isinstance(traceparent, str) and TRACEPARENT.fullmatch(traceparent)
    return found[0] if found else None


def _text(fields: Any, name: str) -> str | None:
    value = fields.get(name) if isinstance(fields, dict) else None
    if value is not None and not isinstance(value, str):
        raise BadFrame("bad_envelope", f"{name} must be text, not {type(value).__name__}")
    return value


def _whole(fields: Any, name: str) -> int | None:
    value = fields.get(name) if isinstance(fields, dict) else None
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise BadFrame("bad_envelope", f"{name} must be a whole number")
    return value
