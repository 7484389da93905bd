"""What a mock model answers: rules over the request, the first that matches wins.

A script is YAML, described in docs/mock-llm.md. Matching is pure; only how often a rule was used is
remembered, so that a fault can happen once and then be over.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from assistant_gateway.mock_llm.request import ChatRequest
from vehicle_bus.validation_problem import first_problem

FAULTS = ("slow", "cut", "malformed", "garbage", "refusal")
DEFAULT_SLOW_S = 5.0


class ScriptError(Exception):
    """A script cannot be used; the text names the place and what was expected there."""


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"no regular expression: {error}") from error
    return pattern


Pattern = Annotated[str, AfterValidator(_compiles)]


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class When(Strict):
    """All that is given has to hold; patterns are searched without regard to case.

    `turn` is 1 when the model has not said anything yet in this conversation, `schema` the name of
    the structured output asked for, `last` the newest message, `any` any message but the system's.
    With `connecting` a rule is for Realtime clients that connect, and for nothing else.
    """

    system: Pattern | None = None
    last: Pattern | None = None
    any: Pattern | None = None
    model: Pattern | None = None
    schema_name: Pattern | None = Field(default=None, alias="schema")
    role: Literal["user", "tool", "assistant", "system"] | None = None
    turn: int | None = Field(default=None, ge=1)
    tools: bool | None = None
    connecting: bool = False

    def holds(self, request: ChatRequest) -> bool:
        last = request.messages[-1]
        return (
            self.connecting == request.connecting
            and _found(self.system, request.system)
            and _found(self.last, last.text)
            and (self.any is None or any(_found(self.any, text) for text in request.spoken))
            and _found(self.model, request.model)
            and _found(self.schema_name, request.schema_name)
            and self.role in (None, last.role)
            and self.turn in (None, request.turn)
            and self.tools in (None, bool(request.tools))
        )


class ScriptedCall(Strict):
    """A tool call as the model would make it."""

    name: str
    arguments: dict[str, Any] = {}


class TokenCounts(Strict):
    """Tokens that a reply reports."""

    input: int = Field(ge=0)
    output: int = Field(ge=0)

    @property
    def total(self) -> int:
        return self.input + self.output


class ScriptedReply(Strict):
    """What is answered, and the fault on the way, if any.

    `fault` is one of `FAULTS` or an HTTP status from 400 on. `after_s` delays the first byte,
    `between_s` each further word of a stream.
    """

    say: str | None = None
    json_: Any = Field(default=None, alias="json")
    tool_calls: tuple[ScriptedCall, ...] = ()
    fault: Literal["slow", "cut", "malformed", "garbage", "refusal"] | int | None = None
    after_s: float = Field(default=0.0, ge=0)
    between_s: float = Field(default=0.0, ge=0)
    retry_after_s: float | None = Field(default=None, ge=0)
    usage: TokenCounts | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "ScriptedReply":
        if isinstance(self.fault, int) and not 400 <= self.fault <= 599:
            raise ValueError(f"fault: {self.fault} is no HTTP status from 400 to 599")
        if self.say is not None and self.json_ is not None:
            raise ValueError("give either say or json")
        silent = self.say is None and self.json_ is None and not self.tool_calls
        if silent and self.fault in (None, "slow"):
            raise ValueError("give say, json or tool_calls, or a fault")
        return self

    @property
    def status(self) -> int | None:
        return self.fault if isinstance(self.fault, int) else None

    @property
    def delay_s(self) -> float:
        return self.after_s or (DEFAULT_SLOW_S if self.fault == "slow" else 0.0)


class Rule(ScriptedReply):
    """A reply for requests that match `when`, at most `at_most` times."""

    when: When = When()
    at_most: int | None = Field(default=None, ge=1)


class MockScript(Strict):
    """A whole script; `otherwise` answers what no rule matches."""

    models: tuple[str, ...] = ("mock",)
    rules: tuple[Rule, ...] = ()
    otherwise: ScriptedReply | None = None


class Player:
    """Plays one script; counts how often each rule was used."""

    def __init__(self, script: MockScript) -> None:
        self.script = script
        self.used = [0] * len(script.rules)

    @property
    def models(self) -> tuple[str, ...]:
        return self.script.models

    def reply_to(self, request: ChatRequest) -> ScriptedReply | None:
        """The first rule that matches and is not used up, else `otherwise`."""
        for index, rule in enumerate(self.script.rules):
            spent = rule.at_most is not None and self.used[index] >= rule.at_most
            if not spent and rule.when.holds(request):
                self.used[index] += 1
                return rule
        return None if request.connecting else self.script.otherwise


def read_script(path: Path) -> MockScript:
    """Read a script file; raises `ScriptError`."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ScriptError(f"{path} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ScriptError(f"{path} is no YAML: {error}") from error
    return as_script(data, str(path))


def as_script(data: Any, where: str = "script") -> MockScript:
    """Check parsed YAML; raises `ScriptError`."""
    if not isinstance(data, Mapping):
        raise ScriptError(f"{where}: expected a mapping with `rules`")
    try:
        return MockScript.model_validate(data)
    except ValidationError as error:
        raise ScriptError(f"{where}: {first_problem(error)}") from error


def _found(pattern: str | None, text: str) -> bool:
    return pattern is None or re.search(pattern, text, re.IGNORECASE | re.DOTALL) is not None
