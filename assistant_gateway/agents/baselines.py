"""Assistants that cannot solve a task: a task that one of them passes checks too little."""

from dataclasses import dataclass

from assistant_gateway.agents.agent import Agent, AgentMessage, Call

SENTENCES = {"null": "", "claims": "It's done.", "refuse": "I'm sorry, I can't do that."}


@dataclass(slots=True)
class BaselineAgent(Agent):
    """Ends every turn with its one sentence and calls no tool; `name` is a key of `SENTENCES`."""

    name: str

    def on_heard(self, text: str) -> AgentMessage:
        return AgentMessage(SENTENCES[self.name])

    def on_results(self, results: tuple[tuple[Call, str], ...]) -> AgentMessage | None:
        return AgentMessage(SENTENCES[self.name])
