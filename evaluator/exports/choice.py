"""Which export `codriver export` is asked for, and what its options may not say together."""

from pathlib import Path

from evaluator.allowed_values import one_of
from evaluator.exports.export import CAR_BENCH, FORMATS, export_file, export_traces
from evaluator.problems import UsageProblem


def chosen(
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
    """Write or send it; raises `UsageProblem`."""
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
        export_traces(folder, to, headers, as_json=as_json)
        return
    if out is None:
        raise UsageProblem("name the file to write: --out FILE")
    if form == CAR_BENCH:
        from evaluator.car_bench.exporting import export

        export(folder, out, tasks_from, as_json=as_json)
        return
    export_file(folder, form, out, as_json=as_json)
