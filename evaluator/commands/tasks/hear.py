"""`codriver tasks hear`: what the driver of a task would do after a reply, and what is noted."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant_gateway.wording.spoken import counted
from evaluator.problems import UsageProblem
from evaluator.reference.driver_brief import driver_brief
from evaluator.scoring.words.heard import Noted, noted
from evaluator.task.selection import load_tasks, load_world
from evaluator.task.task import Action, Task
from evaluator.views.printing import print_rows
from user_sim.scripted import Decision, ScriptedDriver
from user_sim.understanding.understand import acts_in, asks
from user_sim.wants import CarCall
from vehicle_bus.tools import CHANGING
from vehicle_bus.validation_problem import first_problem
from vehicle_bus.world.world import World


class HeardReply(BaseModel):
    """One line: a reply of an assistant at some moment of a task.

    `earlier` are its turns before this one, `done` how many of the expected calls the car has
    carried out by then.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    task: str
    reply: str
    earlier: tuple[str, ...] = ()
    done: Literal["nothing", "all"] | Annotated[int, Field(ge=0)] = "nothing"


def hear(file: Path, tasks_from: Path | None, world: Path | None, *, as_json: bool) -> None:
    """Print what the driver does after each line of a file; `-` is standard input."""
    opened_world = load_world(tasks_from, world)
    tasks = {task.task_id: task for task in load_tasks(tasks_from, opened_world)}
    answers = [_answer(reply, tasks, opened_world) for reply in _replies(file, tasks)]
    if as_json:
        for answer in answers:
            sys.stdout.write(orjson.dumps(answer).decode() + "\n")
        return
    rows = [
        (row["task"], row["word"], row["say"] or "", row["reason"], _short(row)) for row in answers
    ]
    print_rows(
        ("task", "word", "the driver says", "because", "noted"), rows, counted(len(rows), "line")
    )


def _replies(file: Path, tasks: dict[str, Task]) -> Iterator[HeardReply]:
    for number, line in enumerate(_lines(file), start=1):
        try:
            reply = HeardReply.model_validate(orjson.loads(line))
        except orjson.JSONDecodeError as error:
            raise UsageProblem(f"{file}, line {number}: expected JSON, but {error}") from error
        except ValidationError as error:
            raise UsageProblem(f"{file}, line {number}: {first_problem(error)}") from error
        if reply.task not in tasks:
            known = "`codriver tasks list` shows the tasks"
            raise UsageProblem(f"{file}, line {number}: there is no task {reply.task!r}; {known}")
        yield reply


def _lines(file: Path) -> Iterable[str]:
    if str(file) == "-":
        text = sys.stdin.read()
    else:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageProblem(f"{file} cannot be read: {error}") from error
    return [line for line in text.splitlines() if line.strip()]


def _answer(reply: HeardReply, tasks: dict[str, Task], world: World) -> dict[str, Any]:
    task = tasks[reply.task]
    done = carried_out(reply, task)
    decision = decide(task, world, reply.earlier, reply.reply, done)
    heard: Noted = noted(task, reply.reply, done)
    return {
        "task": reply.task,
        "word": decision.word,
        "say": decision.say,
        "reason": decision.reason,
        **heard._asdict(),
    }


def carried_out(reply: HeardReply, task: Task) -> tuple[Action, ...]:
    """The expected calls so far; what the car lacks is never carried out."""
    actions = task.expect.actions
    count = {"nothing": 0, "all": len(actions)}.get(str(reply.done))
    lacking = {entry.split(".")[0] for entry in task.car.removed}
    so_far = actions[: int(reply.done) if count is None else count]
    return tuple(action for action in so_far if action.name not in lacking)


def decide(
    task: Task,
    world: World,
    earlier: Iterable[str],
    reply: str,
    done: Iterable[Action],
) -> Decision:
    """What the scripted driver does after a reply; the car has confirmed `done` by then.

    Before an earlier turn the car has looked up what the request that was made last needs, and has
    changed what it asks for if the turn is no question.
    """
    brief = driver_brief(task, world)
    driver = ScriptedDriver(brief)
    driver.opening()
    left = list(done)
    requests = {
        id(action): want.request
        for action, want in zip(task.expect.actions, brief.wants, strict=True)
    }
    for turn in earlier:
        acts = acts_in(turn)
        changes = not asks(turn) and ("claim" in acts or "promise" not in acts)
        made = [
            each for each in left
            if requests[id(each)] in (None, driver.request)
            and (changes or each.name not in CHANGING)
        ]  # fmt: skip
        left = [each for each in left if not any(each is one for one in made)]
        driver.after_turn(turn, _calls(made))
    return driver.after_turn(reply, _calls(left))


def _calls(actions: Iterable[Action]) -> list[CarCall]:
    return [(action.name, action.arguments) for action in actions]


def _short(row: dict[str, Any]) -> str:
    return ", ".join(name for name in ("admits", "claims", "denies") if row[name])
