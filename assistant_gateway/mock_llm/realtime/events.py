"""Events of a Realtime client, and the error event for a bad one. Pure."""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from assistant_gateway.mock_llm.realtime.turn_detector import TurnDetection
from assistant_gateway.mock_llm.request import Wire
from assistant_gateway.sound.wire_format import WireFormat
from vehicle_bus.validation_problem import first_problem

Event = dict[str, Any]


class Part(Wire):
    """A piece of a message that is written."""

    type: Literal["input_text", "output_text", "text"]
    text: str = ""


class SpokenPart(Wire):
    """A piece of a message that is heard; its words are all that is kept of it."""

    type: Literal["input_audio", "output_audio"]
    transcript: str = ""

    @property
    def text(self) -> str:
        return self.transcript


class MessageItem(Wire):
    """Words of the driver, the model or the instructions."""

    id: str = ""
    type: Literal["message"] = "message"
    role: Literal["user", "assistant", "system"]
    status: str = "completed"
    content: tuple[Annotated[Part | SpokenPart, Field(discriminator="type")], ...] = ()

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.content)


class CallItem(Wire):
    """A function the model called."""

    id: str = ""
    type: Literal["function_call"] = "function_call"
    status: str = "completed"
    name: str
    call_id: str = ""
    arguments: str = ""


class OutputItem(Wire):
    """The output of a function."""

    id: str = ""
    type: Literal["function_call_output"] = "function_call_output"
    status: str = "completed"
    call_id: str
    output: str


Item = Annotated[MessageItem | CallItem | OutputItem, Field(discriminator="type")]


class Tool(Wire):
    """A function that is offered; flat, unlike in Chat Completions."""

    type: Literal["function"] = "function"
    name: str
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)

    def as_chat(self) -> dict[str, Any]:
        described = self.model_dump(include={"name", "description", "parameters"})
        return {"type": "function", "function": described}


class SoundFormat(Wire):
    """PCM16 at 24 kHz, or G.711 μ-law."""

    type: Literal["audio/pcm", "audio/pcmu"] = "audio/pcm"
    rate: Literal[8000, 24_000] | None = None

    @property
    def wire(self) -> WireFormat:
        return WireFormat() if self.type == "audio/pcm" else WireFormat(encoding="mulaw", rate=8000)


class InputSettings(Wire):
    """What comes from the client; without `turn_detection` it says itself who has finished."""

    format: SoundFormat = SoundFormat()
    turn_detection: TurnDetection | None = TurnDetection()


class OutputSettings(Wire):
    format: SoundFormat = SoundFormat()


class SoundSettings(Wire):
    input: InputSettings = InputSettings()
    output: OutputSettings = OutputSettings()


class SessionSettings(Wire):
    """Settings of a session; a change keeps those that it does not name."""

    type: Literal["realtime"] = "realtime"
    model: str = ""
    instructions: str = ""
    tools: tuple[Tool, ...] = ()
    tool_choice: str | dict[str, Any] = "auto"
    output_modalities: tuple[Literal["text", "audio"], ...] = ("text",)
    audio: SoundSettings = SoundSettings()

    @property
    def speaks(self) -> bool:
        return "audio" in self.output_modalities


class SessionUpdate(Wire):
    type: Literal["session.update"]
    session: dict[str, Any]


class ItemCreate(Wire):
    type: Literal["conversation.item.create"]
    item: Item
    previous_item_id: str | None = None


class ItemDelete(Wire):
    type: Literal["conversation.item.delete"]
    item_id: str


class ItemRetrieve(Wire):
    type: Literal["conversation.item.retrieve"]
    item_id: str


class ItemTruncate(Wire):
    """Of a message that was spoken only so much was heard."""

    type: Literal["conversation.item.truncate"]
    item_id: str
    audio_end_ms: int = Field(ge=0)


class AudioAppend(Wire):
    type: Literal["input_audio_buffer.append"]
    audio: str


class AudioCommit(Wire):
    type: Literal["input_audio_buffer.commit"]


class AudioClear(Wire):
    type: Literal["input_audio_buffer.clear"]


class ResponseCreate(Wire):
    """`response` may hold settings that are valid for this response only."""

    type: Literal["response.create"]
    response: dict[str, Any] = Field(default_factory=dict)


class ResponseCancel(Wire):
    type: Literal["response.cancel"]
    response_id: str | None = None


ClientEvent = (
    SessionUpdate
    | ItemCreate
    | ItemDelete
    | ItemRetrieve
    | ItemTruncate
    | AudioAppend
    | AudioCommit
    | AudioClear
    | ResponseCreate
    | ResponseCancel
)
_CLIENT_EVENT: TypeAdapter[ClientEvent] = TypeAdapter(
    Annotated[ClientEvent, Field(discriminator="type")]
)


class Misunderstood(Exception):
    """An event that cannot be used; becomes an `error` event, and the connection stays."""

    def __init__(self, message: str, code: str | None = None, param: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.param = param


def client_event(sent: Any) -> ClientEvent:
    """Read what a client sent, already decoded; raises `Misunderstood`."""
    if not isinstance(sent, dict):
        raise Misunderstood("expected a JSON object with a `type`", "invalid_json")
    try:
        return _CLIENT_EVENT.validate_python(sent)
    except ValidationError as error:
        if error.errors()[0]["type"].startswith("union_tag"):
            raise Misunderstood(
                f"{sent.get('type')!r} is not understood by this server",
                "invalid_value",
                "type",
            ) from error
        raise _bad_value(first_problem(error, skip=1)) from error


def settings_after(before: SessionSettings, change: dict[str, Any]) -> SessionSettings:
    """The settings with what was given replaced; raises `Misunderstood`."""
    given = {name: value for name, value in change.items() if value is not None}
    try:
        return SessionSettings.model_validate({**before.model_dump(), **given})
    except ValidationError as error:
        raise _bad_value(f"session.{first_problem(error)}") from error


def _bad_value(problem: str) -> Misunderstood:
    place, _, _ = problem.partition(": ")
    return Misunderstood(problem, "invalid_value", place)


def error_event(problem: Misunderstood, caused_by: Any = None) -> Event:
    """`error`: `caused_by` is the `event_id` of the client's event, if it gave one."""
    error = {
        "type": "invalid_request_error",
        "code": problem.code,
        "message": str(problem),
        "param": problem.param,
        "event_id": caused_by if isinstance(caused_by, str) else None,
    }
    return {"type": "error", "error": error}
