"""What stays up until it is stopped: `serve`, `play`, `agent`, `vehicle`, `mock-llm`."""

from pathlib import Path
from typing import Annotated

import typer

from evaluator.cli.options import (
    AgentBaseUrl,
    AgentTimeout,
    Broker,
    ExtraBody,
    Faults,
    Json,
    KeepRetained,
    Latency,
    MotionHz,
    Moving,
    Prices,
    ReasoningEffort,
    Seed,
    StartOfTask,
    TasksFrom,
    Temperature,
    Uvloop,
    WorldFrom,
)
from evaluator.cli.talking import TalkOptions, with_talk_options


@with_talk_options
def serve(
    talking: TalkOptions,
    *,
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, envvar="CODRIVER_PORT", help="Port of the page; 0 is any."),
    ] = 8080,
) -> None:
    """Show a car and its assistant on a page, and talk to it there."""
    from evaluator.cockpit.command import ServeOptions
    from evaluator.cockpit.command import serve as show

    settings, (wish, world) = talking.settings(), talking.wish_and_world()
    show(ServeOptions(settings, world, wish, port))


@with_talk_options
def play(talking: TalkOptions) -> None:
    """Drive in the terminal: you type, the assistant answers.

    /help lists commands, Ctrl-D ends it.
    """
    from evaluator.terminal.command import PlayOptions
    from evaluator.terminal.command import play as drive

    settings, (wish, world) = talking.settings(), talking.wish_and_world()
    drive(PlayOptions(settings, world, wish))


def lone_agent(
    agent: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="Who answers: rules, null, claims, refuse, openai:MODEL, realtime:MODEL, a2a:URL, "
            "or replay:RUN#UNIT.",
        ),
    ],
    gateway: Annotated[
        str, typer.Option(envvar="CODRIVER_GATEWAY", help="Where the gateway is: ws://HOST:PORT.")
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
    agent_timeout: AgentTimeout = 240.0,
    base_url: AgentBaseUrl = None,
    reasoning_effort: ReasoningEffort = None,
    temperature: Temperature = None,
    extra_body: ExtraBody = None,
    prices: Prices = None,
) -> None:
    """Connect an agent to a gateway that runs elsewhere.

    It serves until the gateway closes.
    """
    from evaluator.commands.agent import AgentOptions, attend
    from evaluator.run.models import ModelOptions, agent_options

    options = agent_options(reasoning_effort, temperature, extra_body)
    models = ModelOptions(prices=prices, agent_base_url=base_url, agent_options=options)
    attend(
        AgentOptions(agent, gateway, token, sockets, latency_profile, seed, models, agent_timeout)
    )


def vehicle(
    broker: Broker = "embedded",
    broker_port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65535,
            envvar="CODRIVER_BROKER_PORT",
            help="Port of a broker of our own, open to all on loopback; 0 is any.",
        ),
    ] = 0,
    vin: Annotated[
        str, typer.Option(envvar="CODRIVER_VIN", help="Name of the car, its level in topics.")
    ] = "car-1",
    task: StartOfTask = None,
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    keep_retained: KeepRetained = False,
    motion: Moving = False,
    motion_hz: MotionHz = 1,
    seed: Seed = 10,
    faults: Faults = "none",
    json_: Json = False,
) -> None:
    """Put one car on a broker, for anybody to command.

    It stays until it is stopped.
    """
    from evaluator.commands.vehicle import VehicleOptions, park

    car = VehicleOptions(
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
        typer.Option(envvar="CODRIVER_MOCK_LLM_AGENT", help="Who plays the model: rules."),
    ] = None,
    latency_profile: Annotated[
        str,
        typer.Option(
            envvar="CODRIVER_MOCK_LLM_LATENCY_PROFILE",
            help="How slow the model is: zero, cloud_fast, edge_8b_int4, … or a YAML file.",
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
        int,
        typer.Option(
            min=0, max=65535, envvar="CODRIVER_MOCK_LLM_PORT", help="Port to listen at; 0 is any."
        ),
    ] = 0,
    host: Annotated[
        str, typer.Option(envvar="CODRIVER_HOST", help="Address to listen at.")
    ] = "127.0.0.1",
    uvloop: Uvloop = False,
) -> None:
    """Serve an OpenAI-compatible model without one.

    Scripted or by rules; no key, no network.
    """
    from evaluator.commands.mock_llm import MockOptions, serve

    serve(MockOptions(script, agent, latency_profile, first_token_ms, seed, host, port, uvloop))
