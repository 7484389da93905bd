"""Figures of a set of tasks: how much they ask for, and of what."""

from collections import Counter
from collections.abc import Sequence
from statistics import mean
from typing import Any

from evaluator.reference.difficulty import difficulty
from evaluator.scoring.policies import POLICIES
from evaluator.task.task import Task
from vehicle_bus.tools import CHANGING, TOOLS

MANY = 5


def figures_of(tasks: Sequence[Task]) -> dict[str, Any]:
    """Calls, tools and rules of a set; shares are of all tasks."""
    calls = [len(task.expect.actions) for task in tasks]
    tools = Counter(name for task in tasks for name in {a.name for a in task.expect.actions})
    found = [difficulty(task) for task in tasks]
    rules = Counter(rule for each in found for rule in each.rules)
    main_types = sorted({task.main_type for task in tasks})
    return {
        "tasks": len(tasks),
        "by_type": dict(Counter(task.task_type for task in tasks)),
        "mean_calls": mean(calls),
        "mean_calls_by_type": {
            main_type: mean(
                len(task.expect.actions) for task in tasks if task.main_type == main_type
            )
            for main_type in main_types
        },
        "one_call": _share(number == 1 for number in calls),
        "five_or_more": _share(number >= MANY for number in calls),
        "look_ups": mean(_look_ups(task) for task in tasks),
        "tools_of_a_task": mean(len({a.name for a in task.expect.actions}) for task in tasks),
        "two_domains": _share(len(each.domains) > 1 for each in found),
        "kept_back": _share(each.kept_back > 0 for each in found),
        "conditional": _share(each.conditions > 0 for each in found),
        "told": _share(bool(task.expect.says) for task in tasks),
        "several_requests": _share(len(task.expect.requests) > 1 for task in tasks),
        "active_trip": _share(task.car.start.get("navigation_active") for task in tasks),
        "preferences": _share("user_preferences" in task.car.start for task in tasks),
        "tools": {tool.name: tools[tool.name] for tool in TOOLS},
        "never_needed": [tool.name for tool in TOOLS if not tools[tool.name]],
        "rules": {rule: rules[rule] for rule in POLICIES},
    }


def _look_ups(task: Task) -> int:
    return sum(action.name not in CHANGING for action in task.expect.actions)


def _share(holds: Any) -> float:
    found = list(map(bool, holds))
    return sum(found) / len(found) if found else 0.0
