"""The messages of a request as the transcript assistants read. Pure."""

from collections import deque
from collections.abc import Iterator, Sequence

import orjson

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.agents.transcript import Answered, Heard, Line, Transcript
from assistant_gateway.mock_llm.request import INSTRUCTING, AskedCall, ChatMessage


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
