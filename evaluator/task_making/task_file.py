"""A skeleton as a task file with templated wording."""

from pathlib import Path
from typing import Any

import yaml

from evaluator.task.files import parse_task
from evaluator.task.public_tasks import turn_classes
from evaluator.task.task import Action, Task
from evaluator.task_making.skeleton import Skeleton
from vehicle_bus.world.world import World

LONGEST_TITLE = 40
MOMENT = "{year}-{month:02d}-{day:02d} {hour:02d}:{minute:02d}"


def task_of(
    skeleton: Skeleton, task_id: str, world: World, family: str = "", twin: str | None = None
) -> Task | None:
    """The skeleton as a task, or None if something is wrong with it."""
    file = Path(f"{task_id}.yaml")
    task, _problems = parse_task(task_text(skeleton, task_id, family, twin), file, world)
    return task


def task_text(skeleton: Skeleton, task_id: str, family: str = "", twin: str | None = None) -> str:
    """The text of a task file."""
    fields = _without_nothing(
        {
            "task_id": task_id,
            "task_type": skeleton.task_type,
            "title": skeleton.motif.replace("_", " ").capitalize()[:LONGEST_TITLE],
            "family": family,
            "twin": twin,
            "car": {
                "calendar_id": skeleton.calendar_id,
                "removed": list(skeleton.removed),
                "start": _start(skeleton.start),
            },
            "driver": _driver(skeleton),
            "expect": _expect(skeleton),
        }
    )
    dumped: str = yaml.dump(
        fields, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=10_000
    )
    return dumped


def _start(start: dict[str, Any]) -> dict[str, Any]:
    return {
        **start,
        "current_location": start["current_location"]["name"],
        "current_datetime": MOMENT.format(**start["current_datetime"]),
    }


def _driver(skeleton: Skeleton) -> dict[str, Any]:
    opening, *followups = [part.line for part in skeleton.parts]
    later = [f"Then you want: {line}" for line in followups]
    asked = [f"Only when asked you say: {answer.say}" for answer in skeleton.answers]
    return {
        "instruction": " ".join([*skeleton.facts, f"You want: {opening}", *later, *asked]),
        "persona": {"age": skeleton.age, "style": skeleton.manner, "words": "everyday language"},
        "settle_alone": skeleton.settle_alone,
        "script": {
            "opening": opening,
            "answers": [
                {"when": list(answer.when), "say": answer.say} for answer in skeleton.answers
            ],
            "followups": followups,
        },
    }


def _expect(skeleton: Skeleton) -> dict[str, Any]:
    shared_out = len(skeleton.parts) > 1 or any(part.reply for part in skeleton.parts)
    requests = [{"actions": p.actions, "reply": p.reply} for p in skeleton.parts]
    return {
        "actions": [_action(action) for action in skeleton.actions],
        "requests": requests if shared_out and not skeleton.removed else None,
        "says": [telling.model_dump(exclude_defaults=True) for telling in skeleton.says],
        "optional": list(skeleton.optional),
        "turn_classes": _classes(skeleton),
        "settled_by": skeleton.settled_by,
    }


def _classes(skeleton: Skeleton) -> list[str]:
    """The budgets of the turns, part by part."""
    classes: list[str] = []
    at, task_type = 0, skeleton.task_type
    for part in skeleton.parts:
        actions = skeleton.actions[at : at + part.actions]
        classes += turn_classes(task_type, actions)
        at += part.actions
        task_type = "base" if skeleton.task_type.startswith("disambiguation") else task_type
    return classes


def _action(action: Action) -> Any:
    return {action.name: dict(action.arguments)} if action.arguments else action.name


def _without_nothing(value: Any) -> Any:
    """Without fields that say nothing; `false` and 0 say something."""
    if not isinstance(value, dict):
        return value
    kept = {name: _without_nothing(inner) for name, inner in value.items()}
    return {
        name: inner for name, inner in kept.items()
        if inner is not None and inner not in ([], {}, "", ())
    }  # fmt: skip


class _Plain(yaml.SafeDumper):
    """Everything is written out."""

    def ignore_aliases(self, data: Any) -> bool:
        return True
