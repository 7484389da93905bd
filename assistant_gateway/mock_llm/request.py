"""A Chat Completions request, as far as a mock has to understand it."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class ChatMessage(BaseModel):
    """One message; `content` is text, parts, or null beside tool calls."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    role: str
    content: str | list[dict[str, Any]] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "".join(str(part.get("text", "")) for part in self.content)
        return self.content or ""


class StreamOptions(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    include_usage: bool = False


class ChatRequest(BaseModel):
    """What a client asks for; whatever a mock cannot use is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    model: str
    messages: tuple[ChatMessage, ...] = Field(min_length=1)
    stream: bool = False
    stream_options: StreamOptions = StreamOptions()
    tools: tuple[dict[str, Any], ...] = ()
    response_format: dict[str, Any] = {}

    @property
    def system(self) -> str:
        """All system messages, one after the other."""
        instructing = ("system", "developer")
        return "\n".join(message.text for message in self.messages if message.role in instructing)

    @property
    def spoken(self) -> list[str]:
        """The texts of all other messages, oldest first."""
        instructing = ("system", "developer")
        return [message.text for message in self.messages if message.role not in instructing]

    @property
    def turn(self) -> int:
        """1 when the model has not answered yet in this conversation."""
        return 1 + sum(message.role == "assistant" for message in self.messages)

    @property
    def schema_name(self) -> str:
        """The name of the structured output asked for, or nothing."""
        schema = self.response_format.get("json_schema")
        return str(schema.get("name", "")) if isinstance(schema, dict) else ""
