"""Figures of a set of tasks: how much they ask for, and of what."""

from collections import Counter
from collections.abc import Sequence
from statistics import mean
from typing import Any

from evaluator.reference.rule_steps import looked_up_before
from evaluator.scoring.policies import POLICIES
from evaluator.task.task import Task
from vehicle_bus.tools import BY_NAME, TOOLS

MANY = 5


def figures_of(tasks: Sequence[Task]) -> dict[str, Any]:
    """Calls, tools and rules of a set; shares are of all tasks."""
    calls = [len(task.expect.actions) for task in tasks]
    tools = Counter(name for task in tasks for name in {a.name for a in task.expect.actions})
    rules = Counter(rule for task in tasks for rule in rules_met(task))
    families = sorted({task.family for task in tasks})
    return {
        "tasks": len(tasks),
        "by_type": dict(Counter(task.task_type for task in tasks)),
        "mean_calls": mean(calls),
        "mean_calls_by_family": {
            family: mean(len(task.expect.actions) for task in tasks if task.family == family)
            for family in families
        },
        "five_or_more": _share(number >= MANY for number in calls),
        "two_domains": _share(len(domains(task)) > 1 for task in tasks),
        "told": _share(bool(task.expect.says) for task in tasks),
        "several_requests": _share(len(task.expect.requests) > 1 for task in tasks),
        "preferences": _share("user_preferences" in task.car.start for task in tasks),
        "tools": {tool.name: tools[tool.name] for tool in TOOLS},
        "never_needed": [tool.name for tool in TOOLS if not tools[tool.name]],
        "rules": {rule: rules[rule] for rule in POLICIES},
    }


def rules_met(task: Task) -> set[str]:
    """The rules that are about some expected call."""
    return {
        rule for rule, policy in POLICIES.items() for action in task.expect.actions
        if policy.about(action.name, action.arguments)
    }  # fmt: skip


def domains(task: Task) -> set[str]:
    """The parts of the car that a task is about: the files in which its tools stand.

    What is looked at only for a rule does not count.
    """
    ruled = {name for action in task.expect.actions for name in looked_up_before(action)}
    return {
        DOMAINS[BY_NAME[action.name].run.__module__.rpartition(".")[2]]
        for action in task.expect.actions if action.name not in ruled
    } - {""}  # fmt: skip


DOMAINS = {
    **dict.fromkeys(("navigation", "waypoints", "routes", "places"), "navigation"),
    **dict.fromkeys(("lights", "openings"), "vehicle"),
    **dict.fromkeys(("climate", "seats"), "climate"),
    "charging": "charging", "people": "productivity", "weather": "weather",
    **dict.fromkeys(("arithmetic", "planning", "preferences"), ""),
}  # fmt: skip


def _share(holds: Any) -> float:
    found = list(holds)
    return sum(found) / len(found) if found else 0.0
