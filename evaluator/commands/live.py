"""What stays up until it is stopped: `serve`, `play`, `agent`, `vehicle`, `mock-llm`."""

from pathlib import Path
from typing import Annotated

import typer

from evaluator.commands.options import (
    AgentBaseUrl,
    AgentToken,
    Broker,
    Faults,
    GatewayPort,
    Json,
    Latency,
    MotionHz,
    Moving,
    Prices,
    Seed,
    StartOfTask,
    TasksFrom,
    WorldFrom,
)

TalkingAgent = Annotated[
    str,
    typer.Option(
        "--agent",
        envvar="CODRIVER_AGENT",
        help="rules, null, claims, refuse, or ws: your own; openai:MODEL, realtime:MODEL, "
        "a2a:URL, replay:RUN#UNIT; reference with --task.",
    ),
]


def serve(
    agent: TalkingAgent = "rules",
    port: Annotated[
        int, typer.Option(min=0, max=65535, envvar="CODRIVER_PORT", help="Of the page; 0 is any.")
    ] = 8080,
    task: StartOfTask = None,
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    broker: Broker = "embedded",
    latency_profile: Latency = "cloud_fast",
    seed: Seed = 10,
    gateway_port: GatewayPort = 0,
    agent_token: AgentToken = None,
    base_url: AgentBaseUrl = None,
    prices: Prices = None,
    motion: Moving = False,
    motion_hz: MotionHz = 1,
) -> None:
    """Show a car and its assistant on a page, and talk to it there."""
    from evaluator.cockpit.command import Show
    from evaluator.cockpit.command import serve as show
    from evaluator.live_options import LiveOptions
    from evaluator.models import ModelOptions

    models = ModelOptions(None, None, prices, base_url)
    options = LiveOptions(
        agent, task, tasks_from, world, broker, latency_profile, seed, gateway_port, agent_token,
        models, motion, motion_hz,
    )  # fmt: skip
    settings, (wish, built) = options.settings(), options.wish_and_world()
    show(Show(settings, built, wish, port))


def play(
    agent: TalkingAgent = "rules",
    task: StartOfTask = None,
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    broker: Broker = "embedded",
    latency_profile: Latency = "cloud_fast",
    seed: Seed = 10,
    gateway_port: GatewayPort = 0,
    agent_token: AgentToken = None,
    base_url: AgentBaseUrl = None,
    prices: Prices = None,
    motion: Moving = False,
    motion_hz: MotionHz = 1,
) -> None:
    """Drive in the terminal: you type, the assistant answers, Ctrl-D ends it."""
    from evaluator.live_options import LiveOptions
    from evaluator.models import ModelOptions
    from evaluator.terminal.command import Drive
    from evaluator.terminal.command import play as drive

    models = ModelOptions(None, None, prices, base_url)
    options = LiveOptions(
        agent, task, tasks_from, world, broker, latency_profile, seed, gateway_port, agent_token,
        models, motion, motion_hz,
    )  # fmt: skip
    wish, built = options.wish_and_world()
    drive(Drive(options.settings(), built, wish))


def lone_agent(
    agent: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="null, claims, refuse, openai:MODEL, realtime:MODEL, a2a:URL, or replay:RUN#UNIT.",
        ),
    ],
    gateway: Annotated[
        str, typer.Option(envvar="CODRIVER_GATEWAY", help="The gateway as ws://HOST:PORT.")
    ],
    token: Annotated[
        str | None,
        typer.Option(envvar="CODRIVER_TOKEN", help="Its agent token; better in the environment."),
    ] = None,
    sockets: Annotated[
        int, typer.Option(min=1, envvar="CODRIVER_SOCKETS", help="Sessions at a time.")
    ] = 1,
    latency_profile: Latency = "zero",
    seed: Seed = 10,
    base_url: AgentBaseUrl = None,
    prices: Prices = None,
) -> None:
    """Seat an agent at a gateway that runs elsewhere, until that closes."""
    from evaluator.agent_command import Lone, attend
    from evaluator.models import ModelOptions

    models = ModelOptions(None, None, prices, base_url)
    attend(Lone(agent, gateway, token, sockets, latency_profile, seed, models))


def vehicle(
    broker: Annotated[
        str,
        typer.Option(
            envvar="CODRIVER_BROKER",
            help="embedded or mosquitto, open to all on loopback, or mqtt(s)://[user:password@]host.",
        ),
    ] = "embedded",
    broker_port: Annotated[
        int,
        typer.Option(min=0, max=65535, envvar="CODRIVER_BROKER_PORT", help="Of our own; 0 is any."),
    ] = 0,
    vin: Annotated[str, typer.Option(envvar="CODRIVER_VIN", help="Its level in topics.")] = "car-1",
    task: StartOfTask = None,
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    keep_retained: Annotated[
        bool,
        typer.Option(
            "--keep-retained/--no-keep-retained",
            envvar="CODRIVER_KEEP_RETAINED",
            help="Leave its retained topics on the broker.",
        ),
    ] = False,
    motion: Moving = False,
    motion_hz: MotionHz = 1,
    seed: Seed = 10,
    faults: Faults = "none",
    json_: Json = False,
) -> None:
    """Put one car on a broker, for anybody to command, until it is stopped."""
    from evaluator.vehicle_command import LoneCar, park

    car = LoneCar(
        broker, broker_port, vin, task, tasks_from, world, keep_retained, motion, motion_hz, seed,
        faults,
    )  # fmt: skip
    park(car, as_json=json_)


def mock_llm(
    script: Annotated[
        Path | None,
        typer.Option(envvar="CODRIVER_SCRIPT", help="YAML of rules; see docs/mock-llm.md."),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(envvar="CODRIVER_AGENT", help="rules: an assistant plays the model."),
    ] = None,
    latency_profile: Annotated[
        str,
        typer.Option(
            envvar="CODRIVER_LATENCY_PROFILE",
            help="How slow: zero, cloud_fast, edge_8b_int4, … or a YAML file.",
        ),
    ] = "zero",
    first_token_ms: Annotated[
        float | None,
        typer.Option(
            min=0,
            envvar="CODRIVER_FIRST_TOKEN_MS",
            help="Each answer begins so much later, instead of --latency-profile.",
        ),
    ] = None,
    seed: Seed = 10,
    port: Annotated[
        int, typer.Option(min=0, max=65535, envvar="CODRIVER_PORT", help="0 is any free one.")
    ] = 0,
    host: Annotated[
        str, typer.Option(envvar="CODRIVER_HOST", help="The address to listen at.")
    ] = "127.0.0.1",
) -> None:
    """Serve an OpenAI-compatible model without one: scripted or by rules; no key, no network."""
    from evaluator.mock_command import MockOptions, serve

    serve(MockOptions(script, agent, latency_profile, first_token_ms, seed, host, port))
