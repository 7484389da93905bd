"""One response of a Realtime model, put together from its events. Pure."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from openai.types.realtime import (
    RealtimeResponse,
    RealtimeServerEvent,
    ResponseAudioDeltaEvent,
    ResponseAudioTranscriptDeltaEvent,
    ResponseDoneEvent,
    ResponseFunctionCallArgumentsDoneEvent,
    ResponseOutputItemAddedEvent,
    ResponseOutputItemDoneEvent,
    ResponseTextDeltaEvent,
)

from assistant_gateway.agents.chat.completion import WrittenCall, written_call
from assistant_gateway.agents.remote import CallPiece
from assistant_gateway.models.characters import Joint


@dataclass(slots=True)
class ResponseSoFar:
    """Add event after event; `messages` are the ids of the items that hold its words.

    `audio_bytes` says how much sound each of them has.
    """

    hide: Callable[[str], str] = str
    messages: list[str] = field(default_factory=list)
    calls: dict[str, WrittenCall] = field(default_factory=dict)
    outcome: RealtimeResponse | None = None
    audio_bytes: dict[str, int] = field(default_factory=dict)
    _begun: dict[str, tuple[str, str]] = field(default_factory=dict)
    _joint: Joint = field(default_factory=Joint)

    def add(self, event: RealtimeServerEvent) -> str:
        """Take in one event; returns what can be spoken now."""
        match event:
            case (
                ResponseTextDeltaEvent(delta=words) | ResponseAudioTranscriptDeltaEvent(delta=words)
            ):
                return self.hide(self._joint.add(words or ""))
            case ResponseAudioDeltaEvent(item_id=item_id, delta=audio):
                length = len(audio) * 3 // 4 - audio[-2:].count("=")
                self.audio_bytes[item_id] = self.audio_bytes.get(item_id, 0) + length
            case ResponseOutputItemAddedEvent(item=item):
                if item.type == "message":
                    self.messages.append(item.id or "")
                elif item.type == "function_call":
                    self._begun[item.id or ""] = (item.call_id or "", item.name or "")
            case ResponseFunctionCallArgumentsDoneEvent():
                call_id, name = self._begun.get(event.item_id, ("", ""))
                self._call(
                    event.item_id, event.call_id or call_id, event.name or name, event.arguments
                )
            case ResponseOutputItemDoneEvent(item=item):
                if item.type == "function_call" and item.id not in self.calls:
                    self._call(item.id or "", item.call_id or "", item.name, item.arguments)
            case ResponseDoneEvent(response=response):
                self.outcome = response
        return ""

    @property
    def ending(self) -> tuple[Literal["completed", "cancelled", "incomplete"], str | None]:
        """How it ended, and why if it ended early."""
        end = self.outcome
        if end is None or (end.status != "cancelled" and end.status != "incomplete"):
            return "completed", None
        return end.status, end.status_details.reason if end.status_details else None

    @property
    def usage(self) -> Mapping[str, Any]:
        """Tokens in the names of Chat Completions, the form in which spending is counted."""
        usage = self.outcome.usage if self.outcome else None
        if usage is None:
            return {}
        details = usage.input_token_details
        return {
            "prompt_tokens": usage.input_tokens,
            "completion_tokens": usage.output_tokens,
            "prompt_tokens_details": {"cached_tokens": details.cached_tokens} if details else None,
        }

    @property
    def unfinished(self) -> Iterator[str]:
        """The ids of items that hold a call that was not written to its end."""
        return (item_id for item_id in self._begun if item_id not in self.calls)

    @property
    def is_usable(self) -> bool:
        """Whether it has a call that can be made, or needs none."""
        return not self.calls or any(isinstance(call, CallPiece) for call in self.calls.values())

    def _call(self, item_id: str, call_id: str, name: str, arguments: str | None) -> None:
        self.calls[item_id] = written_call(call_id, self.hide(name), self.hide(arguments or ""))
