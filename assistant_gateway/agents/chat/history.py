"""The messages of a session, as Chat Completions takes them. Pure.

An API accepts the history at any moment: each call is followed by its answer, which says that there
is none until the tool has answered.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import dropwhile, takewhile
from typing import Any

import orjson

from assistant_gateway.agents.chat.completion import Completion, WrittenCall
from assistant_gateway.agents.remote import NO_ANSWER, CallPiece

UNNAMED = "unnamed"
NO_NAME_CHARACTER = re.compile(r"[^A-Za-z0-9_-]")
LONGEST_NAME = 64

Message = dict[str, Any]


class ChatHistory:
    """Messages from the instructions on; `messages` is what a request carries."""

    def __init__(self, instructions: str) -> None:
        self.messages: list[Message] = [{"role": "system", "content": instructions}]
        self._turn = 1

    def heard(self, text: str) -> None:
        """The driver has said something: a turn begins."""
        self.messages.append({"role": "user", "content": text})
        self._turn = len(self.messages)

    def said(self, completion: Completion) -> None:
        """A message of the model, with an answer to each of its calls."""
        message: Message = {"role": "assistant", "content": completion.text or None}
        if completion.calls:
            message["tool_calls"] = [_as_written(call) for call in completion.calls]
        else:
            message["content"] = completion.text
        self.messages.append(message)
        self.messages += [_answer(call) for call in completion.calls]

    def answered(self, answers: Mapping[str, str]) -> None:
        """The tools have answered calls of the newest message that made any, by call id."""
        newest_first = dropwhile(lambda message: not _is_answer(message), reversed(self.messages))
        for message in takewhile(_is_answer, newest_first):
            message["content"] = answers.get(message["tool_call_id"], message["content"])

    def interrupted(self, heard_text: str) -> None:
        """Calls stay, for they were made; of the words stay those that were heard."""
        turn = self.messages[self._turn :]
        kept = [message for message in map(_without_words, turn) if message is not None]
        heard: Iterable[Message] = ()
        if heard_text.strip():
            heard = ({"role": "assistant", "content": heard_text},)
        self.messages[self._turn :] = [*kept, *heard]


def _is_answer(message: Message) -> bool:
    return bool(message["role"] == "tool")


def _without_words(message: Message) -> Message | None:
    if message["role"] != "assistant":
        return message
    return {**message, "content": None} if "tool_calls" in message else None


def _as_written(call: WrittenCall) -> Message:
    """A call as servers accept it back: some refuse what they cannot read, or odd names."""
    arguments = call.arguments if isinstance(call, CallPiece) else {}
    name = NO_NAME_CHARACTER.sub("_", call.name)[:LONGEST_NAME] or UNNAMED
    function = {"name": name, "arguments": orjson.dumps(arguments).decode()}
    return {"id": call.call_id, "type": "function", "function": function}


def _answer(call: WrittenCall) -> Message:
    content = NO_ANSWER if isinstance(call, CallPiece) else call.why
    return {"role": "tool", "tool_call_id": call.call_id, "content": content}
