"""What a page may send, decoded once at its socket."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, field_validator

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class PageMessage(BaseModel):
    """Something that a page sends."""

    model_config = ConfigDict(frozen=True)


class SayWords(PageMessage):
    """Speak as the driver; starts what has not begun yet."""

    kind: Literal["say"]
    text: Words


class InterruptSpeech(PageMessage):
    """Cut the assistant off, by speaking these words or by a sound."""

    kind: Literal["interrupt"]
    text: Words | None = None


class HangUp(PageMessage):
    """End the conversation; the next words begin another one, in the car as it is."""

    kind: Literal["hang_up"]


class EndTask(PageMessage):
    """End the task that is played with the driver's control word."""

    kind: Literal["end"]
    word: str
    reason: str = ""


class TakeWheel(PageMessage):
    """Become the driver."""

    kind: Literal["take"]


class StartTime(PageMessage):
    """Begin what was chosen, or go on after a pause."""

    kind: Literal["start"]


class PauseTime(PageMessage):
    """Stop after the present turn."""

    kind: Literal["pause"]


class RestartAll(PageMessage):
    """Everything that was chosen again from its beginning."""

    kind: Literal["restart"]


class Choice(PageMessage):
    """What is to be played instead; fields that are left out stay as they are."""

    kind: Literal["choose"] = "choose"
    task: str | None = None
    agent: str = ""
    agent_b: str | None = None
    latency_profile: str = ""
    speech_profile: str = ""
    budget_profile: str = ""
    pace: Literal["live", "fast"] = "live"
    faults: str = ""
    motion: bool = False

    @field_validator("task", "agent_b")
    @classmethod
    def _or_none(cls, given: str | None) -> str | None:
        return given or None

    @property
    def given(self) -> dict[str, Any]:
        return self.model_dump(include=self.model_fields_set - {"kind"})


class TurnKnob(PageMessage):
    """Set a value of the car by hand."""

    kind: Literal["knob"]
    name: str
    value: Any


class InjectFault(PageMessage):
    """Let something go wrong; other fields are those of a fault in a task."""

    model_config = ConfigDict(frozen=True, extra="allow")

    kind: Literal["fault"]
    fault_kind: str

    @property
    def fields(self) -> dict[str, Any]:
        return self.model_extra or {}


class HealFaults(PageMessage):
    """No more faults."""

    kind: Literal["heal"]


class SetMotion(PageMessage):
    """Let the car drive or stand, and how fast."""

    kind: Literal["motion"]
    on: bool
    speed_factor: float | None = None


CarMessage = TurnKnob | InjectFault | HealFaults | SetMotion
AnyMessage = Annotated[
    SayWords
    | InterruptSpeech
    | HangUp
    | EndTask
    | TakeWheel
    | StartTime
    | PauseTime
    | RestartAll
    | Choice
    | CarMessage,
    Field(discriminator="kind"),
]
DECODER: TypeAdapter[AnyMessage] = TypeAdapter(AnyMessage)


def decoded(text: str) -> AnyMessage:
    """The message in a frame; raises `ValidationError`."""
    return DECODER.validate_json(text)
