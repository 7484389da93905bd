"""Streams as servers send them, odd ones too: the last line says what message they make."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.agents.chat.completion import (
    Assembly,
    Completion,
    UnreadableCall,
    WrittenCall,
)
from assistant_gateway.agents.remote import CallPiece

STREAMS = sorted((Path(__file__).parent / "streams").glob("*.jsonl"))
Chunk = dict[str, Any]
OVER = "[DONE]"


def assembled(chunks: list[Any]) -> tuple[str, Completion]:
    """What was spoken on the way, and the whole message."""
    assembly = Assembly()
    assembly.ended = chunks[-1:] == [OVER]
    spoken = "".join([assembly.add(chunk) for chunk in chunks])
    return spoken, assembly.completion()


def as_expected(call: WrittenCall) -> dict[str, Any]:
    named = {"call_id": call.call_id, "name": call.name}
    if isinstance(call, UnreadableCall):
        return {**named, "unreadable": True}
    return {**named, "arguments": call.arguments}


@pytest.mark.parametrize("file", STREAMS, ids=lambda file: file.stem)
def test_a_stream_makes_the_message_that_was_meant(file: Path) -> None:
    *chunks, last = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    spoken, message = assembled(chunks)
    assert {
        "spoken": spoken,
        "text": message.text,
        "calls": [as_expected(call) for call in message.calls],
        "finish_reason": message.finish_reason,
        "usage": message.usage,
        "broken_off": message.broken_off,
    } == last["expected"]


def test_an_unreadable_call_tells_the_model_what_it_wrote() -> None:
    written = {"index": 0, "id": "a", "function": {"name": "set_fan_speed", "arguments": "{3}"}}
    nameless = {"index": 1, "id": "b", "function": {"arguments": "{}"}}
    _, message = assembled([chunk(tool_calls=[written, nameless])])
    first, second = message.calls
    assert isinstance(first, UnreadableCall)
    assert isinstance(second, UnreadableCall)
    assert first.why.endswith("no JSON object; nothing was done. You wrote: {3}")
    assert "names no tool" in second.why


def test_whether_there_are_calls_is_known_from_the_first_piece_of_one() -> None:
    assembly = Assembly()
    assembly.add(chunk(content="One moment."))
    assert not assembly.has_calls
    assembly.add(chunk(tool_calls=[{"index": 0, "id": "a", "function": {"name": "f"}}]))
    assert assembly.has_calls


# --- any cut, any order


def chunk(finish: str | None = None, **delta: Any) -> Chunk:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


VALUES = st.one_of(st.integers(-9, 9), st.booleans(), st.text(max_size=8))
CALLS = st.lists(
    st.tuples(
        st.sampled_from(["set_fan_speed", "get_weather", "open_close_window"]),
        st.dictionaries(st.text(max_size=5), VALUES, max_size=3),
    ),
    max_size=4,
)


@st.composite
def pieces(draw: st.DrawFn, text: str) -> list[str]:
    """The text cut anywhere, with empty pieces between."""
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    ends = zip([0, *cuts], [*cuts, len(text)], strict=True)
    return [text[start:end] for start, end in ends]


@st.composite
def streams(draw: st.DrawFn) -> tuple[str, list[CallPiece], list[Chunk]]:
    """A message, and one of the ways it may arrive."""
    text, calls = draw(st.text(max_size=40)), draw(CALLS)
    meant = [
        CallPiece(f"id{index}", name, arguments) for index, (name, arguments) in enumerate(calls)
    ]
    queues: list[list[Chunk]] = [[{"content": piece} for piece in draw(pieces(text))]]
    for index, call in enumerate(meant):
        opened = {"index": index, "id": call.call_id, "function": {"name": call.name}}
        written = json.dumps(call.arguments)
        fragments = [
            {"index": index, "function": {"arguments": piece}} for piece in draw(pieces(written))
        ]
        queues.append([{"tool_calls": [delta]} for delta in (opened, *fragments)])
    deltas = []
    while queues := [queue for queue in queues if queue]:
        deltas.append(draw(st.sampled_from(queues)).pop(0))
    return text, meant, [chunk(**delta) for delta in draw(together(deltas))] + [chunk("stop")]


@st.composite
def together(draw: st.DrawFn, deltas: list[Chunk]) -> list[Chunk]:
    """Neighbours that are both about calls may share a delta."""
    shared: list[Chunk] = []
    for delta in deltas:
        if shared and "tool_calls" in delta and "tool_calls" in shared[-1] and draw(st.booleans()):
            shared[-1] = {"tool_calls": shared[-1]["tool_calls"] + delta["tool_calls"]}
        else:
            shared.append(delta)
    return shared


@given(streams())
def test_no_cut_and_no_order_of_its_pieces_changes_a_message(
    stream: tuple[str, list[CallPiece], list[Chunk]],
) -> None:
    text, meant, chunks = stream
    spoken, message = assembled(chunks)
    assert (message.text, list(message.calls)) == (text, meant)
    assert spoken == (text.lstrip() if text.strip() else "")


KEYS = st.sampled_from(
    ["choices", "delta", "index", "tool_calls", "function", "id", "name", "arguments", "content"]
)
ANYTHING = st.recursive(
    st.none() | st.text(max_size=3) | st.integers(0, 2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)


@given(
    st.lists(ANYTHING | st.builds(lambda delta: chunk(**delta), st.dictionaries(KEYS, ANYTHING)))
)
def test_nothing_a_server_sends_breaks_it(chunks: list[Any]) -> None:
    _, message = assembled(chunks)
    ids = [call.call_id for call in message.calls]
    assert len(set(ids)) == len(ids)
