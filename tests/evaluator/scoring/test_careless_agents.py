"""For each rule of the car there is a task in which the natural course is the wrong one.

Those that are not among the own tasks are in `rule_tasks`.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.reference import ReferenceAgent, Say
from evaluator.reference.plan import reference_plan
from evaluator.scoring.policies import POLICIES
from evaluator.scoring.scores import score
from evaluator.task.files import own_tasks
from evaluator.task.marked_yaml import read
from evaluator.task.task import Task
from evaluator.task.worlds import own_world
from tests.evaluator.runs import TASKS
from tests.evaluator.stories import played

WORLD = own_world()
ABOUT = re.compile(r"\(rule (\d{3})\)$")
BY_RULE: dict[str, Task] = {
    found[1]: task
    for task in (*TASKS, *own_tasks(Path(__file__).with_name("rule_tasks"), WORLD))
    if (found := ABOUT.search(task.title))
}
CARELESS: dict[str, list[Any]] = read(
    Path(__file__).with_name("careless.yaml").read_text(encoding="utf-8")
).value
each_rule = pytest.mark.parametrize("rule", POLICIES)


def steps(written: list[Any]) -> Iterator[Call | Say]:
    for step in written:
        if isinstance(step, Mapping):
            [(name, arguments)] = step.items()
            yield Call(name, arguments)
        else:
            yield Say(step)


@each_rule
def test_a_careless_agent_breaks_the_rule_its_task_is_about(rule: str) -> None:
    task = BY_RULE[rule]
    record = played(task, WORLD, ReferenceAgent(tuple(steps(CARELESS[rule]))))
    verdict = score(record, task, WORLD)
    assert verdict.policies[rule].state == "broken", verdict.policies
    assert verdict.reward == 0.0


@each_rule
def test_the_reference_keeps_the_rule_that_matters_there(rule: str) -> None:
    task = BY_RULE[rule]
    record = played(task, WORLD, ReferenceAgent(reference_plan(task, WORLD)))
    verdict = score(record, task, WORLD)
    assert verdict.reward == 1.0, verdict.reason
    mark = verdict.policies.get(rule)  # none where the right course leaves the rule alone
    assert mark is None or mark.state == "kept"
