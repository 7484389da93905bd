"""Puts a streamed chat completion together, in whatever pieces it comes. Pure.

Servers that speak Chat Completions differ in how they number calls, repeat ids, end a message and
report usage. What was called is decided from what arrived, never from `finish_reason`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import orjson

from assistant_gateway.agents.remote import CallPiece
from assistant_gateway.models.characters import Joint, whole_characters

SHOWN = 200


@dataclass(frozen=True, slots=True)
class UnreadableCall:
    """A tool call that cannot be made; `why` is its answer to the model."""

    call_id: str
    name: str
    why: str


WrittenCall = CallPiece | UnreadableCall


@dataclass(frozen=True, slots=True)
class Completion:
    """One whole message of a model; `usage` as the server named it, if it did."""

    text: str
    calls: tuple[WrittenCall, ...] = ()
    finish_reason: str | None = None
    usage: Mapping[str, Any] | None = None
    ended: bool = False

    @property
    def broken_off(self) -> bool:
        """Whether the stream ended before the message did.

        The end of a message is its `finish_reason`; servers that send none report the usage last,
        or say that the stream is over.
        """
        if self.finish_reason:
            return False
        if not (self.ended or self.usage):
            return True
        unreadable = any(isinstance(call, UnreadableCall) for call in self.calls)
        return unreadable or not (self.text.strip() or self.calls)


@dataclass(slots=True)
class _Slot:
    """A call that is being written."""

    index: int
    call_id: str = ""
    name: str = ""
    arguments: str = ""

    @property
    def is_whole(self) -> bool:
        return isinstance(_parsed(self.arguments), dict)

    def is_over_before(self, call_id: str, name: str, arguments: str) -> bool:
        """Whether what comes next under the same index belongs to another call."""
        if call_id and self.call_id:
            return call_id != self.call_id
        if not name or not self.name:
            return False
        if call_id:
            return True
        return name != self.name or bool(arguments and self.is_whole)


@dataclass(slots=True)
class Assembly:
    """Add chunk after chunk; `call_prefix` names calls that came without an id of their own."""

    call_prefix: str = "call"
    hide: Callable[[str], str] = str
    text: str = ""
    finish_reason: str | None = None
    usage: Mapping[str, Any] | None = None
    begun: bool = False
    ended: bool = False
    _slots: list[_Slot] = field(default_factory=list)
    _joint: Joint = field(default_factory=Joint)

    @property
    def has_calls(self) -> bool:
        return bool(self._slots)

    def add(self, chunk: Any) -> str:
        """Take in one chunk; returns what can be spoken now, nothing before the first word."""
        fields = _mapping(chunk)
        self.usage = _mapping(fields.get("usage")) or self.usage
        spoken = ""
        for choice in _mappings(fields.get("choices")):
            self.begun = True
            if choice.get("index") in (0, None):
                spoken += self._take(choice)
        return self.hide(self._joint.add(spoken))

    def completion(self) -> Completion:
        """The message as far as it came; calls in the order of their numbers."""
        slots = sorted(self._slots, key=lambda slot: slot.index)
        text = self.hide(whole_characters(self.text))
        calls = tuple(self._calls(slots))
        return Completion(text, calls, self.finish_reason, self.usage, self.ended)

    def _take(self, choice: Mapping[str, Any]) -> str:
        self.finish_reason = _string(choice.get("finish_reason")) or self.finish_reason
        delta = _mapping(choice.get("delta"))
        if calls := _mappings(delta.get("tool_calls")):
            for call in calls:
                self._write(
                    call.get("index"), _string(call.get("id")), _mapping(call.get("function"))
                )
        elif legacy := _mapping(delta.get("function_call")):
            self._write(0, "", legacy)
        return self._say(_words(delta.get("content")) + _string(delta.get("refusal")))

    def _say(self, piece: str) -> str:
        begun = bool(self.text.strip())
        self.text += piece
        return piece if begun else self.text.lstrip()

    def _write(self, index: Any, call_id: str, function: Mapping[str, Any]) -> None:
        name, arguments = _string(function.get("name")), _arguments(function.get("arguments"))
        if not (call_id or name or arguments):
            return
        number = index if isinstance(index, int) else 0
        slot = self._slot(number, call_id, name, arguments)
        slot.call_id = slot.call_id or call_id
        slot.name = slot.name or name
        slot.arguments += arguments

    def _slot(self, index: int, call_id: str, name: str, arguments: str) -> _Slot:
        """The call a fragment belongs to: the one with its id, else the newest of its index."""
        same = [slot for slot in self._slots if slot.index == index]
        known = next((slot for slot in same if call_id and slot.call_id == call_id), None)
        if known is not None:
            return known
        if same and not same[-1].is_over_before(call_id, name, arguments):
            return same[-1]
        self._slots.append(slot := _Slot(index))
        return slot

    def _calls(self, slots: Sequence[_Slot]) -> Iterator[WrittenCall]:
        taken: set[str] = set()
        for number, slot in enumerate(slots, 1):
            call_id = slot.call_id
            if not call_id or call_id in taken:
                own = (f"{self.call_prefix}_{free}" for free in count(number))
                call_id = next(name for name in own if name not in taken)
            taken.add(call_id)
            yield written_call(call_id, self.hide(slot.name), self.hide(slot.arguments))


def written_call(call_id: str, name: str, written: str) -> WrittenCall:
    """A call from the text of its arguments."""
    call_id, name, written = map(whole_characters, (call_id, name, written))
    if not name:
        why = "this call names no tool; nothing was done. Name one of the tools you were given."
        return UnreadableCall(call_id, name, why)
    if not written.strip():
        return CallPiece(call_id, name, {})
    arguments = _parsed(written)
    if isinstance(arguments, dict):
        return CallPiece(call_id, name, arguments)
    why = (
        f"the arguments of this call are no JSON object; nothing was done. You wrote: "
        f"{written[:SHOWN]}"
    )
    return UnreadableCall(call_id, name, why)


def _parsed(written: str) -> Any:
    """The JSON value; None if it is none."""
    try:
        return orjson.loads(written)
    except orjson.JSONDecodeError:
        return None


def _arguments(given: Any) -> str:
    """A fragment of JSON text; some servers send the object itself."""
    return orjson.dumps(given).decode() if isinstance(given, dict) else _string(given)


def _words(content: Any) -> str:
    """Text, or the text among the parts of a message."""
    if isinstance(content, list):
        return "".join(_string(part.get("text")) for part in _mappings(content))
    return _string(content)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
