"""How a session ended, or why it cannot go on."""

from dataclasses import dataclass

from assistant_gateway.protocol import EndReason


@dataclass(frozen=True, slots=True)
class SessionResult:
    """How a session ended. `infra` is set when the bench, not the agent, is to blame."""

    sid: str
    reason: EndReason | str
    infra: str | None = None
    turns: int = 0


class SessionBroken(Exception):
    """The session cannot go on, and nobody under test is to blame."""
