"""A task for people: what the driver wants, the state of the car, and what is expected."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.reference import Aside, Say
from assistant_gateway.timing.budgets import Budgets, Limit
from evaluator.task.task import Expectation, Task
from evaluator.views.captions import (
    FAULTS,
    TURN_CLASSES,
    WAITS,
    caption,
    in_words,
    task_kind,
)
from evaluator.views.car_values import GROUPS, ROWS, written
from evaluator.views.sentences import event_sentence
from evaluator.views.task_scoring import parts
from user_sim.script import Persona, Script
from vehicle_bus.car.fault import Fault
from vehicle_bus.car.state import CarSetup, CarState, FixedContext
from vehicle_bus.world.world import World

Rows = Iterator[tuple[str, str]]
USUAL = {**CarState().model_dump(mode="json"), **FixedContext().model_dump(mode="json")}
ELSEWHERE = ("current_location", "current_datetime", "seats_occupied", "user_preferences")
LABEL = 16
SCRIPT_ORIGINS = {
    "derived": "derived from the prose of the task by rules",
    "reviewed": "derived from the prose of the task, then read and mended by somebody",
}


def sheet(task: Task, world: World, plan: Sequence[Call | Say | Aside]) -> Iterator[RenderableType]:
    """The whole task in sections; fits any width."""
    yield Text.assemble((task.task_id, "bold"), f"  {task.title}")
    yield Text(task_kind(task.task_type, task.settled_by), style="dim")
    if task.twin is not None:
        yield Text(f"the same in a car that lacks nothing: {task.twin}", style="dim")
    yield from _section("the driver", _driver(task))
    yield from _section("the car", [*_situation(task.car, world), *_troubles(task.car)])
    lacks = " if nothing were missing" if task.car.removed else ""
    yield from _section(f"what should be done{lacks}", _expected(task.expect))
    yield from _section("what is scored", (("·", part) for part in parts(task)))
    yield from _section("latency budgets", _budgets(task.expect))
    yield from _section("how the reference agent does it", map(_step, plan))


def _section(title: str, rows: Iterable[tuple[str, str]]) -> Iterator[RenderableType]:
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=LABEL, justify="right", style="dim", no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    for label, text in rows:
        grid.add_row(label, Text(text))
    if grid.row_count:
        yield from ("", Text(title, style="bold"), grid)


# --- the driver


def _driver(task: Task) -> Rows:
    driver = task.driver
    yield "is told", " ".join(driver.instruction.split())
    if is_like := _manner(driver.persona):
        yield "is", is_like
    if driver.settle_alone:
        yield "not asked", f"about {driver.settle_alone}: the assistant has to decide it alone"
    if driver.script is not None:
        yield from _script(driver.script)


def _manner(persona: Persona) -> str:
    age = None if persona.age is None else f"{persona.age} years old"
    known = (age, persona.style, persona.words, " ".join(persona.text.split()))
    return ", ".join(part for part in known if part)


def _script(script: Script) -> Rows:
    yield "says", f"“{script.opening}”"
    for followup in script.followups:
        yield "then", f"“{followup}”"
    for cut_in in script.interjections:
        when = f"over answer {cut_in.turn}, after {cut_in.after_words} words"
        yield "cuts in", f"“{cut_in.say}” ({when})"
    for answer in script.answers:
        yield "if asked", f"{'  or  '.join(answer.when)}  →  “{answer.say}”"
    yield "on yes or no", f"“{script.confirm}”"
    if script.ways > 1:
        yield "words", f"up to {script.ways} ways of each line, by trial; these are the first"
    if script.on_limit is not None:
        yield "if impossible", f"“{script.on_limit}”"
    if script.impatient_after_s is not None:
        yield "is impatient", f"after {script.impatient_after_s:g} s without a word"
    if script.origin in SCRIPT_ORIGINS:
        yield "", f"({SCRIPT_ORIGINS[script.origin]})"


# --- the car


def _situation(car: CarSetup, world: World) -> Rows:
    """Where, when and who; then the values that differ from the defaults, by group."""
    start = {name: given for name, given in car.start.items() if given != USUAL.get(name)}
    context = FixedContext.model_validate(
        {name: given for name, given in car.start.items() if name in FixedContext.model_fields}
    )
    moment = context.current_datetime
    yield "where", context.current_location.name
    yield (
        "when",
        f"{moment.year}-{moment.month:02}-{moment.day:02} {moment.hour:02}:{moment.minute:02}",
    )
    seats = context.seats_occupied.model_dump()
    yield (
        "in it",
        ", ".join(caption({}, seat) for seat, taken in seats.items() if taken) or "nobody",
    )
    values = written(start, world)
    for group in GROUPS:
        shown = [
            f"{row.label} {values[row.name]['text']}" for row in group.rows if row.name in values
        ]
        if shown:
            yield group.title.split()[0].lower(), "; ".join(shown)
    for name, given in start.items():
        if name not in ROWS and name not in ELSEWHERE:
            yield "", f"{caption({}, name)} {in_words(given)}"
    for sentence in _sentences(start.get("user_preferences")):
        yield "has learned", sentence


def _sentences(preferences: Any) -> Iterator[str]:
    """Every sentence in nested mappings and lists."""
    match preferences:
        case str():
            yield preferences
        case dict():
            for inner in preferences.values():
                yield from _sentences(inner)
        case list() | tuple():
            for inner in preferences:
                yield from _sentences(inner)


def _troubles(car: CarSetup) -> Rows:
    """What this car lacks, and what happens to it: motion, events, faults."""
    if car.removed:
        yield "missing", ", ".join(car.removed)
    if car.motion:
        yield "drives", "along its route while you talk"
    for event in car.happenings:
        sentence = event_sentence("knob", {"by": event.by, "set": event.set})
        yield "event", f"after {event.at_s:g} s: {sentence}"
    for fault in car.faults:
        yield "fault", _fault(fault)


def _fault(fault: Fault) -> str:
    given = fault.model_dump(exclude={"kind"}, exclude_defaults=True)
    return f"{caption(FAULTS, fault.kind)}: {in_words(given)}"


# --- what should come of it


def _expected(expect: Expectation) -> Rows:
    firsts = _requests(expect)
    for number, action in enumerate(expect.actions):
        yield firsts.get(number, ""), _call(action.name, action.arguments)
    if not expect.actions:
        yield "", "nothing"
    for request in expect.requests:
        if request.reply:
            yield "and said", f"“{request.reply}”"


def _requests(expect: Expectation) -> dict[int, str]:
    """Which action is the first for the opening, and which for each followup."""
    firsts, number = {}, 0
    for which, request in enumerate(expect.requests):
        if request.actions:
            firsts[number] = "then" if which else "at first"
        number += request.actions
    return firsts


def _budgets(expect: Expectation) -> Rows:
    """Soft and hard limits per turn; the last class holds for all later turns."""
    budgets = Budgets(own=expect.limits)
    last = len(expect.turn_classes)
    for turn, turn_class in enumerate(expect.turn_classes, 1):
        budget = budgets.of(turn_class)
        limits: list[tuple[str, Limit | None]] = [
            (label, getattr(budget, name)) for label, _, name in WAITS
        ]
        within = ", ".join(
            f"{label} in {limit.soft_s:g} s (too late after {limit.hard_s:g} s)"
            for label, limit in limits
            if limit is not None
        )
        which = f"turn {turn}" + (" and later" if turn == last else "")
        yield which, f"{within}; class {turn_class}, {caption(TURN_CLASSES, turn_class)}"


def _step(step: Call | Say | Aside) -> tuple[str, str]:
    if isinstance(step, Call):
        return "calls", _call(step.name, step.arguments)
    return "says", f"“{step.text}”"


def _call(name: str, arguments: dict[str, Any]) -> str:
    given = " ".join(f"{argument}={in_words(given)}" for argument, given in arguments.items())
    return f"{name}  {given}".rstrip()
