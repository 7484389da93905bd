"""An answer as Chat Completions JSON: one object, or the chunks of a stream. Pure."""

from collections.abc import Iterator
from typing import Any

from assistant_gateway.mock_llm.answer import Answer, AnswerCall
from assistant_gateway.mock_llm.pacing import Fragment, Paced

CREATED = 1_700_000_000

Chunk = dict[str, Any]
TimedChunk = tuple[int, Chunk]  # due so many nanoseconds after the request came


def whole(answer: Answer) -> dict[str, Any]:
    """The answer to a request without `stream`."""
    calls = [_call(call) for call in answer.calls]
    message = {
        "role": "assistant",
        "content": answer.text,
        "refusal": answer.refusal,
        **({"tool_calls": calls} if calls else {}),
    }
    choice = {"index": 0, "message": message, "finish_reason": _finish_reason(answer)}
    return {**_head(answer, "chat.completion"), "choices": [choice], "usage": _usage(answer)}


def chunks(paced: Paced) -> Iterator[TimedChunk]:
    """The same as a stream: role, words, calls in fragments, the end, usage if asked for."""
    answer = paced.answer
    yield paced.first_ns, _chunk(answer, {"role": "assistant", "content": ""})
    opened: int | None = None
    for fragment in paced.fragments:
        if fragment.call is not None and fragment.call != opened:
            opened = fragment.call
            call = {**_call(answer.calls[opened], arguments=""), "index": opened}
            yield fragment.after_ns, _chunk(answer, {"tool_calls": [call]})
        yield fragment.after_ns, _chunk(answer, _delta(answer, fragment))
    yield paced.end_ns, _chunk(answer, {}, _finish_reason(answer))
    if answer.request.stream_options.include_usage:
        last = {**_head(answer, "chat.completion.chunk"), "choices": [], "usage": _usage(answer)}
        yield paced.end_ns, last


def _delta(answer: Answer, fragment: Fragment) -> dict[str, Any]:
    if fragment.call is not None:
        piece = {"index": fragment.call, "function": {"arguments": fragment.text}}
        return {"tool_calls": [piece]}
    return {"content" if answer.refusal is None else "refusal": fragment.text}


def _call(call: AnswerCall, arguments: str | None = None) -> dict[str, Any]:
    text = call.arguments if arguments is None else arguments
    function = {"name": call.name, "arguments": text}
    return {"id": call.call_id, "type": "function", "function": function}


def _chunk(answer: Answer, delta: dict[str, Any], finish: str | None = None) -> Chunk:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {**_head(answer, "chat.completion.chunk"), "choices": [choice], "usage": None}


def _finish_reason(answer: Answer) -> str:
    return "tool_calls" if answer.calls else "stop"


def _usage(answer: Answer) -> dict[str, int]:
    usage = answer.usage
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.total,
    }


def _head(answer: Answer, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-mock-{answer.number}",
        "object": kind,
        "created": CREATED,
        "model": answer.request.model,
    }
