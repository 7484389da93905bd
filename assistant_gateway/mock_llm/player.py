"""Who plays the model: a script, or an assistant that needs none."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import orjson

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.agents.transcript import Answered, Heard, Line, Transcript
from assistant_gateway.mock_llm.request import INSTRUCTING, AskedCall, ChatMessage, ChatRequest
from assistant_gateway.mock_llm.script import ScriptedCall, ScriptedReply

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
        if request.structured:
            return _refused("response_format", "gives no structured answers")
        try:
            conversation = transcript(request.messages)
        except NoConversation as error:
            return ScriptedReply(fault=400, say=str(error))
        message = self._respond(conversation, request.tools, request.system)
        if request.must_call and not message.calls:
            return _refused("tool_choice", "makes no call here")
        calls = tuple(ScriptedCall(name=c.name, arguments=c.arguments) for c in message.calls)
        text = message.text if message.text or not calls else None
        return ScriptedReply(say=text, tool_calls=calls)


def _refused(field: str, why: str) -> ScriptedReply:
    return ScriptedReply(fault=400, say=f"{field}: an assistant plays this model, and it {why}")


class NoConversation(ValueError):
    """Messages that no API would accept; the text says what is wrong with them."""


def transcript(messages: Sequence[ChatMessage]) -> Transcript:
    """The conversation of a request; raises `NoConversation`."""
    left = deque(message for message in messages if message.role not in INSTRUCTING)
    if not left or left[-1].role not in ("user", "tool"):
        raise NoConversation("the last message has to be a user's or a tool's")
    return tuple(_lines(left))


def _lines(left: deque[ChatMessage]) -> Iterator[Line]:
    while left:
        message = left.popleft()
        match message.role:
            case "user":
                yield Heard(message.text)
            case "assistant":
                asked = message.tool_calls or ()
                calls = tuple(Call(call.function.name, _arguments(call)) for call in asked)
                yield AgentMessage(message.text, calls)
                if asked:
                    answers = _answers(asked, left)
                    yield Answered(tuple(zip(calls, answers, strict=True)))
            case "tool":
                raise NoConversation(
                    "messages with role 'tool' must be a response to a preceding message "
                    "with 'tool_calls'"
                )
            case role:
                raise NoConversation(f"{role!r} is not one of user, assistant, tool, system")


def _answers(asked: Sequence[AskedCall], left: deque[ChatMessage]) -> list[str]:
    """The tools' texts in the order of the calls, taken from what follows."""
    found: dict[str, str] = {}
    while left and left[0].role == "tool":
        message = left.popleft()
        found[message.tool_call_id or ""] = message.text
    missing = [call.id for call in asked if call.id not in found]
    if missing:
        raise NoConversation(
            "an assistant message with 'tool_calls' must be followed by tool messages responding "
            f"to each 'tool_call_id'; missing: {', '.join(missing)}"
        )
    if foreign := found.keys() - {call.id for call in asked}:
        raise NoConversation(f"no call has the id {', '.join(sorted(foreign))}")
    return [found[call.id] for call in asked]


def _arguments(call: AskedCall) -> dict[str, object]:
    """The arguments of a call; empty if they cannot be read."""
    try:
        arguments = orjson.loads(call.function.arguments or "{}")
    except orjson.JSONDecodeError:
        return {}
    return arguments if isinstance(arguments, dict) else {}
