"""The lines of a session so far, as an assistant sees them."""

from dataclasses import dataclass

from assistant_gateway.agents.agent import AgentMessage, Call


@dataclass(frozen=True, slots=True)
class Heard:
    """The driver said this and waited."""

    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """All calls of the message before have answered, each with the exact text of its tool."""

    results: tuple[tuple[Call, str], ...]


Line = Heard | AgentMessage | Answered
Transcript = tuple[Line, ...]
