"""What a page has to know of the scenario before anything happens in it."""

from typing import Any

from assistant_gateway.timing.budgets import BUDGETS
from assistant_gateway.timing.timeline import MS
from evaluator.cockpit.car.car_clock import moment_of
from evaluator.cockpit.scenario import LiveScenario
from evaluator.live import LiveSettings
from evaluator.task.task import Task
from evaluator.views.captions import CONTROL_WORDS, FAULT_EFFECTS, FAULTS, TURN_CLASSES, caption
from evaluator.views.car_values import layout
from vehicle_bus.car.state import Place, context_at_start
from vehicle_bus.world.world import World

NEAREST = 12


def about(playing: LiveScenario, world: World) -> dict[str, Any]:
    """Who is in the car, the limits of the turns, and the values that can be shown."""
    first, request = playing.benches[0], playing.request
    budgets = first.budgets_in(request)
    start = context_at_start(request.setup.start)
    speech = {name: budgets.of(name).first_speech for name in BUDGETS}
    task = request.task
    return {
        "agent": " | ".join(playing.agents),
        "setting": setting_of(first),
        "chosen": playing.chosen.model_dump(),
        "armed": playing.armed,
        "motion": first.motion or bool(request.setup.motion),
        "moment": moment_of(start.current_datetime).isoformat(timespec="minutes"),
        "place": start.current_location.name,
        "destinations": destinations(start.current_location, world),
        "task": _task(task) if task else None,
        "endings": [
            {"word": word, "text": CONTROL_WORDS[word]}
            for word in CONTROL_WORDS
            if word in playing.control_words
        ],
        "faults": [
            {"kind": kind, "label": label.capitalize(), "text": FAULT_EFFECTS[kind]}
            for kind, label in FAULTS.items()
        ],
        "turn_classes": request.effective_turn_classes,
        "word_ms": first.speech.assistant_word_ns / MS,
        "groups": layout(),
        "limits": {
            name: {
                "soft": round(limit.soft_s, 3),
                "hard": round(limit.hard_s, 3),
                "text": f"limits for {TURN_CLASSES[name]}",
            }
            for name, limit in speech.items()
        },
    }


def destinations(here: Place, world: World) -> list[str]:
    """The names of the nearest places that a route leads to from here, nearest first."""
    near = world.destinations(here.id, here.position.model_dump())
    return [row["name"] for row in near[:NEAREST]]


def _task(task: Task) -> dict[str, str]:
    """What the driver has to know of it; `opening` is "" where no script has the first words."""
    script = task.driver.script
    goal = task.driver.instruction.strip()
    return {"title": task.title, "goal": goal, "opening": script.opening if script else ""}


def setting_of(settings: LiveSettings) -> str:
    """The latency profile, where one is simulated, and the injected faults."""
    paced = settings.agent.in_process and settings.latency_profile != "zero"
    kinds = dict.fromkeys(caption(FAULTS, fault.kind) for fault in settings.faults)
    parts = [f"latency of {settings.latency_profile}"] if paced else []
    return "; ".join([*parts, *([f"injected faults: {', '.join(kinds)}"] if kinds else [])])
