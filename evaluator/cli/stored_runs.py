"""Commands for stored runs: `runs`, `score`, `merge`, `view`, `export`, `compare`, `baseline`, …"""

from pathlib import Path
from typing import Annotated

from evaluator.options import (
    JUDGE,
    PROFILE,
    Json,
    JudgeBaseUrl,
    MaxConcurrency,
    Option,
    Patience,
    Prices,
    RunFolder,
    TasksFrom,
    World,
)
from evaluator.problems import UsageProblem

UNIT = Option("One episode: TASK or TASK:TRIAL.")


def score(
    run: Annotated[Path | None, Option("Run folder.", argument="[RUN]")] = None,
    profile: Annotated[str | None, PROFILE] = None,
    tasks_from: TasksFrom = None,
    world: World = None,
    out: Annotated[
        Path | None,
        Option("Folder to store the newly scored run in as well.", variable="CODRIVER_SCORE_OUT"),
    ] = None,
    from_car_bench: Annotated[
        list[Path] | None,
        Option("Public result files, or a folder of them, to make a run of in --out."),
    ] = None,
    judge: Annotated[str | None, JUDGE] = None,
    judge_base_url: JudgeBaseUrl = None,
    prices: Prices = None,
    max_concurrency: MaxConcurrency = 8,
    patience_s: Patience = None,
    fail_if_changed: Annotated[bool, Option("Exit with 1 if a score changed.")] = False,
    as_json: Json = False,
) -> None:
    """Score a stored run again and list changed scores. No car is needed.

    Profile and judge are those of the run, unless others are given.
    """
    if from_car_bench:
        from evaluator.car_bench.importing import import_into

        import_into(out, run, from_car_bench, profile, tasks_from, world, as_json=as_json)
        return
    if run is None:
        raise UsageProblem("name a run folder, or --from-car-bench and result files")
    from evaluator.commands.score import rescore
    from evaluator.run.models import judging

    judges = judging(judge, judge_base_url, prices, max_concurrency, patience_s)
    rescore(run, profile, tasks_from, world, out, judges, gate=fail_if_changed, as_json=as_json)


def runs(
    folder: Annotated[Path, Option("Folder to look in.", argument="[FOLDER]")] = Path("runs"),
    as_json: Json = False,
) -> None:
    """List the runs in a folder, newest first: units played, solved and in time, agent."""
    from evaluator.commands.runs import list_runs

    list_runs(folder, as_json=as_json)


def merge(
    shards: Annotated[list[Path], Option("Run folders of parts of one run.", argument="SHARDS...")],
    out: Annotated[Path, Option("Folder of the whole run.", variable="CODRIVER_MERGE_OUT")],
    as_json: Json = False,
) -> None:
    """Make one run of parts that were played with `run --shard`.

    A unit that several parts have is kept once if its results are the same, and refused if not.
    """
    from evaluator.commands.merge import merge as join

    join(shards, out, as_json=as_json)


def view(
    run: RunFolder,
    unit: Annotated[str | None, UNIT] = None,
    failed: Annotated[
        bool, Option("Only failed units: one line each, with kind of failure and reason.")
    ] = False,
    slow: Annotated[
        bool,
        Option("Only turns that were too late or slow, by class, with what took the time."),
    ] = False,
    digest: Annotated[bool, Option("Print the hash of each canonical record.")] = False,
    html: Annotated[
        Path | None,
        Option(
            "Write the conversation of --unit as a page, to read and to play again.",
            variable="CODRIVER_VIEW_HTML",
        ),
    ] = None,
    audio: Annotated[
        Path | None,
        Option(
            "Write what was said in --unit as WAV or FLAC, the driver on the left.",
            variable="CODRIVER_VIEW_AUDIO",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a stored run: all its units, or one word by word.

    --failed lists failures and reasons, --slow the turns that missed a limit, --unit TASK shows one
    episode, --digest prints hashes.
    """
    from evaluator.commands.view import show

    show(
        run,
        unit,
        failed=failed,
        slow=slow,
        digest=digest,
        html=html,
        audio=audio,
        as_json=as_json,
    )


def export(
    run: RunFolder,
    form: Annotated[
        str | None,
        Option(
            "What to write: inspect (.eval), otlp (traces), junit (XML), csv, jsonl or car-bench.",
            flags=("--format",),
        ),
    ] = None,
    out: Annotated[Path | None, Option("File to write.", variable="CODRIVER_EXPORT_OUT")] = None,
    to: Annotated[
        str | None,
        Option(
            "Collector to send traces to instead, such as http://127.0.0.1:4318.",
            variable="CODRIVER_EXPORT_TO",
        ),
    ] = None,
    header: Annotated[
        tuple[str, ...],
        Option(
            "Header of requests to the collector, 'Name: value'; repeat the option or separate by "
            "comma.",
            variable="CODRIVER_EXPORT_HEADER",
        ),
    ] = (),
    car_bench: Annotated[
        Path | None,
        Option("File to write in the public format.", flags=("--car-bench-file", "--car-bench")),
    ] = None,
    tasks_from: TasksFrom = None,
    as_json: Json = False,
) -> None:
    """Write a stored run as a file of another tool, or send its traces to a collector.

    The public benchmark's format may also be named by --car-bench FILE alone.
    """
    from evaluator.commands.export import export as export_run

    export_run(
        run,
        form,
        out=out,
        to=to,
        headers=header,
        car_bench=car_bench,
        tasks_from=tasks_from,
        as_json=as_json,
    )


def baseline(
    run: RunFolder,
    out: Annotated[
        Path, Option("File to write and to commit.", variable="CODRIVER_BASELINE_OUT")
    ] = Path("codriver-baseline.json"),
    as_json: Json = False,
) -> None:
    """Write what `compare` needs of a run to a small file: a line per unit, no conversations.

    Commit it, and compare later runs with it: codriver compare codriver-baseline.json RUN --gate.
    """
    from evaluator.commands.compare import keep_baseline

    keep_baseline(run, out, as_json=as_json)


def compare(
    first: Annotated[
        Path, Option("Run folder, or baseline file, to start from.", argument="FIRST")
    ],
    second: Annotated[Path, Option("Run folder to compare with it.", argument="SECOND")],
    force: Annotated[
        bool,
        Option(
            "Compare runs with different drivers, paces or profiles.",
            variable="CODRIVER_COMPARE_FORCE",
        ),
    ] = False,
    gate: Annotated[
        bool,
        Option(
            "Exit with 1 if the second run solves less, less in time, or is slower, and not by "
            "chance.",
            variable="CODRIVER_COMPARE_GATE",
        ),
    ] = False,
    max_drop: Annotated[
        float,
        Option("Points that the shares may drop before --gate fails.", limits=(0, 100)),
    ] = 0.0,
    max_slower_ms: Annotated[
        float,
        Option(
            "Milliseconds that the p50 of a latency may grow before --gate fails.",
            flags=("--max-slower",),
            limits=(0, None),
        ),
    ] = 100.0,
    html: Annotated[
        Path | None,
        Option("Also write the comparison as a page.", variable="CODRIVER_COMPARE_HTML"),
    ] = None,
    summary: Annotated[
        Path | None,
        Option(
            "File to add the comparison in Markdown to, such as $GITHUB_STEP_SUMMARY.",
            variable="CODRIVER_COMPARE_SUMMARY",
        ),
    ] = None,
    junit: Annotated[
        Path | None,
        Option(
            "Write the checks of --gate to this file, as test cases in JUnit's XML.",
            variable="CODRIVER_COMPARE_JUNIT",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say which run is faster and better, by how much, and how sure that is.

    Differences of what was solved, of what was solved in time, and of the p50 of latencies come
    with 95 % intervals. Turns that are late only in the second run are listed. Runs of different
    tasks are compared as a whole.
    """
    from evaluator.commands.compare import compare_runs
    from evaluator.views.gates import Tolerance

    tolerance = Tolerance(max_drop, max_slower_ms)
    compare_runs(
        *(first, second),
        force=force,
        gate=gate,
        html=html,
        summary=summary,
        junit=junit,
        tolerance=tolerance,
        as_json=as_json,
    )


def report(
    run: RunFolder,
    out: Annotated[
        Path | None,
        Option(
            "File to write; default: report.html in the run folder.",
            variable="CODRIVER_REPORT_OUT",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a stored run as one HTML file that opens offline. Holds all conversations."""
    from evaluator.report.report import report as write

    write(run, out, as_json=as_json)


def replay(
    run: RunFolder,
    unit: Annotated[str, UNIT],
    speed: Annotated[float, Option("Speed: 1 is as recorded, 10 faster, 0 all at once.")] = 1.0,
    sound: Annotated[
        bool,
        Option(
            "Also play what was said, if the run was played with --keep-audio.",
            variable="CODRIVER_REPLAY_SOUND",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Play a stored unit in the terminal, at the speed of the recording."""
    from evaluator.commands.replay import replay as play

    play(run, unit, speed, sound=sound, as_json=as_json)
