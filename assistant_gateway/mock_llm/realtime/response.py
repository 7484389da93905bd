"""One Realtime response as the events that tell of it. Pure: fragments in, events out."""

from collections.abc import Iterator
from typing import Any

from assistant_gateway.mock_llm.answer import Answer
from assistant_gateway.mock_llm.pacing import Fragment
from assistant_gateway.mock_llm.realtime.events import CallItem, Event, Item, MessageItem, Part

CLOSED = {"completed": "completed", "failed": "incomplete", "cancelled": "incomplete"}


class Response:
    """Feed it fragments; it opens and closes items as they come, and closes what is open.

    Its items follow the item `after` in the conversation.
    """

    def __init__(self, answer: Answer, after: str | None = None) -> None:
        self.id = f"resp_{answer.number}"
        self.open: MessageItem | CallItem | None = None
        self.finished: list[MessageItem | CallItem] = []
        self._answer = answer
        self._after = after
        self._call: int | None = None

    def created(self) -> Event:
        """The first event of a response."""
        return {"type": "response.created", "response": self._told("in_progress")}

    def say(self, fragment: Fragment) -> list[Event]:
        """What a fragment is told as, and what has to be told before."""
        return list(self._say(fragment))

    def _say(self, fragment: Fragment) -> Iterator[Event]:
        if self.open is None or self._call != fragment.call:
            yield from self._close_item("completed")
            yield from self._open_item(fragment.call)
        match self.open:
            case MessageItem() as item:
                self.open = item.model_copy(update={"content": (_part(item.text + fragment.text),)})
                yield self._of_text("response.output_text.delta", delta=fragment.text)
            case CallItem() as item:
                self.open = item.model_copy(update={"arguments": item.arguments + fragment.text})
                yield self._of_item(
                    "response.function_call_arguments.delta",
                    call_id=item.call_id,
                    delta=fragment.text,
                )

    def done(self, status: str = "completed", details: dict[str, Any] | None = None) -> list[Event]:
        """The last events; what was not said by now is left out."""
        closing = list(self._close_item(CLOSED[status]))
        last = {"type": "response.done", "response": self._told(status, details)}
        return [*closing, last]

    def _open_item(self, call: int | None) -> Iterator[Event]:
        item_id, self._call = f"item_{self.id}_{len(self.finished)}", call
        if call is None:
            self.open = MessageItem(id=item_id, role="assistant", status="in_progress")
        else:
            called = self._answer.calls[call]
            self.open = CallItem(
                id=item_id, name=called.name, call_id=called.call_id, status="in_progress"
            )
        yield self._output_item("response.output_item.added")
        yield self._conversation_item("conversation.item.added")
        if call is None:
            yield self._of_text("response.content_part.added", part={"type": "text", "text": ""})

    def _close_item(self, status: str) -> Iterator[Event]:
        item = self.open
        if item is None:
            return
        if isinstance(item, MessageItem):
            yield self._of_text("response.output_text.done", text=item.text)
            part = {"type": "text", "text": item.text}
            yield self._of_text("response.content_part.done", part=part)
        else:
            yield self._of_item(
                "response.function_call_arguments.done",
                call_id=item.call_id,
                name=item.name,
                arguments=item.arguments,
            )
        self.open = item.model_copy(update={"status": status})
        yield self._conversation_item("conversation.item.done")
        yield self._output_item("response.output_item.done")
        self.finished.append(self.open)
        self.open = None

    def _output_item(self, kind: str) -> Event:
        index = len(self.finished)
        item = wire(self.open)
        return {"type": kind, "response_id": self.id, "output_index": index, "item": item}

    def _conversation_item(self, kind: str) -> Event:
        previous = self.finished[-1].id if self.finished else self._after
        return {"type": kind, "previous_item_id": previous, "item": wire(self.open)}

    def _of_item(self, kind: str, **more: Any) -> Event:
        item_id = self.open.id if self.open else ""
        place = {"item_id": item_id, "output_index": len(self.finished)}
        return {"type": kind, "response_id": self.id, **place, **more}

    def _of_text(self, kind: str, **more: Any) -> Event:
        return self._of_item(kind, content_index=0, **more)

    def _told(self, status: str, details: dict[str, Any] | None = None) -> dict[str, Any]:
        tokens = self._answer.tokens
        usage = {
            "total_tokens": sum(tokens),
            "input_tokens": tokens.input,
            "output_tokens": tokens.output,
        }
        return {
            "object": "realtime.response",
            "id": self.id,
            "status": status,
            "status_details": {"type": status, **details} if details else None,
            "output": [wire(item) for item in self.finished],
            "output_modalities": ["text"],
            "usage": usage if status != "in_progress" else None,
        }


def _part(text: str) -> Part:
    return Part(type="output_text", text=text)


def wire(item: Item | None) -> dict[str, Any]:
    """An item as events carry it."""
    return {"object": "realtime.item", **(item.model_dump() if item else {})}
