"""The items of a Realtime conversation, and the chat request that they make. Pure."""

from collections.abc import Iterator

from assistant_gateway.mock_llm.realtime.events import (
    CallItem,
    Item,
    MessageItem,
    Misunderstood,
    OutputItem,
    SessionSettings,
)
from assistant_gateway.mock_llm.request import AskedCall, AskedFunction, ChatMessage, ChatRequest

FIRST = "root"


class ConversationItems:
    """Messages, calls and their outputs on one connection."""

    def __init__(self) -> None:
        self.items: list[Item] = []

    def add(self, item: Item, after: str | None = None) -> str | None:
        """Put an item at the end, or after another; the id of the one before it."""
        if any(item.id == known.id for known in self.items):
            raise Misunderstood(
                f"there is already an item {item.id!r}", "item_create_invalid_item_id"
            )
        if isinstance(item, OutputItem) and not self._called(item.call_id):
            raise Misunderstood(
                f"no call {item.call_id!r} was made in this conversation",
                "invalid_tool_call_id",
                "item.call_id",
            )
        place = len(self.items) if after is None else 0 if after == FIRST else self._at(after) + 1
        self.items.insert(place, item)
        return self.items[place - 1].id if place else None

    def get(self, item_id: str) -> Item:
        return self.items[self._at(item_id)]

    def replace(self, item: Item) -> None:
        """Put an item in the place of the one with its id."""
        self.items[self._at(item.id)] = item

    def delete(self, item_id: str) -> None:
        del self.items[self._at(item_id)]

    def _called(self, call_id: str) -> bool:
        return any(isinstance(item, CallItem) and item.call_id == call_id for item in self.items)

    def _at(self, item_id: str) -> int:
        for place, item in enumerate(self.items):
            if item.id == item_id:
                return place
        raise Misunderstood(f"there is no item {item_id!r}", "item_not_found", "item_id")

    def request(self, settings: SessionSettings) -> ChatRequest:
        """The conversation as a chat: the model's text and calls of one answer are one message."""
        return ChatRequest(
            model=settings.model,
            messages=(
                ChatMessage(role="system", content=settings.instructions),
                *_messages(self.items),
            ),
            stream=True,
            tools=tuple(tool.as_chat() for tool in settings.tools),
            tool_choice=settings.tool_choice,
        )


def _messages(items: list[Item]) -> Iterator[ChatMessage]:
    parts: list[MessageItem | CallItem] = []
    for item in items:
        if isinstance(item, CallItem) or (
            isinstance(item, MessageItem) and item.role == "assistant"
        ):
            parts.append(item)
            continue
        yield from _answer(parts)
        parts = []
        if isinstance(item, OutputItem):
            yield ChatMessage(role="tool", content=item.output, tool_call_id=item.call_id)
        else:
            yield ChatMessage(role=item.role, content=item.text)
    yield from _answer(parts)


def _answer(parts: list[MessageItem | CallItem]) -> Iterator[ChatMessage]:
    if not parts:
        return
    texts = [item.text for item in parts if isinstance(item, MessageItem)]
    if not any(texts) and not any(isinstance(item, CallItem) for item in parts):
        return  # of what was said nothing was heard
    calls = tuple(
        AskedCall(id=item.call_id, function=AskedFunction(name=item.name, arguments=item.arguments))
        for item in parts
        if isinstance(item, CallItem)
    )
    yield ChatMessage(role="assistant", content="".join(texts), tool_calls=calls or None)
