"""What a course is: a way to behave in any task, made from what a good assistant does there."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeVar

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.reference import Aside, Plan, Say
from evaluator.reference.plan import PlanPart, reference_parts, with_asides
from evaluator.task.expected_course import ExpectedCourse, expected_course
from evaluator.task.task import Task
from vehicle_bus.data_folder import quick_yaml
from vehicle_bus.tools import CHANGING
from vehicle_bus.world.world import World

Kind = Literal["foolish", "sensible"]
Step = Call | Say | Aside
Choice = TypeVar("Choice")


@dataclass(frozen=True, slots=True)
class Offer(Say):
    """A proposal; `calls` are made when the driver accepts, or unless they refuse if `wanted`."""

    calls: tuple[Call, ...] = ()
    wanted: bool = False


@dataclass(frozen=True)
class Setting:
    """A task and its parts; whatever is chosen in it follows from `seed` and the task."""

    task: Task
    world: World
    seed: str

    @cached_property
    def parts(self) -> tuple[PlanPart, ...]:
        return reference_parts(self.task, self.world)

    def number(self, part: PlanPart) -> int:
        """Where a part stands among the parts."""
        return self.parts.index(part)

    @cached_property
    def end(self) -> PlanPart:
        """The part in which a limit is admitted, which is heard in any case, or the last."""
        admitting = (part for part in self.parts if any(map(admits, part.steps)))
        return next(admitting, self.parts[-1])

    @cached_property
    def course(self) -> ExpectedCourse:
        """What the expected calls answer and do."""
        return expected_course(self.task, self.world)

    @cached_property
    def tools(self) -> frozenset[str]:
        """The tools that some expected call uses, and those that this car lacks in part."""
        removed = (entry.removeprefix("result.").split(".")[0] for entry in self.task.car.removed)
        return frozenset({action.name for action in self.task.expect.actions} | set(removed))

    def chance(self, what: str) -> Random:
        return Random(f"{self.seed}/{self.task.task_id}/{what}")

    def pick(self, choices: Sequence[Choice], what: str) -> Choice:
        return self.chance(what).choice(choices)


@dataclass(frozen=True, slots=True)
class Course:
    """`steps` are what is done instead of those of a part; `does` says so in a few words.

    `otherwise` is the table of words for whatever the driver says when nothing is left to do;
    who `announces` says a word before several calls.
    """

    kind: Kind
    name: str
    does: str
    steps: Callable[[Setting, PlanPart], Iterable[Step]]
    otherwise: str = "acknowledgements"
    announces: bool = True

    def parts(self, setting: Setting) -> tuple[tuple[Step, ...], ...]:
        return tuple(tuple(self.steps(setting, part)) for part in setting.parts)

    def differs(self, setting: Setting) -> bool:
        """Whether it is anything else than the reference in this task; else it proves nothing."""
        return self.parts(setting) != tuple(part.steps for part in setting.parts)

    def plans(self, setting: Setting) -> list[Plan]:
        """What the agent does, request by request."""
        parts = self.parts(setting)
        return [tuple(with_asides(p, setting.task)) if self.announces else p for p in parts]


def admits(step: Step) -> bool:
    return isinstance(step, Say) and step.kind == "admission"


@cache
def words(table: str, file: str = "words") -> Any:
    """A table of `words.yaml` or `admissions.yaml`."""
    return _all_words(file)[table]


@cache
def _all_words(file: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = quick_yaml(Path(__file__).with_name(f"{file}.yaml"))
    return found


def changes(steps: Iterable[Step]) -> list[Call]:
    return [step for step in steps if isinstance(step, Call) and step.name in CHANGING]


def with_ending(
    steps: Sequence[Step], worded: Callable[[Say], Step], kinds: Iterable[str] = ("report",)
) -> list[Step]:
    """The steps with each sentence of these kinds in other words."""
    return [
        worded(step) if isinstance(step, Say) and step.kind in kinds else step for step in steps
    ]


def capitalised(text: str) -> str:
    return re.sub(r"^\W*\w", lambda first: first[0].upper(), text)
