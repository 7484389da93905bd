"""What an assistant that ships with codriver looks like: pure, one object per session."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from assistant_gateway.protocol import Body, SessionStart

IN_PROCESS = frozenset({"reference", "null", "claims", "refuse", "rules"})


@dataclass(frozen=True, slots=True)
class Call:
    """A tool the assistant wants to run."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """One message: text, calls or both. Without calls it hands the floor to the driver."""

    text: str = ""
    calls: tuple[Call, ...] = ()


class TimedFrame(NamedTuple):
    """One frame of an answer, due `after_ns` from the start of the turn or the answer."""

    after_ns: int
    body: Body
    cid: str | None = None
    rid: str | None = None


@dataclass(frozen=True, slots=True)
class TimedMessage(AgentMessage):
    """A message that brings its own timing: frames by their distance from the start of the turn."""

    frames: tuple[TimedFrame, ...] = ()


class Agent(Protocol):
    """Answers the driver; it has no clock and no socket: its caller decides how fast it answers."""

    name: str

    def begin(self, session: SessionStart, sid: str) -> None:
        """A conversation starts; the tools and the instructions are in `session`."""
        return

    def on_heard(self, text: str) -> AgentMessage:
        """The driver has said something and waits."""
        ...

    def on_results(self, results: tuple[tuple[Call, str], ...]) -> AgentMessage | None:
        """All calls of the last message have answered, each with the exact text of its tool.

        None sends nothing; the turn stays the agent's.
        """
        ...

    def on_interrupted(self, heard: str, unsaid: AgentMessage | None) -> None:
        """The driver spoke over the agent or gave up waiting, and heard only `heard` of it.

        `unsaid` is the part of a message that was not sent any more.
        """
        return
