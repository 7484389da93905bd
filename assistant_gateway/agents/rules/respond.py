"""What to say or call next, from nothing but the transcript, the tools and the instructions."""

from collections.abc import Mapping, Sequence
from typing import Any

from assistant_gateway.agents.agent import AgentMessage
from assistant_gateway.agents.rules.conversation import conversation
from assistant_gateway.agents.rules.dialogue import Dialogue, Offered
from assistant_gateway.agents.rules.knowledge import situation
from assistant_gateway.agents.transcript import Transcript


def respond(
    transcript: Transcript, tools: Sequence[Mapping[str, Any]], instructions: str
) -> AgentMessage:
    """Lead the conversation again from its first line; its next message is the answer."""
    leading = conversation(Dialogue(Offered(tools), situation(instructions)))
    message = next(leading)
    for line in transcript:
        if not isinstance(line, AgentMessage):
            message = leading.send(line)
    return message
