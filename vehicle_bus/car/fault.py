"""A fault that is injected between a car and its clients."""

import re
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

FaultKind = Literal[
    "delay",
    "loss",
    "lost_command",
    "duplicate",
    "reorder",
    "refusal",
    "stale",
    "contradiction",
    "offline",
    "knob",
]
KINDS: tuple[FaultKind, ...] = get_args(FaultKind)
ONLY_GETTERS = frozenset({"stale", "contradiction"})
WITH_A_TIME = frozenset({"offline", "knob"})
NEEDS: dict[FaultKind, str] = {"delay": "delay_ms", "offline": "for_s", "knob": "set"}
LATEST_S = 1_000_000
MOST_WILDCARDS = 3  # a pattern with more may take hours to match nothing
TRY_AGAIN = "the control unit did not respond, please try again"


class Fault(BaseModel):
    """A fault hits the calls that match it, from the `nth` of them on, `times` times.

    - delay: the car carries out the command and replies `delay_ms` late
    - loss: the car carries out the command and its reply is lost
    - lost_command: the car does not receive the command
    - duplicate: signals, snapshot and reply come twice
    - reorder: they come in another order
    - refusal: the car does nothing and answers with `text`
    - stale: a look-up answers with the state before the last change
    - contradiction: a look-up contradicts the signals, with the values in `set` if there are any
    - offline: the car is away `for_s`, receives nothing and answers nothing
    - knob: a hand sets variables of the car to `set`

    `tool` is a regular expression for the whole name, `calls` narrows it to look-ups or changes.
    With a `chance` the calls are drawn; without `times` there is no end. A fault with `at_s` comes
    at that moment of the session instead of with a call.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: FaultKind
    tool: str = ".*"
    calls: Literal["any", "get", "set"] = "any"
    nth: int = Field(default=1, ge=1)
    chance: float = Field(default=1.0, gt=0, le=1)
    times: int | None = Field(default=1, ge=1)
    at_s: float | None = Field(default=None, ge=0, le=LATEST_S)
    delay_ms: int = Field(default=0, ge=0, le=60_000)
    for_s: float = Field(default=0.0, ge=0, le=600)
    set: dict[str, Any] = {}
    text: str = Field(default=TRY_AGAIN, min_length=1)
    by: str = "passenger"

    @field_validator("tool")
    @classmethod
    def _is_a_pattern(cls, tool: str) -> str:
        try:
            re.compile(tool)
        except re.error as error:
            raise ValueError(f"expected a regular expression, but {error}") from error
        wildcards = max(len(re.findall(r"(?<!\()[*+?{]", part)) for part in tool.split("|"))
        if wildcards > MOST_WILDCARDS or re.search(r"\)[*+{]", tool):
            raise ValueError(
                f"expected names joined with |, each with at most {MOST_WILDCARDS} of * + ? {{}}, "
                "and no repeated group"
            )
        return tool

    @model_validator(mode="after")
    def _is_whole(self) -> "Fault":
        needed = NEEDS.get(self.kind)
        if needed is not None and not getattr(self, needed):
            raise ValueError(f"a fault of kind {self.kind} needs {needed}")
        if self.at_s is not None and self.kind not in WITH_A_TIME:
            raise ValueError(f"at_s means nothing to kind {self.kind}; expected nth or chance")
        return self

    def is_about(self, tool: str, kind: str) -> bool:
        """Whether this fault matches calls of a tool that sets or gets something."""
        if self.at_s is not None or re.fullmatch(self.tool, tool) is None:
            return False
        wanted = "get" if self.kind in ONLY_GETTERS else self.calls
        return wanted in ("any", kind)
