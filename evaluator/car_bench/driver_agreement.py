"""`codriver conformance --drivers`: does the scripted driver decide like recorded model drivers?

The assistant turns of recorded runs are given to a fresh scripted driver one after the other, with
what the car had confirmed by then, whatever it said itself. Each turn is one comparison: the
recorded driver ended there with some word, or went on.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from evaluator.car_bench.recordings import RecordedRun, RecordedRuns, Step, read_recordings
from evaluator.car_bench.replay_in_process import OVER, last_word
from evaluator.problems import UsageProblem
from evaluator.reference.driver_brief import driver_brief
from evaluator.results.statistics import wilson
from evaluator.task.selection import load_tasks, load_world
from evaluator.task.task import Task
from evaluator.views.printing import print_json, print_rich
from user_sim.scripted import ScriptedDriver
from user_sim.wants import CarCall
from vehicle_bus.car.tool import is_failure
from vehicle_bus.world.world import World

CONTINUE = "CONTINUE"
Disagreement = Literal["ended too early", "went on", "other word"]
DISAGREEMENTS: tuple[Disagreement, ...] = ("ended too early", "went on", "other word")


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A turn of the assistant and what the recorded driver did then: its word, or what it said."""

    heard: str
    confirmed: tuple[CarCall, ...]
    word: str
    said: str | None


@dataclass(frozen=True, slots=True)
class ComparedTurn:
    """What both drivers did after turn number `turn`, counted from 1."""

    task_id: str
    trial: int
    where: str
    task_type: str
    script: str
    turn: int
    heard: str
    recorded: str
    recorded_say: str | None
    scripted: str
    scripted_say: str | None
    reason: str

    @property
    def disagreement(self) -> Disagreement | None:
        if self.recorded == self.scripted:
            return None
        if self.recorded == CONTINUE:
            return "ended too early"
        return "went on" if self.scripted == CONTINUE else "other word"


def recorded_turns(run: RecordedRun, task: Task) -> Iterator[RecordedTurn]:
    """The turns after which the driver decided; none where it is not known what it decided."""
    confirmed: list[CarCall] = []
    for step, after in zip(run.steps, (*run.steps[1:], None), strict=True):
        if step.who == "driver":
            continue
        confirmed += _carried_out(step)
        if step.calls or after is None or after.who != "driver":
            continue
        over = after.text.strip() == OVER
        word = last_word(run, task) if over else CONTINUE
        if word is not None:
            yield RecordedTurn(step.text, tuple(confirmed), word, None if over else after.text)
        confirmed = []


def _carried_out(step: Step) -> Iterator[CarCall]:
    for call in step.calls:
        if call.output is not None and not is_failure(call.output):
            yield call.tool, call.arguments


def compared_turns(run: RecordedRun, task: Task, world: World) -> Iterator[ComparedTurn]:
    """Every decision of a recorded driver beside that of a scripted one."""
    brief = driver_brief(task, world)
    driver = ScriptedDriver(brief)
    for number, turn in enumerate(recorded_turns(run, task), start=1):
        decided = driver.after_turn(turn.heard, turn.confirmed)
        yield ComparedTurn(
            task_id=task.task_id,
            trial=run.trial,
            where=run.where,
            task_type=task.task_type,
            script=brief.script.origin if brief.script else "none",
            turn=number,
            heard=turn.heard,
            recorded=turn.word,
            recorded_say=turn.said,
            scripted=decided.word,
            scripted_say=decided.say,
            reason=decided.reason,
        )


def compare_drivers(
    recordings: Sequence[Path], tasks_from: Path | None, world: Path | None, *, as_json: bool
) -> None:
    """Compare and print; `UsageProblem` if no recorded turn can be compared."""
    found, opened = read_recordings(*recordings), load_world(tasks_from, world)
    tasks = {task.task_id: task for task in load_tasks(tasks_from, opened)}
    report = agreement(found, tasks, opened)
    if not report["turns"]:
        raise UsageProblem("no turn to compare: --tasks-from holds none of the recorded tasks")
    if as_json:
        print_json(report)
    else:
        print_rich(*_lines(report))


def agreement(found: RecordedRuns, tasks: Mapping[str, Task], world: World) -> dict[str, Any]:
    """All of `conformance --drivers --json`."""
    known = [run for run in found.runs if run.task_id in tasks]
    turns = [turn for run in known for turn in compared_turns(run, tasks[run.task_id], world)]
    return {
        **_tally(turns),
        "by_type": _by(turns, "task_type"),
        "by_script": _by(turns, "script"),
        "by_file": _by(turns, "where"),
        "differing": [
            {"disagreement": turn.disagreement, **asdict(turn)}
            for turn in turns if turn.disagreement
        ],
        "unknown_tasks": sorted({run.task_id for run in found.runs} - tasks.keys()),
        "error_rows": len(found.broken),
        "skipped": list(found.skipped),
    }  # fmt: skip


def _by(turns: Iterable[ComparedTurn], field: str) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[ComparedTurn]] = {}
    for turn in turns:
        value = getattr(turn, field)
        name = Path(value.rpartition(":")[0]).name if field == "where" else value
        groups.setdefault(name, []).append(turn)
    return {name: _tally(members) for name, members in sorted(groups.items())}


def _tally(turns: Sequence[ComparedTurn]) -> dict[str, Any]:
    """How many decisions agree, with Wilson's interval of the share, and how the others differ."""
    kinds = Counter(turn.disagreement for turn in turns)
    lo, hi = wilson(kinds[None], len(turns))
    return {
        "turns": len(turns),
        "agree": kinds[None],
        "agreement": kinds[None] / len(turns) if turns else None,
        "lo": lo,
        "hi": hi,
        "disagreements": {kind: kinds[kind] for kind in DISAGREEMENTS},
    }


# --- for people


def _lines(report: dict[str, Any]) -> Iterator[Any]:
    """A table of all groups, then where the drivers disagreed, shortened."""
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, header_style="bold")
    shown.add_column("recorded turns", no_wrap=True)
    for name in ("n", "agree", "95 %", *DISAGREEMENTS):
        shown.add_column(name, justify="right")
    for key in ("by_type", "by_script", "by_file"):
        for name, tally in report[key].items():
            shown.add_row(name, *_cells(tally))
        shown.add_section()
    shown.add_row("all", *_cells(report))
    yield shown
    yield from (f"skipped {line}" for line in report["skipped"])
    if report["unknown_tasks"]:
        yield f"not in --tasks-from: {', '.join(report['unknown_tasks'])}"
    for turn in report["differing"]:
        yield (
            f"{turn['task_id']}:{turn['trial']} turn {turn['turn']}: {turn['disagreement']}, "
            f"recorded {turn['recorded']}, scripted {turn['scripted']} ({turn['reason'][:80]})"
        )


def _cells(tally: dict[str, Any]) -> list[str]:
    kinds = [str(tally["disagreements"][kind]) for kind in DISAGREEMENTS]
    interval = f"{tally['lo'] * 100:.0f} to {tally['hi'] * 100:.0f}"
    return [str(tally["turns"]), f"{tally['agreement']:.1%}", interval, *kinds]
