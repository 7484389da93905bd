"""A Chat Completions request, as far as a mock has to understand it.

Realtime conversations are turned into one, so that a script or an assistant sees one form only.
"""

from functools import cached_property
from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

INSTRUCTING = ("system", "developer")
LEGACY = {"functions": "tools", "function_call": "tool_choice"}
AS_IT_LIKES = ("auto", "none")  # values of tool_choice that leave a call to the model


class Wire(BaseModel):
    """Part of what a client sends; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class AskedFunction(Wire):
    """A call of a model; `arguments` is JSON text as the model wrote it."""

    name: str = ""
    arguments: str = ""


class AskedCall(Wire):
    """A tool call in an earlier answer."""

    id: str = ""
    function: AskedFunction = AskedFunction()


class ChatMessage(Wire):
    """One message; `content` is text, parts, or null with tool calls."""

    role: str
    content: str | list[dict[str, Any]] | None = None
    tool_calls: tuple[AskedCall, ...] | None = None
    tool_call_id: str | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "".join(str(part.get("text", "")) for part in self.content)
        return self.content or ""

    @property
    def characters(self) -> int:
        """How long it is, its calls included."""
        calls = (call.function for call in self.tool_calls or ())
        return len(self.text) + sum(len(call.name) + len(call.arguments) for call in calls)


class StreamOptions(Wire):
    include_usage: bool = False


def _of_a_function(tool: dict[str, Any]) -> dict[str, Any]:
    if tool.get("type", "function") != "function":
        raise ValueError(f"only tools of type function are known here, not {tool['type']!r}")
    return tool


OfferedTool = Annotated[dict[str, Any], AfterValidator(_of_a_function)]


class ChatRequest(Wire):
    """What a client asks for; fields that a mock does not use are ignored, and so is null.

    What would change the form of the answer is used or refused. With tool_choice `none` there are
    no tools.

    `connecting` means a Realtime client that connects and has not asked anything.
    """

    model: str
    messages: tuple[ChatMessage, ...] = Field(min_length=1)
    stream: bool = False
    stream_options: StreamOptions = StreamOptions()
    n: Literal[1] = 1
    tools: tuple[OfferedTool, ...] = ()
    tool_choice: str | dict[str, Any] = "auto"
    response_format: dict[str, Any] = {}
    connecting: bool = False

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        kept = {name: value for name, value in given.items() if value is not None}
        if old := next((name for name in LEGACY if name in kept), None):
            raise ValueError(f"{old} is not known here; use {LEGACY[old]}")
        return kept | {"tools": ()} if kept.get("tool_choice") == "none" else kept

    @property
    def system(self) -> str:
        """All system messages, one after the other."""
        return "\n".join(message.text for message in self.messages if message.role in INSTRUCTING)

    @property
    def spoken(self) -> list[str]:
        """The texts of all other messages, oldest first."""
        return [message.text for message in self.messages if message.role not in INSTRUCTING]

    @property
    def turn(self) -> int:
        """1 when the model has not answered yet in this conversation."""
        return 1 + sum(message.role == "assistant" for message in self.messages)

    @property
    def structured(self) -> bool:
        """Whether the answer has to be JSON."""
        return bool(self.response_format.get("type", "text") != "text")

    @property
    def must_call(self) -> bool:
        """Whether an answer without a call would be wrong."""
        return self.tool_choice not in AS_IT_LIKES

    @property
    def schema_name(self) -> str:
        """The name of the structured output asked for, or nothing."""
        schema = self.response_format.get("json_schema")
        return str(schema.get("name", "")) if isinstance(schema, dict) else ""

    @cached_property
    def characters(self) -> int:
        """The length of the whole prompt."""
        tools = len(orjson.dumps(self.tools)) if self.tools else 0
        return tools + sum(message.characters for message in self.messages)

    @property
    def new_characters(self) -> int:
        """The length of what the model has not read before: all of it, or what followed."""
        if self.turn == 1:
            return self.characters
        last = max(i for i, message in enumerate(self.messages) if message.role == "assistant")
        return sum(message.characters for message in self.messages[last + 1 :])
