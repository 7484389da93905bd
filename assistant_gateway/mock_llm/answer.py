"""The answer of a mock model to one request, for either API. Pure."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import orjson

from assistant_gateway.mock_llm.request import ChatRequest
from assistant_gateway.mock_llm.script import ScriptedReply, TokenCounts

CHARACTERS_PER_TOKEN = 4
REFUSAL = "I cannot help with that."
UNFINISHED = '{"reason": "I was about to'


class AnswerCall(NamedTuple):
    """A call with its arguments as the text that is sent."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Answer:
    """The reply to one request; `number` makes its ids unique on this server."""

    request: ChatRequest
    reply: ScriptedReply
    number: int

    @cached_property
    def text(self) -> str | None:
        """The words; those of a malformed answer break off in the middle of its JSON."""
        reply = self.reply
        if reply.fault == "refusal":
            return None
        if reply.fault == "malformed" and not reply.tool_calls:
            return UNFINISHED
        if reply.json_ is not None:
            return orjson.dumps(reply.json_).decode()
        return reply.say

    @cached_property
    def refusal(self) -> str | None:
        return (self.reply.say or REFUSAL) if self.reply.fault == "refusal" else None

    @cached_property
    def calls(self) -> tuple[AnswerCall, ...]:
        """The tool calls; the arguments of malformed ones lack their last character."""
        if self.refusal is not None:
            return ()
        end = -1 if self.reply.fault == "malformed" else None
        return tuple(
            AnswerCall(
                f"call_{self.number}_{index}",
                call.name,
                orjson.dumps(call.arguments).decode()[:end],
            )
            for index, call in enumerate(self.reply.tool_calls)
        )

    @cached_property
    def usage(self) -> TokenCounts:
        """As scripted, else estimated from the number of characters."""
        if self.reply.usage is not None:
            return self.reply.usage
        written = len(self.text or self.refusal or "")
        written += sum(len(call.name) + len(call.arguments) for call in self.calls)
        return TokenCounts(input=_tokens(self.request.characters), output=_tokens(written))


def _tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)
