"""A task: a car, a driver who wants something, and what should come of it."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from assistant_gateway.timing.budgets import Limit, Measured, TurnClass
from user_sim.script import DriverBrief
from vehicle_bus.car.state import CarSetup

TaskType = Literal[
    "base",
    "hallucination_missing_tool",
    "hallucination_missing_tool_parameter",
    "hallucination_missing_tool_response",
    "disambiguation_internal",
    "disambiguation_user",
]
Split = Literal["train", "test"]
ASK = 5
TASK_ID = r"^[a-z0-9_]+$"
TASK_TYPES: tuple[TaskType, ...] = get_args(TaskType)


class Action(BaseModel):
    """A tool call that is expected."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    arguments: dict[str, Any] = {}


class Request(BaseModel):
    """What the opening or a followup takes: so many of the actions, in their order.

    `reply` is what else there is to say, needed where there is nothing to do. `open` marks the one
    that leaves open what a disambiguation task is about; by default it is the first with an action.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    actions: int = Field(ge=0)
    reply: str = ""
    open: bool = False


class Telling(BaseModel):
    """What the driver has to be told once the opening, or a followup (from 1), was said.

    One of `any_of` is enough: each is the path of a value in the result of an expected call, an
    amount such as `12 min`, or a regular expression. With `limit` the assistant has to admit
    that it cannot tell, maybe in the words of `any_of`. `called` names it for people where `any_of`
    has expressions that nobody wants to read.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    any_of: tuple[str, ...] = ()
    followup: int = Field(default=0, ge=0)
    limit: bool = False
    called: str = ""


class Expectation(BaseModel):
    """What should happen: calls in an order in which they work, and how fast the answers come.

    `turn_classes` has the latency budget of each turn; the last one holds for all that follow.
    `requests` shares the actions out among opening and followups; without it all belong to the
    opening.
    `limits` replace limits of those budgets, in every turn and under every budget profile.
    `optional` names tools whose expected changes may be left out where the car lacks a part.
    `says` is what has to be told.
    `settled_by` is which priority of the instructions, 0 to 5, is meant to settle what a
    disambiguation task leaves open; it is reported and changes no verdict.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    actions: tuple[Action, ...]
    requests: tuple[Request, ...] = ()
    turn_classes: tuple[TurnClass, ...] = Field(min_length=1)
    limits: dict[Measured, Limit] = {}
    optional: tuple[str, ...] = ()
    says: tuple[Telling, ...] = ()
    settled_by: int | None = Field(default=None, ge=0, le=5)


class Task(BaseModel):
    """One task; each package owns the model of its part.

    Tasks of one `family` are alike but for what was added or taken away. The `twin` of a
    limit-awareness task is the same task in a car that lacks nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_id: str = Field(pattern=TASK_ID)
    task_type: TaskType
    title: str = Field(min_length=1, max_length=40)
    family: str = Field(default_factory=lambda given: given["task_id"], pattern=TASK_ID)
    twin: str | None = None
    source: Literal["own", "public"] = "own"
    split: Split | None = None
    car: CarSetup = CarSetup()
    driver: DriverBrief
    expect: Expectation

    @property
    def main_type(self) -> str:
        """`base`, `hallucination` (a limit of the car to be admitted) or `disambiguation`."""
        return self.task_type.split("_")[0]

    @property
    def settled_by(self) -> int | None:
        """The priority meant to settle what is open; asking is what `disambiguation_user` tries."""
        given = self.expect.settled_by
        return ASK if given is None and self.task_type == "disambiguation_user" else given

    def saying(self, words: Mapping[str, str]) -> "Task":
        """The same with these lines of the script, each by its place."""
        script = self.driver.script
        if script is None or not words:
            return self
        driver = self.driver.model_copy(update={"script": script.saying(words)})
        return self.model_copy(update={"driver": driver})
