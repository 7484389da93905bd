"""What checks and measures the bench itself: `conformance`, `bench`, `doctor`."""

from pathlib import Path
from typing import Annotated

from evaluator.options import Broker, Json, MaxConcurrency, On, Option, TasksFrom, Uvloop, World


def conformance(
    recordings: Annotated[
        list[Path],
        Option("Recorded public runs: files or folders.", argument="RECORDINGS..."),
    ],
    tasks_from: TasksFrom = None,
    world: World = None,
    profile: Annotated[
        str,
        Option(
            "Scoring profile; car-bench and car-bench-2026 compare whole verdicts, rule by rule.",
            variable="CODRIVER_CONFORMANCE_PROFILE",
        ),
    ] = "codriver",
    max_concurrency: MaxConcurrency = 8,
    broker: Broker = "embedded",
    drivers: Annotated[
        bool,
        Option("Compare the scripted driver's decisions with the recorded driver's, turn by turn."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Replay recorded public runs, and compare every answer. Exits with 1 on a difference.

    With --drivers nothing is replayed: the scripted driver hears the recorded turns.
    """
    from evaluator.car_bench.conformance import conform
    from evaluator.car_bench.driver_agreement import compare_drivers

    if drivers:
        compare_drivers(recordings, tasks_from, world, as_json=as_json)
        return
    conform(
        recordings, tasks_from, world, broker, max_concurrency, profile=profile, as_json=as_json
    )


def bench(
    only: Annotated[
        tuple[str, ...],
        Option("One part or key; repeat the option or separate by comma; default: everything."),
    ] = (),
    tasks_from: TasksFrom = None,
    world: World = None,
    broker: Broker = "embedded",
    soak: Annotated[
        float | None, Option("Seconds of a long run after everything else.", limits=(1, None))
    ] = None,
    sessions: Annotated[
        int | None, Option("Live sessions at the same time.", limits=(1, None))
    ] = None,
    quick: Annotated[
        bool,
        Option("Measure a little of everything: whether it works, not how fast it is."),
    ] = False,
    uvloop: Uvloop = False,
    as_json: Json = False,
) -> None:
    """Measure the bench on this machine: bus, tool calls, episodes, latencies, memory, …"""
    from evaluator.measuring.bench import measure

    measure(
        *(only, tasks_from, world, broker, soak, sessions),
        quick=quick,
        uvloop=uvloop,
        as_json=as_json,
    )


def doctor(broker: Broker = "auto", on: On = "", as_json: Json = False) -> None:
    """Check what a run needs: machine, broker, car, gateway, access rules, and a cluster."""
    from evaluator.commands.doctor import examine

    examine(broker, on, as_json=as_json)
