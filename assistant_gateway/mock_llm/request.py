"""A Chat Completions request, as far as a mock has to understand it.

Realtime conversations are turned into one, so that a script or an assistant sees one form only.
"""

from functools import cached_property
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, model_validator

INSTRUCTING = ("system", "developer")


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


class ChatRequest(Wire):
    """What a client asks for; fields that a mock does not use are ignored, and so is null.

    `connecting` means a Realtime client that connects and has not asked anything.
    """

    model: str
    messages: tuple[ChatMessage, ...] = Field(min_length=1)
    stream: bool = False
    stream_options: StreamOptions = StreamOptions()
    tools: tuple[dict[str, Any], ...] = ()
    response_format: dict[str, Any] = {}
    connecting: bool = False

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if value is not None}

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
