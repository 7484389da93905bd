"""A scripted reply as Chat Completions JSON: one object, or the chunks of a stream. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from assistant_gateway.mock_llm.request import ChatRequest
from assistant_gateway.mock_llm.script import Reply

CREATED = 1_700_000_000
CHARACTERS_PER_TOKEN = 4
ARGUMENT_PIECE = 12
REFUSAL = "I cannot help with that."
UNFINISHED = '{"reason": "I was about to'


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply to one request; `number` makes its ids unique on this server."""

    request: ChatRequest
    reply: Reply
    number: int

    @property
    def text(self) -> str | None:
        """What is said; a malformed answer breaks off in the middle of its JSON."""
        reply = self.reply
        if reply.fault == "refusal":
            return None
        if reply.fault == "malformed" and not reply.tool_calls:
            return UNFINISHED
        if reply.json_ is not None:
            return orjson.dumps(reply.json_).decode()
        return reply.say

    @property
    def refusal(self) -> str | None:
        return (self.reply.say or REFUSAL) if self.reply.fault == "refusal" else None

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Tool calls with arguments as text; malformed ones lack their last character."""
        if self.refusal is not None:
            return []
        broken = self.reply.fault == "malformed"
        return [
            {
                "id": f"call_{self.number}_{index}",
                "type": "function",
                "function": {"name": call.name, "arguments": _arguments(call.arguments, broken)},
            }
            for index, call in enumerate(self.reply.tool_calls)
        ]

    @property
    def finish_reason(self) -> str:
        return "tool_calls" if self.calls else "stop"

    @property
    def usage(self) -> dict[str, int]:
        """Tokens as scripted, else estimated from the number of characters."""
        given = self.reply.usage
        asked = sum(len(message.text) for message in self.request.messages)
        said = len(self.text or self.refusal or "") + len(orjson.dumps(self.calls)) - 2
        tokens = (given.input, given.output) if given else (_tokens(asked), _tokens(said))
        return {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
        }

    def whole(self) -> dict[str, Any]:
        """The answer to a request without `stream`."""
        message = {
            "role": "assistant",
            "content": self.text,
            "refusal": self.refusal,
            **({"tool_calls": self.calls} if self.calls else {}),
        }
        choice = {"index": 0, "message": message, "finish_reason": self.finish_reason}
        return {**self._head("chat.completion"), "choices": [choice], "usage": self.usage}

    def chunks(self) -> Iterator[dict[str, Any]]:
        """The same as a stream: role, words, calls in fragments, the end, usage if asked for."""
        yield self._chunk({"role": "assistant", "content": ""})
        for piece in _pieces(self.text or ""):
            yield self._chunk({"content": piece})
        for piece in _pieces(self.refusal or ""):
            yield self._chunk({"refusal": piece})
        for index, call in enumerate(self.calls):
            yield from self._call_chunks(index, call)
        yield self._chunk({}, self.finish_reason)
        if self.request.stream_options.include_usage:
            yield {**self._head("chat.completion.chunk"), "choices": [], "usage": self.usage}

    def _call_chunks(self, index: int, call: dict[str, Any]) -> Iterator[dict[str, Any]]:
        function = call["function"]
        opened = {**call, "index": index, "function": {**function, "arguments": ""}}
        yield self._chunk({"tool_calls": [opened]})
        text = function["arguments"]
        for start in range(0, len(text), ARGUMENT_PIECE):
            fragment = {"arguments": text[start : start + ARGUMENT_PIECE]}
            yield self._chunk({"tool_calls": [{"index": index, "function": fragment}]})

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {**self._head("chat.completion.chunk"), "choices": [choice], "usage": None}

    def _head(self, kind: str) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-mock-{self.number}",
            "object": kind,
            "created": CREATED,
            "model": self.request.model,
        }


def error_body(status: int, message: str) -> dict[str, Any]:
    """An error as the API words it."""
    kind = "rate_limit_error" if status == 429 else "invalid_request_error"
    kind = "server_error" if status >= 500 else kind
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def _arguments(arguments: dict[str, Any], broken: bool) -> str:
    text = orjson.dumps(arguments).decode()
    return text[:-1] if broken else text


def _pieces(text: str) -> list[str]:
    """Words, each with the space before it."""
    return re.findall(r"\s*\S+|\s+$", text)


def _tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)
