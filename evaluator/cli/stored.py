"""What is done with stored runs: `score`, `view`, `export`, `compare`, `report`, `replay`."""

from pathlib import Path
from typing import Annotated

import typer

from evaluator.cli.options import (
    Json,
    JudgeBaseUrl,
    MaxConcurrency,
    Prices,
    RunFolder,
    TasksFrom,
    WorldFrom,
)
from evaluator.problems import UsageProblem


def score(
    run: Annotated[Path | None, typer.Argument(metavar="[RUN]", help="A run folder.")] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            envvar="CODRIVER_PROFILE",
            help="How to score: codriver, or car-bench exactly as published; default: as before.",
        ),
    ] = None,
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    out: Annotated[
        Path | None,
        typer.Option(
            envvar="CODRIVER_SCORE_OUT", help="Also keep the newly scored run in this folder."
        ),
    ] = None,
    from_car_bench: Annotated[
        list[Path] | None,
        typer.Option(
            envvar="CODRIVER_FROM_CAR_BENCH",
            help="Make a run in --out of public result files, or a folder of them, instead.",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            envvar="CODRIVER_JUDGE",
            help="The model that decides what code cannot, or off; default: as judged before.",
        ),
    ] = None,
    judge_base_url: JudgeBaseUrl = None,
    prices: Prices = None,
    max_concurrency: MaxConcurrency = 8,
    gate: Annotated[
        bool,
        typer.Option(
            "--gate/--no-gate",
            envvar="CODRIVER_SCORE_GATE",
            help="Exit with 1 if a score changed.",
        ),
    ] = False,
    json_: Json = False,
) -> None:
    """Score a stored run again and tell which scores changed. No car is needed."""
    if from_car_bench:
        from evaluator.car_bench.importing import import_into

        import_into(out, run, from_car_bench, profile, tasks_from, world, as_json=json_)
        return
    if run is None:
        raise UsageProblem("name a run folder, or --from-car-bench and result files")
    from evaluator.commands.score import rescore
    from evaluator.run.models import ModelOptions

    judging = ModelOptions(None, judge_base_url, prices).judging(judge, max_concurrency)
    rescore(run, profile, tasks_from, world, out, judging, gate=gate, as_json=json_)


def view(
    run: RunFolder,
    unit: Annotated[
        str | None,
        typer.Option(
            envvar="CODRIVER_UNIT",
            help="One episode as TASK or TASK:TRIAL; default: a row for each.",
        ),
    ] = None,
    failed: Annotated[
        bool,
        typer.Option(
            "--failed/--no-failed",
            envvar="CODRIVER_FAILED",
            help="Only what failed: a line each with the kind of failure and why.",
        ),
    ] = False,
    digest: Annotated[
        bool,
        typer.Option(
            "--digest/--no-digest",
            envvar="CODRIVER_DIGEST",
            help="Print the hash of each canonical record.",
        ),
    ] = False,
    json_: Json = False,
) -> None:
    """Look into a stored run: all its units, or one word by word.

    --failed lists what failed and why, --unit TASK shows one episode, --digest hashes.
    """
    from evaluator.commands.view import show

    show(run, unit, failed=failed, digest=digest, as_json=json_)


def export(
    run: RunFolder,
    car_bench: Annotated[
        Path,
        typer.Option(
            "--car-bench-file",
            "--car-bench",
            envvar="CODRIVER_CAR_BENCH_FILE",
            help="The file to write in the public format.",
        ),
    ],
    tasks_from: TasksFrom = None,
    json_: Json = False,
) -> None:
    """Write a stored run as a result file of the public benchmark."""
    from evaluator.car_bench.exporting import export as write

    write(run, car_bench, tasks_from, as_json=json_)


def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN", help="The run to start from.")],
    second: Annotated[Path, typer.Argument(metavar="RUN", help="The run to hold against it.")],
    force: Annotated[
        bool,
        typer.Option(
            "--force/--no-force",
            envvar="CODRIVER_COMPARE_FORCE",
            help="Compare runs of different drivers, paces or profiles all the same.",
        ),
    ] = False,
    gate: Annotated[
        bool,
        typer.Option(
            "--gate/--no-gate",
            envvar="CODRIVER_COMPARE_GATE",
            help="Exit with 1 if the second is worse.",
        ),
    ] = False,
    json_: Json = False,
) -> None:
    """Tell whether the second run is better than the first. Goes task by task."""
    from evaluator.commands.compare import compare_runs

    compare_runs(first, second, force=force, gate=gate, as_json=json_)


def report(
    run: RunFolder,
    out: Annotated[
        Path | None,
        typer.Option(
            envvar="CODRIVER_REPORT_OUT",
            help="The file to write; default: report.html in the run folder.",
        ),
    ] = None,
    json_: Json = False,
) -> None:
    """Write a stored run as one HTML file that opens offline. Holds all conversations."""
    from evaluator.report.command import report as write

    write(run, out, as_json=json_)


def replay(
    run: RunFolder,
    unit: Annotated[
        str, typer.Option(envvar="CODRIVER_UNIT", help="One episode as TASK or TASK:TRIAL.")
    ],
    speed: Annotated[
        float,
        typer.Option(envvar="CODRIVER_SPEED", help="1 is as recorded, 10 faster, 0 all at once."),
    ] = 1.0,
    json_: Json = False,
) -> None:
    """Play a stored unit in the terminal, as fast as it happened."""
    from evaluator.commands.replay import replay as play

    play(run, unit, speed, as_json=json_)
