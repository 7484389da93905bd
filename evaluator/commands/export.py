"""`codriver export`: a stored run as a file that other programs read, one unit after the other."""

from collections.abc import Mapping
from pathlib import Path

from evaluator.allowed_values import one_of
from evaluator.exports.inspect_log import write_inspect
from evaluator.exports.junit import write_junit
from evaluator.exports.otlp import write_otlp
from evaluator.exports.otlp_post import post_otlp
from evaluator.exports.tables import write_csv, write_jsonl
from evaluator.problems import UsageProblem
from evaluator.stored_run.run import StoredRun, open_run
from evaluator.views.printing import print_json, print_rich

CAR_BENCH = "car-bench"  # which needs the tasks, and is written by its own module
WRITERS = {
    "inspect": write_inspect,
    "otlp": write_otlp,
    "junit": write_junit,
    "csv": write_csv,
    "jsonl": write_jsonl,
}
FORMATS = (*WRITERS, CAR_BENCH)


def export(
    folder: Path,
    form: str | None,
    *,
    out: Path | None,
    to: str | None,
    headers: tuple[str, ...],
    car_bench: Path | None,
    tasks_from: Path | None,
    as_json: bool,
) -> None:
    """Write a file, or send traces to a collector; raises `UsageProblem` or `InfraProblem`."""
    if car_bench is not None:
        if form not in (None, CAR_BENCH) or out is not None:
            raise UsageProblem("--car-bench FILE is --format car-bench --out FILE: name only one")
        form, out = CAR_BENCH, car_bench
    if form is None:
        raise UsageProblem(f"name a --format: {', '.join(FORMATS)}")
    one_of("--format", form, FORMATS)
    if tasks_from is not None and form != CAR_BENCH:
        raise UsageProblem("--tasks-from is only for --format car-bench, which holds the tasks")
    if headers and to is None:
        raise UsageProblem("--header is for the collector of --to")
    if to is not None:
        if form != "otlp" or out is not None:
            raise UsageProblem("--to sends traces: it goes with --format otlp and without --out")
        _send(folder, to, headers, as_json=as_json)
    elif out is None:
        raise UsageProblem("name the file to write: --out FILE")
    elif form == CAR_BENCH:
        from evaluator.car_bench.exporting import export as export_to_car_bench

        export_to_car_bench(folder, out, tasks_from, as_json=as_json)
    else:
        _write(folder, form, out, as_json=as_json)


def _write(folder: Path, form: str, out: Path, *, as_json: bool) -> None:
    run = open_run(folder)
    _not_empty(run)
    try:
        counted = WRITERS[form](run, out)
    except OSError as error:
        raise UsageProblem(f"cannot write {out}: {error.strerror}") from error
    _say({"file": str(out), "format": form}, counted, f"in {out}", as_json=as_json)


def _send(folder: Path, url: str, headers: tuple[str, ...], *, as_json: bool) -> None:
    run = open_run(folder)
    _not_empty(run)
    counted = post_otlp(run, url, headers)
    _say({"url": url, "format": "otlp"}, counted, f"sent to {url}", as_json=as_json)


def _not_empty(run: StoredRun) -> None:
    if not len(run):
        raise UsageProblem(f"{run.folder} has no unit yet: nothing can be exported")


def _say(what: Mapping[str, str], counted: Mapping[str, int], where: str, *, as_json: bool) -> None:
    if as_json:
        print_json({**what, **counted})
    else:
        print_rich(f"{', '.join(f'{number} {name}' for name, number in counted.items())} {where}")
