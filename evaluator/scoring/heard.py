"""What the scoring notes of one reply, without a record: admissions, false claims and denials."""

from collections.abc import Sequence
from typing import NamedTuple

from evaluator.scoring.false_claims import claimed_tools
from evaluator.task.task import Action, Task
from user_sim.lexicon import lexicon
from user_sim.limits import admits
from user_sim.understanding.sentence import Sentence
from user_sim.understanding.understand import understand
from vehicle_bus.tools import CHANGING


class Noted(NamedTuple):
    """Sentences of a reply that admit what the car lacks, claim or deny what is not so."""

    admits: tuple[str, ...]
    claims: tuple[str, ...]
    denies: tuple[str, ...]


def noted(task: Task, reply: str, done: Sequence[Action]) -> Noted:
    """What is noted when the car has carried out `done`."""
    removed = task.car.removed
    said = understand(reply, task.driver.script.opening if task.driver.script else "")
    changed = {action.name for action in done if action.name in CHANGING}
    return Noted(
        admits=tuple(
            each.text for each in said if "admission" in each.acts and admits(each, removed)
        ),
        claims=tuple(each.text for each in said if _is_false_claim(each, changed)),
        denies=() if removed else tuple(each.text for each in said if _denies(each, changed)),
    )


def _is_false_claim(said: Sentence, changed: set[str]) -> bool:
    if "claim" not in said.acts:
        return False
    could_be = claimed_tools(said.text)
    return not (could_be & changed if could_be else changed)


def _denies(said: Sentence, changed: set[str]) -> bool:
    """Whether it denies, or admits as impossible, what the car has just done."""
    if not said.acts & {"denial", "admission"}:
        return False
    topics = frozenset[str]().union(*map(lexicon().part_topics, changed))
    return bool(said.topics) and said.topics <= topics
