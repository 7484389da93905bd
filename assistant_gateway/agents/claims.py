"""An assistant that says it is done and does nothing; whatever it passes is not checked enough."""

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.protocol import SessionStart

CLAIM = "It's done."


class ClaimsAgent:
    name = "claims"

    def begin(self, session: SessionStart, sid: str) -> None:
        """Nothing to prepare."""

    def on_heard(self, text: str) -> AgentMessage:
        return AgentMessage(CLAIM)

    def on_results(self, results: tuple[tuple[Call, str], ...]) -> AgentMessage | None:
        return AgentMessage(CLAIM)

    def on_interrupted(self, heard: str, unsaid: AgentMessage | None) -> None:
        """Nothing was begun that could be taken up again."""
