"""`codriver tasks generate`: a fresh set of tasks from the motifs."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from evaluator.allowed_values import one_of
from evaluator.problems import UsageProblem
from evaluator.task.selection import SPLITS, load_world
from evaluator.task.splits import splits
from evaluator.task_making.figures import figures_of
from evaluator.task_making.generate import Made, generated
from evaluator.task_making.task_file import task_text
from evaluator.views.printing import print_json, print_rich

SKELETONS = "skeletons.jsonl"


def generate(
    out: Path, seed: int, number: int, task_split: str, world: Path | None, *, as_json: bool
) -> None:
    """Write a file for each task, and beside them what whoever words them has to know."""
    if out.is_dir() and any(out.iterdir()):
        raise UsageProblem(f"{out} is not empty; --out names a new folder")
    one_of("--task-split", task_split, SPLITS)
    opened = load_world(None, world)
    made = generated(opened, seed, number, splits().get(task_split))
    out.mkdir(parents=True, exist_ok=True)
    for one in made:
        text = task_text(one.skeleton, one.task.task_id, one.task.family, one.task.twin)
        (out / f"{one.task.task_id}.yaml").write_text(text, encoding="utf-8")
    (out / SKELETONS).write_bytes(b"".join(orjson.dumps(_row(one)) + b"\n" for one in made))
    figures = {"out": str(out), "seed": seed, **figures_of([one.task for one in made])}
    if as_json:
        print_json(figures)
    else:
        print_rich(*_lines(figures, made))


def _row(made: Made) -> dict[str, Any]:
    skeleton = made.skeleton.model_dump(mode="json", exclude_defaults=True)
    task = made.task
    return {"task_id": task.task_id, "family": task.family, "twin": task.twin, **skeleton}


def _lines(figures: dict[str, Any], made: Sequence[Made]) -> list[str]:
    motifs = Counter(one.skeleton.motif for one in made)
    return [
        f"{len(made)} tasks of {len({one.task.family for one in made})} families and {len(motifs)} "
        f"motifs in {figures['out']}",
        f"expected calls: {figures['mean_calls']:.2f} on average, "
        f"{figures['five_or_more']:.0%} with five or more",
        f"never needed: {', '.join(figures['never_needed']) or 'nothing'}",
        f"check them with: codriver tasks validate --tasks-from {figures['out']}",
    ]
