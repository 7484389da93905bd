"""An assistant that ends every turn at once without a word; whatever it passes is too easy."""

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.protocol import SessionStart


class NullAgent:
    name = "null"

    def begin(self, session: SessionStart, sid: str) -> None:
        """Nothing to prepare."""

    def on_heard(self, text: str) -> AgentMessage:
        return AgentMessage()

    def on_results(self, results: tuple[tuple[Call, str], ...]) -> AgentMessage | None:
        return AgentMessage()

    def on_interrupted(self, heard: str, unsaid: AgentMessage | None) -> None:
        """Nothing was begun that could be taken up again."""
