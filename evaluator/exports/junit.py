"""A run as JUnit's XML: what the agent failed is a failure, what broke around it an error."""

from collections import Counter
from pathlib import Path

from evaluator.stored_run.run import StoredRun
from evaluator.views.ci_files import CiRun, junit_frame, test_case


def write_junit(run: StoredRun, out: Path) -> dict[str, int]:
    """The same file as `codriver run --junit` writes. Counts `cases`, `failures` and `errors`."""
    outcomes = Counter(unit.outcome for unit in run)
    manifest = run.manifest
    ended = CiRun(
        name=manifest.label,
        agent=manifest.described_agent,
        pace=manifest.pace,
        outcomes=outcomes,
    )
    write_cases(run, ended, out)
    return {
        "cases": outcomes.total(),
        "failures": outcomes["failure"],
        "errors": outcomes["infra_error"],
    }


def write_cases(run: StoredRun, ended: CiRun, out: Path) -> None:
    """The cases of a run, one after the other, in the frame of how it ended."""
    head, tail = junit_frame(ended)
    with out.open("wb") as file:
        file.write(head)
        for unit in run:
            file.write(test_case(unit.result))
        file.write(tail)
