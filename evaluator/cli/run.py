"""`demo` and `run`: tasks are played."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from evaluator.options import (
    AGENT,
    Broker,
    Json,
    LatencyProfile,
    MaxConcurrency,
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
    from evaluator.run.agents import EXTERNAL, WITH_URL, check_simulated, with_command

    layers = _given(context, options)
    options = replace(options, given=_merged(layers))
    if options.resume:
        from evaluator.commands.resuming import with_options_of_run
        from evaluator.results.store import holds_run

        if options.out is not None and holds_run(options.out):
            # A file of defaults may have changed since the run was begun.
            layers = [*layers[:-1], {"out": options.out, "resume": True}]
            given = _merged(layers)
            options = RunOptions(**given, given=given)
        options = with_options_of_run(options)
    options = replace(options, **with_command([*layers, options.given], EXTERNAL | WITH_URL))
    if options.scenario is not None:
        from evaluator.run.scenario import with_scenario

        options = with_scenario(options, options.scenario, options.given)
    check_simulated(options.agent, options.latency_profile)
    run_and_print(options, as_json=as_json)


def _given(context: typer.Context, options: RunOptions) -> list[dict[str, Any]]:
    """The options of the command line, those of the environment, and those of a file."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return [
        {
            name: getattr(options, name)
            for name in option_fields(RunOptions)
            if (source := sources.get(name)) and source.name == place
        }
        for place in PLACES
    ]


def _merged(layers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The first that has an option wins."""
    return {name: layer[name] for layer in reversed(layers) for name in layer}
