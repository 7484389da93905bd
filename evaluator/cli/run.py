"""`demo`, `run` and `mcp`: tasks are played."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Annotated, Any

import typer

from evaluator.options import (
    AGENT,
    Broker,
    Json,
    LatencyProfile,
    MaxConcurrency,
    McpOptions,
    Option,
    Out,
    Pace,
    Resume,
    RunOptions,
    option_fields,
)

PLACES = ("COMMANDLINE", "ENVIRONMENT", "DEFAULT_MAP")  # the last is codriver.toml


def demo(
    agent: Annotated[
        str, Option("Agent under test: rules, reference, null, claims or refuse.", AGENT)
    ] = "rules",
    pace: Pace = "fast",
    latency_profile: LatencyProfile = "cloud_fast",
    max_concurrency: MaxConcurrency = 4,
    broker: Broker = "embedded",
    out: Out = None,
    resume: Resume = False,
    as_json: Json = False,
) -> None:
    """Play the showcase: a dozen tasks, no key, no network."""
    from assistant_gateway.agents.agent import IN_PROCESS
    from evaluator.allowed_values import one_of
    from evaluator.commands.run import run_and_print
    from evaluator.task.showcase import SHOWCASE

    one_of("--agent", agent, sorted(IN_PROCESS))
    given: dict[str, Any] = {
        "agent": agent,
        "task_ids": SHOWCASE,
        "pace": pace,
        "latency_profile": latency_profile,
        "max_concurrency": max_concurrency,
        "broker": broker,
        "signals": "all",
        "allow_slow_bench": True,
    }
    run_and_print(RunOptions(**given, given=given, out=out, resume=resume), as_json=as_json)


def run(
    context: typer.Context,
    options: RunOptions,
    as_json: Json = False,
) -> None:
    """Play tasks, score every episode, store the run."""
    from evaluator.commands.run import run_and_print

    run_and_print(_resolved(context, options), as_json=as_json)


def mcp(context: typer.Context, options: McpOptions, as_json: Json = False) -> None:
    """Play tasks with an MCP client as the agent: it talks to the driver and uses the car.

    It is at standard input and output, as most clients start a server, or at --port. What `run`
    prints goes to standard error.
    """
    from evaluator.commands.run import run_and_print

    resolved = _resolved(context, options)
    with redirect_stdout(sys.stderr):
        run_and_print(replace(resolved, stdio=options.mcp_port is None), as_json=as_json)


def _resolved(context: typer.Context, options: RunOptions) -> RunOptions:
    """With what a resumed run, a scenario and the order of sources say."""
    from evaluator.run.agents import EXTERNAL, SEATED, WITH_URL, check_simulated, with_command

    layers = _given(context, options)
    options = replace(options, given=_merged(layers))
    if options.resume:
        from evaluator.commands.resuming import with_options_of_run
        from evaluator.results.store import holds_run

        if options.out is not None and holds_run(options.out):
            # A file of defaults may have changed since the run was begun.
            layers = [*layers[:-1], {"out": options.out, "resume": True}]
            given = _merged(layers)
            options = type(options)(**given, given=given)
        options = with_options_of_run(options)
    startable = EXTERNAL | SEATED | WITH_URL
    options = replace(options, **with_command([*layers, options.given], startable))
    if options.scenario is not None:
        from evaluator.run.scenario import with_scenario

        options = with_scenario(options, options.scenario, options.given)
    check_simulated(options.agent, options.latency_profile)
    return options


def _given(context: typer.Context, options: RunOptions) -> list[dict[str, Any]]:
    """The options of the command line, those of the environment, and those of a file."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    layers = [
        {
            name: getattr(options, name)
            for name in option_fields(RunOptions)
            if (source := sources.get(name)) and source.name == place
        }
        for place in PLACES
    ]
    if isinstance(options, McpOptions):
        layers[0]["agent"] = options.agent
    return layers


def _merged(layers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The first that has an option wins."""
    return {name: layer[name] for layer in reversed(layers) for name in layer}
