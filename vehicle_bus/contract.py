"""What travels over MQTT: one frozen model per payload, one function per topic.

Every payload carries `src` (who wrote it), `seq` (gapless per source and car, from 1; 0 means the
sender does not number), `n` (Lamport counter) and a pair of stamps: `t_ns` in session time, which
is scored, and `mono_ns` on the sender's wall clock, which only the harness looks at. Order and
completeness are read from these numbers, never from arrival.
"""

import re
import time
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field

Status = Literal["SUCCESS", "FAILURE", "REMOVED"]
# What every JSON reader holds. A counter follows those of others up to half of that only, so that
# nobody can push it over the limit.
LARGEST_COUNT = 1 << 53
FURTHEST_FOLLOWED = LARGEST_COUNT >> 1
Count = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]
Stamp = Annotated[int, Field(ge=-(1 << 62), le=1 << 62)]
CommandStamp = Annotated[int, Field(ge=-(1 << 61), le=1 << 61)]  # a late reply still has a stamp


class Stamped(BaseModel):
    """The numbers every payload carries."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    src: str = "anonymous"
    seq: Count = 0
    n: Count = 0
    t_ns: Stamp = 0
    mono_ns: Stamp = 0

    def fields(self) -> dict[str, Any]:
        """Names and values as they travel."""
        return self.__dict__


class Stamps(TypedDict):
    """What a `Stamper` knows of the next payload; its session time `t_ns` comes from the caller."""

    src: str
    seq: int
    n: int
    mono_ns: int


class Stamper:
    """Numbers the payloads of one source about one car: `Clock(**stamper.next(), t_ns=…)`."""

    def __init__(self, src: str) -> None:
        self.src = src
        self.seq = 0
        self.n = 0

    def saw(self, n: int) -> None:
        """A payload of somebody else was taken into account: what is stamped next comes after."""
        self.n = max(self.n, min(n, FURTHEST_FOLLOWED))

    def next(self) -> Stamps:
        """Stamps for a payload that is published before any that is stamped later."""
        self.seq += 1
        self.n += 1
        return {"src": self.src, "seq": self.seq, "n": self.n, "mono_ns": time.monotonic_ns()}


class SignalChanged(Stamped):
    """One VSS signal has a new value; `cause` is the call that changed it."""

    value: Any
    revision: int
    cause: str | None = None


class Snapshot(Stamped):
    """The whole state by short names; revision 0 is the start, one more per change burst."""

    revision: int
    state: dict[str, Any]
    cause: str | None = None


class Capabilities(Stamped):
    """The tools this car offers now, as OpenAI-style function declarations.

    A declaration whose `ends_conversation` is true ends the session after its batch. A car that
    `changes_by_itself`, which is `stirs` on the bus, has events without a command: unless in pace
    `live` it answers a clock with an event `time`, after all events until then.
    """

    model_config = ConfigDict(validate_by_name=True)

    tools: list[dict[str, Any]]
    changes_by_itself: bool = Field(default=False, validation_alias="stirs")

    def fields(self) -> dict[str, Any]:
        return {
            "stirs" if name == "changes_by_itself" else name: value
            for name, value in super().fields().items()
        }


class Command(Stamped):
    """Ask the car to run one tool at session time `at_ns`."""

    call_id: str
    at_ns: CommandStamp = 0
    arguments: dict[str, Any] = {}
    session: str | None = None
    turn: int | None = None


class Reply(Stamped):
    """What a tool answered; `output` is the exact text.

    `error` is the error key of a failure, `logged` whether the public benchmark would count it as
    a tool execution error. A reply spoilt by an injected fault names it in `fault`.
    """

    call_id: str
    status: Status
    output: str
    revision_before: int
    revision_after: int
    took_ns: int = 0
    error: str | None = None
    logged: bool = False
    fault: str | None = None


class CommandUnread(Stamped):
    """The answer to a command that cannot be read: not JSON, or without a field that it needs.

    It is no `Reply`: no call is known, so it counts for nobody.
    """

    status: Literal["FAILURE"] = "FAILURE"
    error: str = "UNREADABLE_COMMAND"
    output: str


TIME = "time"


class CarEvent(Stamped):
    """Something happened without a command.

    Of the kind `time` it only says that all events up to `t_ns` are published.
    """

    detail: dict[str, Any] = {}


class Clock(Stamped):
    """Session time jumped to `t_ns` and runs at `rate` from here (0 in virtual time).

    Only in pace `live` may a car trust its own clock in between: in `fast` session time rests while
    nobody is waited for.
    """

    rate: float = 1.0
    pace: Literal["live", "fast", "virtual"] = "live"


class FaultOrder(Stamped):
    """An operator plans a fault (fields as in `vehicle_bus.car.fault`), or clears all of them."""

    fault: dict[str, Any] | None = None
    clear: bool = False


class CarStatus(Stamped):
    """Whether the car is on the bus; the Last Will says offline."""

    online: bool


class Frames(Stamped):
    """A batch of conversation frames, each with its own stamps."""

    frames: list[dict[str, Any]]


class TurnFinished(Stamped):
    """One finished turn: named spans in ns (null = it never happened), and the budget verdict.

    `harness` holds what the bench measured about itself (wall clock, never scored), `sound` how the
    driver was heard; it is left out of a conversation in text.
    """

    turn: int
    turn_class: str
    revision: int
    spans: dict[str, int | None]
    verdict: dict[str, Any]
    heard_user: str
    heard_agent: str
    calls: int = 0
    handed_over: bool = True
    harness: dict[str, Any] = {}
    sound: dict[str, Any] | None = None

    def fields(self) -> dict[str, Any]:
        fields = super().fields()
        return fields if self.sound else {n: v for n, v in fields.items() if n != "sound"}


class Control(Stamped):
    """The driver's control word and reason; the agent under test may not read this."""

    word: str
    reason: str = ""
    turn: int = 0


class SessionEnd(Stamped):
    """The session is over; `counts` holds the last `seq` of each source, the completeness fence."""

    reason: str
    counts: dict[str, int]
    revision: int


class Verdict(Stamped):
    """The score of one episode."""

    reward: float | None
    components: dict[str, Any]


Payload = TypeVar("Payload", bound=Stamped)
_STAMPS = re.compile(
    rb'\{"src":"[^"\\]*","seq":\d{1,15},"n":\d{1,15},"t_ns":\d{1,18},"mono_ns":\d{1,18},'
)


def encode(payload: Stamped) -> bytes:
    return orjson.dumps(payload.fields())


def decode(model: type[Payload], raw: bytes) -> Payload:
    """Read a payload; a pydantic `ValidationError` says what was expected."""
    return model.model_validate_json(raw)


def apart(raw: bytes) -> tuple[bytes, bytes]:
    """The stamps of a payload as `encode` writes it, and the rest: two JSON objects.

    The first one is empty if it was written otherwise.
    """
    stamps = _STAMPS.match(raw)
    return (stamps[0][:-1] + b"}", b"{" + raw[stamps.end() :]) if stamps else (b"{}", raw)


@dataclass(frozen=True, slots=True)
class Topics:
    """Where each payload travels; `+` as vin, tool or client makes the filter for all of them."""

    prefix: str = "codriver/v1"

    def signal(self, vin: str, path: str) -> str:
        return f"{self.prefix}/{vin}/signal/{path.replace('.', '/')}"

    def snapshot(self, vin: str) -> str:
        return f"{self.prefix}/{vin}/snapshot"

    def capabilities(self, vin: str) -> str:
        return f"{self.prefix}/{vin}/capabilities"

    def command(self, vin: str, tool: str) -> str:
        return f"{self.prefix}/{vin}/command/{tool}"

    def reply(self, vin: str, client: str) -> str:
        return f"{self.prefix}/{vin}/reply/{client}"

    def event(self, vin: str, kind: str) -> str:
        return f"{self.prefix}/{vin}/event/{kind}"

    def fault(self, vin: str) -> str:
        return f"{self.prefix}/{vin}/fault"

    def clock(self, vin: str) -> str:
        return f"{self.prefix}/{vin}/clock"

    def status(self, vin: str) -> str:
        return f"{self.prefix}/{vin}/status"

    def session(
        self, vin: str, sid: str, kind: Literal["frame", "turn", "control", "end", "verdict"]
    ) -> str:
        return f"{self.prefix}/{vin}/session/{sid}/{kind}"

    def everything(self, vin: str = "+") -> str:
        return f"{self.prefix}/{vin}/#"

    def split(self, topic: str) -> tuple[str, str] | None:
        """Take `PREFIX/VIN/rest` apart into (vin, rest); None if it is not ours."""
        if not topic.startswith(f"{self.prefix}/"):
            return None
        vin, _, rest = topic[len(self.prefix) + 1 :].partition("/")
        return (vin, rest) if rest else None
