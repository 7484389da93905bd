"""A skeleton: a whole task but for its wording, and what whoever words it has to know."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evaluator.task.task import Action, TaskType, Telling
from user_sim.script import Answer

Start = dict[str, Any]


class SkeletonPart(BaseModel):
    """The opening or a followup: a plain sentence, its number of calls, and what else is said.

    `deciding` are the look-ups that decide up to its end.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    line: str
    actions: int = Field(ge=0)
    reply: str = ""
    deciding: frozenset[str] = frozenset()


class Skeleton(BaseModel):
    """One instance of a motif.

    `branch` is the side of a condition that holds. `careless` are the changes of an assistant that
    overlooks what the task is about. `deciding` names look-ups whose results decide what is done
    without giving an id, and the fields that do (`tool.field`), `optional` changes that may be left
    out. `facts` are plain sentences about who is where and what is wanted.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    motif: str
    branch: str = ""
    task_type: TaskType = "base"
    start: Start
    calendar_id: str | None = None
    removed: tuple[str, ...] = ()
    parts: tuple[SkeletonPart, ...]
    actions: tuple[Action, ...]
    says: tuple[Telling, ...] = ()
    answers: tuple[Answer, ...] = ()
    settle_alone: str | None = None
    settled_by: int | None = None
    careless: tuple[Action, ...] = ()
    deciding: frozenset[str] = frozenset()
    optional: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    manner: Literal["relaxed", "brisk", "formal", "talkative", "absent-minded", "precise"]
    age: int

    @property
    def key(self) -> str:
        """The same for instances that expect the same calls of the same car."""
        return f"{self.start} {self.actions} {self.removed}"
