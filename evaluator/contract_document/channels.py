"""The topics of the bus and the sockets of the gateway: what travels there, from whom to whom."""

from dataclasses import dataclass
from typing import Literal

from assistant_gateway.protocol import (
    AGENT_PROTOCOL,
    FROM_AGENT,
    FROM_USER,
    TO_AGENT,
    TO_USER,
    USER_PROTOCOL,
    Body,
)
from vehicle_bus.contract import (
    Capabilities,
    CarEvent,
    CarStatus,
    Clock,
    Command,
    CommandUnread,
    Control,
    FaultOrder,
    Frames,
    Reply,
    SessionEnd,
    SignalChanged,
    Snapshot,
    Stamped,
    Topics,
    TurnFinished,
    Verdict,
)

Role = Literal["car", "gateway", "evaluator", "operator"]
Way = Literal["to", "from"]
PREFIX = Topics().prefix
VIN, SID = "{vin}", "{sid}"
PARAMETERS = {
    "vin": "The car. One episode has one of its own: `RUN-TASK-TRIAL`.",
    "path": "VSS path of the signal with `/` instead of `.`, so several levels: `Vehicle/Speed`.",
    "tool": "Name of a tool that is in the capabilities of the car.",
    "client": "MQTT client id of who asked; with MQTT 3.1.1 the `src` of the command.",
    "kind": "What happened, such as `arrival`, `battery_low`, `knob` or `fault`.",
    "sid": "The session.",
}


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic of the bus; `address` has `{parameters}`.

    `user_properties`, `response_topic` and `correlation_data` say what these parts of a message of
    MQTT 5 are for. What has a Response Topic is answered on the topic `reply`.
    """

    name: str
    address: str
    payloads: tuple[type[Stamped], ...]
    sender: Role
    readers: tuple[Role, ...]
    summary: str
    retained: bool = False
    user_properties: tuple[tuple[str, str], ...] = ()
    response_topic: str = ""
    correlation_data: str = ""

    @property
    def parameters(self) -> list[str]:
        return [level[1:-1] for level in self.address.split("/") if level.startswith("{")]


_T = Topics()
ALL: tuple[Role, ...] = ("gateway", "evaluator")
TOPICS = (
    Topic("status", _T.status(VIN), (CarStatus,), "car", ALL,
          "Whether the car is on the bus; its Last Will says that it is not.", True),
    Topic("capabilities", _T.capabilities(VIN), (Capabilities,), "car", ALL,
          "The tools that the car offers now.", True),
    Topic("snapshot", _T.snapshot(VIN), (Snapshot,), "car", ALL,
          "The whole state: at the start and after each burst of changes.", True),
    Topic("signal", _T.signal(VIN, "{path}"), (SignalChanged,), "car", ALL,
          "One signal has a new value; it comes before the snapshot of the same revision.", True),
    Topic("command", _T.command(VIN, "{tool}"), (Command,), "gateway", ("car", "evaluator"),
          "Run one tool. The answer goes to the Response Topic.",
          user_properties=(
              ("traceparent",
               "The span of the agent that asked, if it said so (W3C Trace Context)."),
          ),
          response_topic="Where the answer goes: below the replies of this car.",
          correlation_data="Comes back."),
    Topic("reply", _T.reply(VIN, "{client}"), (Reply, CommandUnread), "car", ALL,
          "What a tool answered, after the changes it made; or why a command cannot be read."),
    Topic("event", _T.event(VIN, "{kind}"), (CarEvent,), "car", ALL,
          "Something happened without a command."),
    Topic("clock", _T.clock(VIN), (Clock,), "gateway", ("car", "evaluator"),
          "Session time, when it begins and whenever it jumps."),
    Topic("fault", _T.fault(VIN), (FaultOrder,), "operator", ("car", "evaluator"),
          "Plan a fault of the car, or clear all of them."),
    Topic("frame", _T.session(VIN, SID, "frame"), (Frames,), "gateway", ("evaluator",),
          "What was said on both sockets, in batches."),
    Topic("turn", _T.session(VIN, SID, "turn"), (TurnFinished,), "gateway", ("evaluator",),
          "One finished turn of the agent with its latencies."),
    Topic("control", _T.session(VIN, SID, "control"), (Control,), "gateway", ("evaluator",),
          "What the driver decided after a turn. The agent under test may not read it."),
    Topic("end", _T.session(VIN, SID, "end"), (SessionEnd,), "gateway", ("evaluator",),
          "The session is over. A record is complete when it has all numbers that `counts` names."),
    Topic("verdict", _T.session(VIN, SID, "verdict"), (Verdict,), "evaluator", ("operator",),
          "The score of the episode.", True),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One WebSocket path of the gateway, and the frames in both directions by their type."""

    name: str
    subprotocol: str
    frames: dict[Way, dict[str, type[Body]]]
    summary: str

    @property
    def address(self) -> str:
        return f"/{self.name}"


ENDPOINTS = (
    Endpoint("agent", AGENT_PROTOCOL, {"to": TO_AGENT, "from": FROM_AGENT},
             "The agent under test: one session at a time on each connection."),
    Endpoint("user", USER_PROTOCOL, {"to": TO_USER, "from": FROM_USER},
             "The driver: opens sessions that are planned, one after the other."),
)  # fmt: skip
