"""Who plays the model: a script, or an assistant that needs none."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from assistant_gateway.agents.agent import AgentMessage
from assistant_gateway.agents.transcript import Heard, Transcript
from assistant_gateway.mock_llm.request import ChatRequest
from assistant_gateway.mock_llm.script import ScriptedCall, ScriptedReply
from assistant_gateway.mock_llm.transcribing import NoConversation, transcript

Respond = Callable[[Transcript, Sequence[Mapping[str, Any]], str], AgentMessage]


class Impersonator(Protocol):
    """Answers in the place of a model."""

    used: list[int]

    @property
    def models(self) -> tuple[str, ...]:
        """The names it goes by."""
        ...

    def reply_to(self, request: ChatRequest) -> ScriptedReply | None:
        """What it answers; None if it has nothing to say to this."""
        ...


class AssistantPlayer:
    """Lets a pure assistant play the model; everything it knows is in the request."""

    def __init__(self, name: str, respond: Respond) -> None:
        self.models = (name,)
        self.used: list[int] = []
        self._respond = respond
        respond((Heard("Hello."),), (), "")  # reads and builds now what is built at first use

    def reply_to(self, request: ChatRequest) -> ScriptedReply | None:
        if request.connecting:
            return None
        if request.schema_name:
            reason = "an assistant plays this model, and it gives no structured answers"
            return ScriptedReply(fault=400, say=reason)
        try:
            conversation = transcript(request.messages)
        except NoConversation as error:
            return ScriptedReply(fault=400, say=str(error))
        message = self._respond(conversation, request.tools, request.system)
        calls = tuple(ScriptedCall(name=c.name, arguments=c.arguments) for c in message.calls)
        text = message.text if message.text or not calls else None
        return ScriptedReply(say=text, tool_calls=calls)
