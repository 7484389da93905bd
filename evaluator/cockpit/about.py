"""What a page has to know of the scenario before anything happens in it."""

from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict

from assistant_gateway.timing.budgets import BUDGETS, TurnClass
from assistant_gateway.timing.timeline import MS
from evaluator.cockpit.car.car_clock import moment_of
from evaluator.cockpit.scenario import Chosen, LiveScenario
from evaluator.live import LiveSettings
from evaluator.live.update import Update
from evaluator.task.task import Task
from evaluator.views.captions import CONTROL_WORDS, FAULT_EFFECTS, FAULTS, TURN_CLASSES, caption
from evaluator.views.car_values import layout
from vehicle_bus.car.state import Place, context_at_start
from vehicle_bus.world.world import World

NEAREST = 12


class Told(BaseModel):
    """A part of what a page is told when it is opened."""

    model_config = ConfigDict(frozen=True)


class TaskInWords(Told):
    """What the driver has to know; `opening` is "" where no script has the first words."""

    title: str
    goal: str
    opening: str


class Ending(Told):
    """A control word with which the driver may end the task."""

    word: str
    text: str


class FaultButton(Told):
    """A kind of fault that a page can inject."""

    kind: str
    label: str
    text: str


class TurnLimits(Told):
    """After how many seconds first speech is slow, and too late."""

    soft: float
    hard: float
    text: str


class About(Told):
    """Who is in the car, the limits of the turns, and the values that can be shown."""

    agent: str
    setting: str
    chosen: Chosen
    armed: list[str]
    motion: bool
    moment: str
    place: str
    destinations: list[str]
    task: TaskInWords | None
    endings: list[Ending]
    faults: list[FaultButton]
    turn_classes: tuple[TurnClass, ...]
    word_ms: float
    groups: list[dict[str, Any]]
    limits: dict[str, TurnLimits]


@dataclass(frozen=True, slots=True)
class StageReached(Update):
    """How far the scenario is, and what is played."""

    KIND = "stage"
    state: str
    chosen: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StillArmed(Update):
    """The faults that still wait for their moment."""

    KIND = "armed"
    armed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CatalogRead(Update):
    """What can be chosen, as JSON."""

    KIND = "catalog"
    catalog: orjson.Fragment

    def fields(self) -> dict[str, Any]:
        return {"kind": self.KIND, "catalog": self.catalog}


def about(playing: LiveScenario, world: World) -> About:
    first, request = playing.benches[0], playing.request
    budgets = first.budgets_in(request)
    start = context_at_start(request.setup.start)
    speech = {name: budgets.of(name).first_speech for name in BUDGETS}
    task = request.task
    return About(
        agent=" | ".join(playing.agents),
        setting=setting_of(first),
        chosen=playing.chosen,
        armed=playing.armed,
        motion=first.motion or bool(request.setup.motion),
        moment=moment_of(start.current_datetime).isoformat(timespec="minutes"),
        place=start.current_location.name,
        destinations=destinations(start.current_location, world),
        task=_task(task) if task else None,
        endings=[
            Ending(word=word, text=text)
            for word, text in CONTROL_WORDS.items()
            if word in playing.control_words
        ],
        faults=[
            FaultButton(kind=kind, label=label.capitalize(), text=FAULT_EFFECTS[kind])
            for kind, label in FAULTS.items()
        ],
        turn_classes=request.effective_turn_classes,
        word_ms=first.speech.assistant_word_ns / MS,
        groups=layout(),
        limits={
            name: TurnLimits(
                soft=round(limit.soft_s, 3),
                hard=round(limit.hard_s, 3),
                text=f"limits for {TURN_CLASSES[name]}",
            )
            for name, limit in speech.items()
        },
    )


def destinations(here: Place, world: World) -> list[str]:
    """The names of the nearest places that a route leads to from here, nearest first."""
    near = world.destinations(here.id, here.position.model_dump())
    return [row["name"] for row in near[:NEAREST]]


def _task(task: Task) -> TaskInWords:
    script = task.driver.script
    goal = task.driver.instruction.strip()
    return TaskInWords(title=task.title, goal=goal, opening=script.opening if script else "")


def setting_of(settings: LiveSettings) -> str:
    """The latency profile, where one is simulated, and the injected faults."""
    paced = settings.agent.in_process and settings.latency_profile != "zero"
    kinds = dict.fromkeys(caption(FAULTS, fault.kind) for fault in settings.faults)
    parts = [f"latency of {settings.latency_profile}"] if paced else []
    return "; ".join([*parts, *([f"injected faults: {', '.join(kinds)}"] if kinds else [])])
