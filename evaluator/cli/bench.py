"""What is asked of the bench itself: `conformance`, `bench`, `doctor`."""

from pathlib import Path
from typing import Annotated

import typer

from evaluator.cli.options import (
    Broker,
    Json,
    MaxConcurrency,
    TasksFrom,
    Uvloop,
    WorldFrom,
    separated,
)


def conformance(
    recordings: Annotated[
        list[Path],
        typer.Argument(metavar="RECORDINGS...", help="Recorded public runs: files or folders."),
    ],
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    profile: Annotated[
        str,
        typer.Option(
            envvar="CODRIVER_CONFORMANCE_PROFILE",
            help="car-bench compares whole verdicts too, rule by rule.",
        ),
    ] = "codriver",
    max_concurrency: MaxConcurrency = 8,
    broker: Broker = "embedded",
    json_: Json = False,
) -> None:
    """Replay recorded public runs, and compare every answer. Exits with 1 on a difference."""
    from evaluator.car_bench.conformance import conform

    conform(recordings, tasks_from, world, broker, max_concurrency, profile=profile, as_json=json_)


def bench(
    only: Annotated[
        list[str] | None,
        typer.Option(
            envvar="CODRIVER_ONLY",
            help="One part or key; repeat or separate by comma. Default: everything.",
        ),
    ] = None,
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    broker: Broker = "embedded",
    soak: Annotated[
        float | None,
        typer.Option(min=1, envvar="CODRIVER_SOAK", help="Then play on for so many seconds."),
    ] = None,
    sessions: Annotated[
        int | None,
        typer.Option(min=1, envvar="CODRIVER_SESSIONS", help="Live sessions at a time."),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            envvar="CODRIVER_QUICK",
            help="A little of everything: whether all of it works, not how fast it is.",
        ),
    ] = False,
    uvloop: Uvloop = False,
    json_: Json = False,
) -> None:
    """Measure this harness on this machine. Bus, tool calls, episodes, latencies, memory, …"""
    from evaluator.measuring.bench import measure

    measure(
        *(separated(only), tasks_from, world, broker, soak, sessions),
        quick=quick,
        uvloop=uvloop,
        as_json=json_,
    )


def doctor(broker: Broker = "auto", json_: Json = False) -> None:
    """Check what a run needs: broker, ports, limits, ACL, clock."""
    from evaluator.commands.doctor import examine

    examine(broker, as_json=json_)
