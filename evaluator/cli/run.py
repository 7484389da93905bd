"""`demo` and `run`: tasks are played."""

from pathlib import Path
from typing import Annotated

import typer

from evaluator.options import (
    AGENT,
    Agent,
    Broker,
    Json,
    LatencyProfile,
    MaxConcurrency,
    Option,
    Out,
    Pace,
    Resume,
    RunOptions,
)

GIVEN = ("COMMANDLINE", "ENVIRONMENT")


def demo(
    agent: Agent = "rules",
    pace: Pace = "fast",
    latency_profile: LatencyProfile = "cloud_fast",
    max_concurrency: MaxConcurrency = 4,
    broker: Broker = "embedded",
    out: Out = None,
    resume: Resume = False,
    as_json: Json = False,
) -> None:
    """Play the showcase: a dozen tasks, no key, no network."""
    from evaluator.commands.run import run_and_print
    from evaluator.task.showcase import SHOWCASE

    options = RunOptions(
        agent=agent,
        task_ids=SHOWCASE,
        pace=pace,
        latency_profile=latency_profile,
        max_concurrency=max_concurrency,
        broker=broker,
        out=out,
        resume=resume,
        signals="all",
        allow_slow_bench=True,
    )
    run_and_print(options, as_json=as_json)


def run(
    context: typer.Context,
    options: RunOptions,
    scenario: Annotated[
        Path | None,
        Option("File scenario.toml: A2A agent, its start command and tasks; options win.", AGENT),
    ] = None,
    as_json: Json = False,
) -> None:
    """Play tasks, score every episode, store the run."""
    from evaluator.commands.run import run_and_print
    from evaluator.run.agents import check_simulated

    if scenario is not None:
        from evaluator.run.scenario import with_scenario

        options = with_scenario(options, scenario, _given(context))
    check_simulated(options.agent, options.latency_profile)
    run_and_print(options, as_json=as_json)


def _given(context: typer.Context) -> frozenset[str]:
    """The options that were given, on the command line or in the environment."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return frozenset(name for name, source in sources.items() if source and source.name in GIVEN)
