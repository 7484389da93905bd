"""One Realtime response as events. Pure: fragments in, events out."""

from collections.abc import Iterator
from typing import Any

from assistant_gateway.mock_llm.answer import Answer
from assistant_gateway.mock_llm.pacing import Fragment
from assistant_gateway.mock_llm.realtime.events import (
    CallItem,
    Event,
    Item,
    MessageItem,
    Part,
    SpokenPart,
)

CLOSED = {"completed": "completed", "failed": "incomplete", "cancelled": "incomplete"}


class ResponseEvents:
    """Opens and closes items as fragments come; its first item follows the item `after`.

    What is `spoken` has a transcript instead of text, and samples beside it.
    """

    def __init__(self, answer: Answer, after: str | None = None, *, spoken: bool = False) -> None:
        self.spoken = spoken
        self.id = f"resp_{answer.number}"
        self.open: MessageItem | CallItem | None = None
        self.finished: list[MessageItem | CallItem] = []
        self._answer = answer
        self._after = after
        self._call: int | None = None

    def created(self) -> Event:
        """The first event of a response."""
        return {"type": "response.created", "response": self._response("in_progress")}

    def say(self, fragment: Fragment) -> Iterator[Event]:
        """The events of a fragment, after those of the items that it closes and opens."""
        if self.open is None or self._call != fragment.call:
            yield from self._close_item("completed")
            yield from self._open_item(fragment.call)
        match self.open:
            case MessageItem() as item:
                part = self._part(item.text + fragment.text)
                self.open = item.model_copy(update={"content": (part,)})
                kind = f"response.{self._words}.delta"
                yield self._of_text(kind, item, delta=fragment.text)
            case CallItem() as item:
                self.open = item.model_copy(update={"arguments": item.arguments + fragment.text})
                yield self._of_item(
                    "response.function_call_arguments.delta",
                    item,
                    call_id=item.call_id,
                    delta=fragment.text,
                )

    def sound(self, audio: str) -> Iterator[Event]:
        """Samples in base64 of what was said last."""
        if isinstance(self.open, MessageItem):
            yield self._of_text("response.output_audio.delta", self.open, delta=audio)

    @property
    def _words(self) -> str:
        """How events name the words."""
        return "output_audio_transcript" if self.spoken else "output_text"

    def _part(self, text: str) -> Part | SpokenPart:
        if self.spoken:
            return SpokenPart(type="output_audio", transcript=text)
        return Part(type="output_text", text=text)

    def _content(self, text: str) -> dict[str, str]:
        if self.spoken:
            return {"type": "audio", "transcript": text}
        return {"type": "text", "text": text}

    def done(
        self, status: str = "completed", details: dict[str, Any] | None = None
    ) -> Iterator[Event]:
        """The last events; fragments that did not come are left out."""
        yield from self._close_item(CLOSED[status])
        yield {"type": "response.done", "response": self._response(status, details)}

    def _open_item(self, call: int | None) -> Iterator[Event]:
        item_id, self._call = f"item_{self.id}_{len(self.finished)}", call
        if call is None:
            self.open = MessageItem(id=item_id, role="assistant", status="in_progress")
        else:
            called = self._answer.calls[call]
            self.open = CallItem(
                id=item_id, name=called.name, call_id=called.call_id, status="in_progress"
            )
        yield self._output_item("response.output_item.added", self.open)
        yield self._conversation_item("conversation.item.added", self.open)
        if call is None:
            part = self._content("")
            yield self._of_text("response.content_part.added", self.open, part=part)

    def _close_item(self, status: str) -> Iterator[Event]:
        item = self.open
        if item is None:
            return
        if isinstance(item, MessageItem):
            words = {"transcript" if self.spoken else "text": item.text}
            if self.spoken:
                yield self._of_text("response.output_audio.done", item)
            yield self._of_text(f"response.{self._words}.done", item, **words)
            part = self._content(item.text)
            yield self._of_text("response.content_part.done", item, part=part)
        else:
            written = item.model_dump(include={"call_id", "name", "arguments"})
            yield self._of_item("response.function_call_arguments.done", item, **written)
        closed, self.open = item.model_copy(update={"status": status}), None
        yield self._conversation_item("conversation.item.done", closed)
        yield self._output_item("response.output_item.done", closed)
        self.finished.append(closed)

    def _output_item(self, kind: str, item: Item) -> Event:
        place = {"response_id": self.id, "output_index": len(self.finished)}
        return {"type": kind, **place, "item": wire(item)}

    def _conversation_item(self, kind: str, item: Item) -> Event:
        previous = self.finished[-1].id if self.finished else self._after
        return {"type": kind, "previous_item_id": previous, "item": wire(item)}

    def _of_item(self, kind: str, item: Item, **more: Any) -> Event:
        place = {"item_id": item.id, "output_index": len(self.finished)}
        return {"type": kind, "response_id": self.id, **place, **more}

    def _of_text(self, kind: str, item: Item, **more: Any) -> Event:
        return self._of_item(kind, item, content_index=0, **more)

    def _response(self, status: str, details: dict[str, Any] | None = None) -> dict[str, Any]:
        usage = self._answer.usage
        tokens = {"input_tokens": usage.input, "output_tokens": usage.output}
        return {
            "object": "realtime.response",
            "id": self.id,
            "status": status,
            "status_details": {"type": status, **details} if details else None,
            "output": [wire(item) for item in self.finished],
            "output_modalities": ["audio" if self.spoken else "text"],
            "usage": {"total_tokens": usage.total, **tokens} if status != "in_progress" else None,
        }


def wire(item: Item) -> dict[str, Any]:
    """An item as events carry it."""
    return {"object": "realtime.item", **item.model_dump()}
