"""The options that the pytest plug-in adds, and its marker."""

from dataclasses import dataclass
from typing import Annotated

from evaluator.options import (
    Agent,
    AgentCommand,
    AgentWait,
    Broker,
    LatencyProfile,
    Option,
    Pace,
    RunOptions,
    SessionOptions,
    SpeechProfile,
    option_fields,
    option_of,
)

MARKER = "codriver"


@dataclass(frozen=True, kw_only=True)
class PluginOptions(SessionOptions):
    """The options of one test; most are those of sessions on the command line."""

    agent: Agent = "rules"
    broker: Broker = RunOptions.broker
    latency_profile: LatencyProfile = RunOptions.latency_profile
    speech_profile: SpeechProfile = "constant"
    pace: Pace = RunOptions.pace
    agent_wait_s: AgentWait = RunOptions.agent_wait_s
    agent_command: AgentCommand = ""
    tool_timeout_s: Annotated[
        float | None,
        Option("Seconds to wait for the car's answer to a call."),
    ] = None


# Fields that pytest's options, its ini file, the environment and the marker can set.
FIELDS = (
    "agent",
    "agent_command",
    "agent_wait_s",
    "gateway_port",
    "base_url",
    "broker",
    "world",
    "pace",
    "latency_profile",
    "tool_timeout_s",
)
NAMES = {name.removesuffix("_s"): name for name in FIELDS}


def help_of(field: str) -> str:
    option = option_of(option_fields(PluginOptions)[field].type)
    return option.help if option else ""
