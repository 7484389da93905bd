"""`codriver merge`: one run of the parts that `run --shard` has played."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from assistant_gateway.wording.spoken import counted
from evaluator.event_loop import run_async
from evaluator.views.printing import print_json
from evaluator.workers.shards import Merged, merged


def merge(shards: Sequence[Path], out: Path, *, as_json: bool) -> None:
    """Make one run of its shards; raises `UsageProblem` if they are not parts of one."""
    run = run_async(merged(shards, out))
    if as_json:
        print_json(asdict(run))
    else:
        sys.stdout.write("".join(f"{line}\n" for line in _lines(run)))


def _lines(run: Merged) -> Iterator[str]:
    yield f"{run.out} holds {run.units} of {counted(run.planned, 'unit')}"
    if run.twice:
        yield f"{counted(run.twice, 'unit')} came twice, with the same result"
    if run.units < run.planned:
        yield f"play the others with: codriver run --out {run.out} --resume"
