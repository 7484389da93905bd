"""Options of the commands; each can be given in the environment as well, as CODRIVER_NAME.

Where another command means something else by the same option, its variable is
CODRIVER_COMMAND_NAME.
"""

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[
    bool,
    typer.Option("--json/--no-json", envvar="CODRIVER_JSON", help="Print one JSON object."),
]
Agent = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_AGENT",
        help="Who answers: rules, reference, null, claims, refuse, or ws: your own; openai:MODEL, "
        "realtime:MODEL, a2a:URL, replay:RUN.",
    ),
]
User = Annotated[
    str, typer.Option(envvar="CODRIVER_USER", help="Who drives: scripted, or llm:MODEL.")
]
AgentBaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        envvar="CODRIVER_BASE_URL",
        help="Where the agent's model is; default: OPENAI_BASE_URL.",
    ),
]
ReasoningEffort = Annotated[
    str | None,
    typer.Option(
        envvar="CODRIVER_REASONING_EFFORT",
        help="Sent with --agent openai:MODEL: none, minimal, low, … as the model knows it.",
    ),
]
Temperature = Annotated[
    float | None,
    typer.Option(envvar="CODRIVER_TEMPERATURE", help="Sent with --agent openai:MODEL."),
]
ExtraBody = Annotated[
    str | None,
    typer.Option(
        envvar="CODRIVER_EXTRA_BODY",
        help="A JSON object with more fields of the requests of --agent openai:MODEL.",
    ),
]
AgentTimeout = Annotated[
    float,
    typer.Option(
        min=0.1,
        envvar="CODRIVER_AGENT_TIMEOUT",
        help="Seconds an a2a agent may take for a turn before it has failed.",
    ),
]
UserBaseUrl = Annotated[
    str | None,
    typer.Option(
        envvar="CODRIVER_USER_BASE_URL",
        help="Where the driver's model is; default: OPENAI_BASE_URL. Keys come from the "
        "environment or .env.",
    ),
]
JudgeBaseUrl = Annotated[
    str | None,
    typer.Option(
        envvar="CODRIVER_JUDGE_BASE_URL", help="Where the judge is; default: OPENAI_BASE_URL."
    ),
]
Prices = Annotated[
    Path | None,
    typer.Option(
        envvar="CODRIVER_PRICES", help="YAML of USD per million tokens; a price not there is null."
    ),
]
TasksFrom = Annotated[
    Path | None,
    typer.Option(
        envvar="CODRIVER_TASKS_FROM", help="Folder of tasks; default: the ones that ship."
    ),
]
WorldFrom = Annotated[
    Path | None,
    typer.Option(
        "--world", envvar="CODRIVER_WORLD", help="World file or folder; default: the tasks'."
    ),
]
StartOfTask = Annotated[
    str | None,
    typer.Option("--task", envvar="CODRIVER_TASK", help="A task whose car it is at the start."),
]
TaskType = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_TASK_TYPE",
        help="Which type: all, base, hallucination (or limit), disambiguation.",
    ),
]
TaskSplit = Annotated[
    str, typer.Option(envvar="CODRIVER_TASK_SPLIT", help="Which split: all, train or test.")
]
TaskIds = Annotated[
    list[str] | None,
    typer.Option(envvar="CODRIVER_TASK_IDS", help="Only these ids; repeat or separate by comma."),
]
NumTasks = Annotated[
    int, typer.Option(envvar="CODRIVER_NUM_TASKS", help="The first N tasks; -1 is all.")
]
NumTrials = Annotated[
    int, typer.Option(min=1, envvar="CODRIVER_NUM_TRIALS", help="How often each task is played.")
]
MaxConcurrency = Annotated[
    int, typer.Option(min=1, envvar="CODRIVER_MAX_CONCURRENCY", help="Sessions at a time.")
]
Pace = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_PACE",
        help="How time passes: fast skips waiting, live is real time, virtual is deterministic.",
    ),
]
Latency = Annotated[
    str,
    typer.Option(
        "--latency-profile",
        envvar="CODRIVER_LATENCY_PROFILE",
        help="How slow the shipped agents are: zero, cloud_fast, edge_8b_int4, … or a YAML file.",
    ),
]
Faults = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_FAULTS",
        help="What goes wrong with every car: none, flaky, slow_bus, offline_once, lying, "
        "or a YAML file.",
    ),
]
SpeechProfile = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_SPEECH_PROFILE",
        help="How speech takes its time: typical, on_device, slow_cloud, constant or a YAML file.",
    ),
]
BudgetProfile = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_BUDGET_PROFILE",
        help="Latency budgets: strict (x 0.75), default, lenient (x 1.5) or a YAML file.",
    ),
]
OnHardLimit = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_ON_HARD_LIMIT",
        help="When nothing was heard in time: record it, nudge the agent, or end the turn.",
    ),
]
Moving = Annotated[
    bool,
    typer.Option(
        "--motion/--no-motion",
        envvar="CODRIVER_MOTION",
        help="Cars drive along their active routes; default: only those of tasks that say so.",
    ),
]
MotionHz = Annotated[
    int,
    typer.Option(
        min=1,
        max=10,
        envvar="CODRIVER_MOTION_HZ",
        help="How often per second a moving car tells where it is, in real time.",
    ),
]
Profile = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_PROFILE",
        help="How to score: codriver, or car-bench exactly as published.",
    ),
]
Broker = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_BROKER",
        help="Which broker: auto, embedded, mosquitto, or mqtt(s)://[user:password@]host[:port].",
    ),
]
Seed = Annotated[int, typer.Option(envvar="CODRIVER_SEED", help="Seeds every chance in the run.")]
KeepRetained = Annotated[
    bool,
    typer.Option(
        "--keep-retained/--no-keep-retained",
        envvar="CODRIVER_KEEP_RETAINED",
        help="Leave the retained topics of cars on the broker.",
    ),
]
Uvloop = Annotated[
    bool,
    typer.Option(
        "--uvloop/--no-uvloop",
        envvar="CODRIVER_UVLOOP",
        help="Another event loop, some 10 % cheaper; needs the extra uvloop.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(envvar="CODRIVER_OUT", help="Run folder; default: runs/RUN_ID."),
]
Resume = Annotated[
    bool,
    typer.Option("--resume/--no-resume", envvar="CODRIVER_RESUME", help="Finish the run in --out."),
]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]
GatewayPort = Annotated[
    int,
    typer.Option(
        min=0, max=65535, envvar="CODRIVER_GATEWAY_PORT", help="Port of the gateway; 0 is any."
    ),
]
AgentToken = Annotated[
    str | None,
    typer.Option(envvar="CODRIVER_AGENT_TOKEN", help="Token for --agent ws; default: a new one."),
]


def separated(values: list[str] | None) -> tuple[str, ...]:
    """What was given once or often, each perhaps with commas in it."""
    return tuple(part for value in values or () for part in value.split(",") if part)
