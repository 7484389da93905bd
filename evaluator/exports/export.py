"""`codriver export`: a stored run as a file that other programs read, one unit after the other."""

from collections.abc import Mapping
from pathlib import Path

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


def export_file(folder: Path, form: str, out: Path, *, as_json: bool) -> None:
    """Write a file; raises `UsageProblem`."""
    run = open_run(folder)
    _not_empty(run)
    try:
        counted = WRITERS[form](run, out)
    except OSError as error:
        raise UsageProblem(f"cannot write {out}: {error.strerror}") from error
    _say({"file": str(out), "format": form}, counted, f"in {out}", as_json=as_json)


def export_traces(folder: Path, url: str, headers: tuple[str, ...], *, as_json: bool) -> None:
    """Send the traces of a run to a collector; raises `UsageProblem` or `InfraProblem`."""
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
