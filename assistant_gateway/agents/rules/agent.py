"""An assistant without a model: what it says and does follows from rules."""

from collections.abc import Mapping, Sequence
from typing import Any

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.agents.rules.conversation import conversation
from assistant_gateway.agents.rules.dialogue import Dialogue, Offered, situation
from assistant_gateway.agents.rules.language.seats import as_the_driver_says_it
from assistant_gateway.agents.transcript import Answered, Heard, Line, Transcript
from assistant_gateway.protocol import SessionStart


def respond(
    transcript: Transcript, tools: Sequence[Mapping[str, Any]], instructions: str
) -> AgentMessage:
    """Lead the conversation again from its first line; its next message is the answer."""
    leading = conversation(Dialogue(Offered(tools), situation(instructions)))
    message = next(leading)
    for line in transcript:
        if isinstance(line, Heard):
            message = leading.send(Heard(as_the_driver_says_it(line.text)))
        elif not isinstance(line, AgentMessage):
            message = leading.send(line)
    return message


class RulesAgent:
    """Keeps the transcript and asks `respond`, which has no other state."""

    name = "rules"

    def __init__(self) -> None:
        self._transcript: tuple[Line, ...] = ()
        self._session = SessionStart(instructions="", tools=[])

    @classmethod
    def told(cls, instructions: str, tools: list[dict[str, Any]]) -> "RulesAgent":
        """One that has begun a conversation with these instructions and tools."""
        agent = cls()
        agent.begin(SessionStart(instructions=instructions, tools=tools), "")
        return agent

    def begin(self, session: SessionStart, sid: str) -> None:
        self._transcript, self._session = (), session

    def on_heard(self, text: str) -> AgentMessage:
        return self._after(Heard(text))

    def on_results(self, results: tuple[tuple[Call, str], ...]) -> AgentMessage | None:
        return self._after(Answered(results))

    def on_interrupted(self, heard: str, unsaid: AgentMessage | None) -> None:
        """A message that was not sent to its end never was."""
        if unsaid is not None and self._transcript[-1:] == (unsaid,):
            self._transcript = self._transcript[:-1]

    def _after(self, line: Line) -> AgentMessage:
        heard = (*self._transcript, line)
        message = respond(heard, self._session.tools, self._session.instructions)
        self._transcript = (*heard, message)
        return message
