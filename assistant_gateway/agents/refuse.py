"""An assistant that refuses whatever it is asked: the floor of limit-awareness."""

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.protocol import SessionStart

REFUSAL = "I'm sorry, I can't do that."


class RefuseAgent:
    name = "refuse"

    def begin(self, session: SessionStart, sid: str) -> None:
        """Nothing to prepare."""

    def on_heard(self, text: str) -> AgentMessage:
        return AgentMessage(REFUSAL)

    def on_results(self, results: tuple[tuple[Call, str], ...]) -> AgentMessage | None:
        return AgentMessage(REFUSAL)

    def on_interrupted(self, heard: str, unsaid: AgentMessage | None) -> None:
        """Nothing was begun that could be taken up again."""
