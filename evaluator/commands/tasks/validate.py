"""`codriver tasks validate`: a good assistant passes each task, a bad one fails it.

The reference and eight sensible courses have to pass, two baselines and ten foolish courses to
fail wherever they differ from the reference. The reference plays as many trials as it takes to hear
each line of the driver in all its ways.
"""

import hashlib
import signal
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from multiprocessing import active_children, get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from assistant_gateway.wording.spoken import counted
from evaluator.adversaries.courses import COURSES, KINDS, concerns
from evaluator.allowed_values import one_of
from evaluator.commands.run import run_to_end
from evaluator.options import RunOptions
from evaluator.problems import Problem
from evaluator.progress import progress
from evaluator.results.store import UnitResult
from evaluator.task.files import read_tasks
from evaluator.task.public_tasks import is_public, unsupported
from evaluator.task.selection import Selection, load_tasks, load_world
from evaluator.task.task import Task
from evaluator.views.printing import print_json, print_rich, print_rows
from vehicle_bus.world.world import World

PASSES = ("reference",)
FAILS = ("null", "claims")
NONE = "none"
MANY_UNITS = 400  # worth a second process
PROCESSES = 2
UNITS_OF_A_PART = 60


class TasksFailed(Problem):
    """The gate of `tasks validate`."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A task that ends otherwise than it has to with a course, and the reason of its score."""

    course: str
    task: str
    reason: str


@dataclass(frozen=True, slots=True)
class AgentResult:
    """What became of the tasks with one agent."""

    agent: str
    units: Sequence[UnitResult]

    @property
    def has_to_pass(self) -> bool:
        return self.agent in PASSES or self.agent.startswith("sensible")

    @property
    def played(self) -> int:
        """How many tasks."""
        return len({unit.task_id for unit in self.units})

    @property
    def passed(self) -> int:
        """How many tasks in all their trials."""
        missed = {unit.task_id for unit in self.units if unit.score.outcome != "success"}
        return self.played - len(missed)

    @property
    def wrong(self) -> Iterator[Disagreement]:
        for unit in self.units:
            outcome, reason = unit.score.outcome, unit.score.reason
            if self.has_to_pass and outcome != "success":
                words = f" in the words of trial {unit.trial}" if unit.trial else ""
                missed = f"does not pass{words}, {outcome}: {reason}"
                yield Disagreement(self.agent, unit.task_id, missed)
            elif not self.has_to_pass and outcome == "success":
                yield Disagreement(self.agent, unit.task_id, "passes")
            elif not self.has_to_pass and outcome != "failure":
                why = f"cannot be judged, {outcome}: {reason}"
                yield Disagreement(self.agent, unit.task_id, why)


def validate(
    options: RunOptions, courses: Sequence[str] = (), one_in: int = 1, *, as_json: bool
) -> None:
    """Play all tasks with every agent; raises `TasksFailed` if one does not end as it has to.

    `courses` are names, kinds or `none`, nothing for all; each is played on `one_in` so many tasks.
    """
    chosen = [*PASSES, *FAILS, *_chosen(courses)]
    world = load_world(options.tasks_from, options.world)
    found, errors = _all_tasks(options.tasks_from, world)
    known = [task for task in found if not unsupported(task)]
    tasks = [] if errors else Selection(task_ids=options.task_ids).choose(known)
    played = list(_all_played(options, chosen, tasks, world, one_in)) if tasks else []
    figures = _figures(tasks, errors, played)
    if as_json:
        print_json(figures)
    else:
        _print(figures, played)
    wrong = sum(len(figures[name]) for name in ("errors", "foolish_pass", "sensible_fail"))
    if wrong:
        raise TasksFailed(
            f"{wrong} problems; a sound task is passed by the reference and by sensible courses, "
            "and by nobody else"
        )


def _chosen(courses: Sequence[str]) -> list[str]:
    for given in courses:
        one_of("--courses", given, [NONE, *sorted(KINDS), *COURSES])
    return [
        name for name in COURSES
        if not courses or {name, name.partition(":")[0]} & set(courses)
    ]  # fmt: skip


def _all_tasks(tasks_from: Path | None, world: World) -> tuple[list[Task], tuple[str, ...]]:
    """All usable tasks of a folder, and a line for everything that is wrong with the others."""
    if tasks_from is not None and is_public(tasks_from):
        return load_tasks(tasks_from), ()
    return read_tasks(tasks_from, world)


def _all_played(
    options: RunOptions, agents: Sequence[str], tasks: list[Task], world: World, one_in: int
) -> Iterator[AgentResult]:
    """Play agent after agent in parts; with many units, two parts at a time."""
    scripts = [task.driver.script for task in tasks]
    ways = max(script.ways for script in scripts if script)
    parts = [
        (agent, ids)
        for agent in agents
        for ids in _parts(tuple(_concerned(agent, tasks, world, one_in)), agent, ways)
    ]
    with progress(len(parts)) as shown, ExitStack() as stack:
        place = Path(stack.enter_context(TemporaryDirectory(prefix="codriver-validate-")))
        runs = [
            replace(
                options,
                agent=agent,
                task_ids=ids,
                num_trials=ways if agent in PASSES else 1,
                out=place / str(number),
            )
            for number, (agent, ids) in enumerate(parts)
        ]
        played: Iterable[list[UnitResult]] = map(_units, runs)
        if sum(len(run.task_ids) * run.num_trials for run in runs) >= MANY_UNITS:
            played = stack.enter_context(_processes()).map(_units, runs)
        of_agent: dict[str, list[UnitResult]] = {agent: [] for agent in agents}
        for (agent, _), units in zip(parts, played, strict=True):
            of_agent[agent] += units
            result = AgentResult(agent, of_agent[agent])
            shown.advance(f"{agent}: passed {result.passed} of {result.played} tasks")
    yield from (AgentResult(agent, units) for agent, units in of_agent.items())


def _parts(ids: tuple[str, ...], agent: str, ways: int) -> Iterator[tuple[str, ...]]:
    """What is played at once: so much that progress is seen every few seconds."""
    size = max(1, UNITS_OF_A_PART // (ways if agent in PASSES else 1))
    for begin in range(0, len(ids), size) or (0,):
        yield ids[begin : begin + size]


@contextmanager
def _processes() -> Iterator[ProcessPoolExecutor]:
    """Processes that end at once where this one is interrupted or told to end."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    leave_to_parent = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
    pool = ProcessPoolExecutor(PROCESSES, get_context("spawn"), leave_to_parent)
    try:
        yield pool
    except BaseException:  # also interrupted: nothing may play on
        threading.excepthook = lambda _: None  # the pool's thread would report the killed
        for child in active_children():
            child.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _concerned(agent: str, tasks: list[Task], world: World, one_in: int) -> Iterator[str]:
    """The tasks in which there is anything to be seen of an agent."""
    for task in tasks:
        drawn = agent not in COURSES or _drawn(f"{agent}/{task.task_id}", one_in)
        if drawn and (agent not in COURSES or concerns(agent, task, world)):
            yield task.task_id


def _drawn(name: str, one_in: int) -> bool:
    digest = hashlib.blake2s(name.encode(), digest_size=4).digest()
    return int.from_bytes(digest) % one_in == 0


def _units(options: RunOptions) -> list[UnitResult]:
    return run_to_end(options, quiet=True).units if options.task_ids else []


def _figures(
    tasks: list[Task], errors: Sequence[str], played: Sequence[AgentResult]
) -> dict[str, Any]:
    wrong = [each for result in played for each in result.wrong]
    by_agent = {result.agent: result for result in played}
    return {
        "tasks": len(tasks),
        "by_type": dict(Counter(task.task_type for task in tasks)),
        **{
            f"{agent}_pass": by_agent[agent].passed if agent in by_agent else 0
            for agent in (*PASSES, *FAILS)
        },
        "errors": [*errors, *map(_line, (each for each in wrong if each.course not in COURSES))],
        "foolish_pass": _of_kind("foolish", wrong),
        "sensible_fail": _of_kind("sensible", wrong),
        "courses": {
            result.agent: {"played": result.played, "passed": result.passed} for result in played
        },
    }


def _of_kind(kind: str, wrong: Sequence[Disagreement]) -> list[dict[str, str]]:
    return [asdict(each) for each in wrong if each.course.startswith(f"{kind}:")]


def _line(wrong: Disagreement) -> str:
    return f"{wrong.task}: {wrong.course} {wrong.reason}"


def _print(figures: dict[str, Any], played: Sequence[AgentResult]) -> None:
    """What disagrees, task by task, and a row per agent."""
    wrong = sorted((each for result in played for each in result.wrong), key=lambda e: e.task)
    in_files = [line for line in figures["errors"] if line not in set(map(_line, wrong))]
    print_rich(*in_files, *map(_line, wrong))
    rows = [
        (
            result.agent,
            str(result.played),
            str(result.passed),
            "all" if result.has_to_pass else "none",
            COURSES[result.agent].does if result.agent in COURSES else "",
        )
        for result in played
    ]
    if rows:
        print_rows(("agent", "tasks", "passed", "expected", "what it does"), rows)
    print_rich(f"{counted(figures['tasks'], 'task')}, {counted(len(wrong), 'disagreement')}")
