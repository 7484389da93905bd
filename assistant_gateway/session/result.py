"""How a session ended, or why it cannot go on."""

from dataclasses import dataclass

from assistant_gateway.protocol import EndReason
from assistant_gateway.recording.recording import Recording


@dataclass(frozen=True, slots=True)
class SessionResult:
    """How a session ended. `infra` is set when the bench, not the agent, is to blame.

    `recording` is what was said, if drivers are heard.
    """

    sid: str
    reason: EndReason | str
    infra: str | None = None
    turns: int = 0
    recording: Recording | None = None


class SessionBroken(Exception):
    """The session cannot go on, and nobody under test is to blame."""
