"""What travels between the gateway and an A2A agent, as the JSON of protobuf messages: pure.

The boundary of the public car-bench competition. One context per conversation; a message of ours
holds the driver's words or the results of tools, one of the agent's holds text, calls or both.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant_gateway.agents.a2a.whole_numbers import whole, whole_where_asked
from assistant_gateway.agents.remote import AgentFailed, CallPiece, Outputs

Json = dict[str, Any]
Schemas = Mapping[str, Any]
SILENCE = "none"  # what car-bench sends for a driver who said nothing
GAVE_UP = ("FAILED", "REJECTED", "CANCELED", "AUTH_REQUIRED")
SUMMED = (
    "prompt_tokens",
    "completion_tokens",
    "thinking_tokens",
    "cost",
    "num_llm_calls",
    "requests",
)
UNREPORTED: Json = {"prompt_tokens": None, "completion_tokens": None, "cost": None}


@dataclass(frozen=True, slots=True)
class A2aReply:
    """One message of the agent.

    `open_task` waits for the next message. `turn_metrics` comes with the last message of a turn,
    else it is None.
    """

    context_id: str | None
    open_task: str | None
    artifacts: frozenset[str]
    text: str
    calls: tuple[CallPiece, ...]
    reasoning: str | None
    turn_metrics: Json | None


def first_words(instructions: str, text: str, tools: Sequence[Json]) -> Json:
    """The driver's first words, behind the rules of the car and with the tools."""
    both = f"System: {instructions}\n\nUser: {_audible(text)}"
    return _from_us("user", {"text": both}, {"data": {"tools": list(tools)}})


def words(text: str) -> Json:
    """What the driver says next."""
    return _from_us("user", {"text": _audible(text)})


def results(calls: Sequence[CallPiece], outputs: Outputs) -> Json:
    """Outputs of the last message's calls, in the order of the calls."""
    listed = [
        {"tool_name": call.name, "tool_call_id": call.call_id, "content": outputs[call.call_id]}
        for call in calls
    ]
    return _from_us("environment", {"data": {"tool_results": listed}})


def _from_us(source: str, *parts: Json) -> Json:
    return {"role": "ROLE_USER", "parts": list(parts), "metadata": {"source": source}}


def _audible(text: str) -> str:
    return text if text.strip() else SILENCE


def schemas(tools: Sequence[Json]) -> Schemas:
    """The parameters of each tool by its name."""
    return {tool["function"]["name"]: tool["function"].get("parameters") for tool in tools}


def read(
    response: Json, known: Schemas, *, old_artifacts: Collection[str] = (), calls: int = 0
) -> A2aReply:
    """The reply in a message or a task; raises `AgentFailed` if there is none.

    `old_artifacts` are left out; `calls` is the number of calls made before.
    """
    task: Json = response.get("task") or {}
    status: Json = task.get("status") or {}
    message: Json = response.get("message") or status.get("message") or {}
    parts: list[Json] = list(message.get("parts") or [])
    state = str(status.get("state", "")).removeprefix("TASK_STATE_")
    if state in GAVE_UP:
        why = _text(parts)
        raise AgentFailed(f"the agent's task ended as {state.lower()}{why and f': {why}'}")
    new = [one for one in task.get("artifacts") or [] if one.get("artifactId") not in old_artifacts]
    for artifact in new:
        parts += [part for part in artifact.get("parts") or [] if part not in parts]
    made = tuple(_calls(parts, known, calls))
    reported = {**(task.get("metadata") or {}), **(message.get("metadata") or {})}
    return A2aReply(
        context_id=task.get("contextId") or message.get("contextId"),
        open_task=task.get("id") if state == "INPUT_REQUIRED" else None,
        artifacts=frozenset(str(one.get("artifactId")) for one in new),
        text=_text(parts),
        calls=made,
        reasoning=_reasoning(parts),
        turn_metrics=None if made else _turn_metrics(reported),
    )


def _text(parts: Iterable[Json]) -> str:
    return "\n".join(part["text"] for part in parts if part.get("text"))


def _data(parts: Iterable[Json], name: str) -> list[Any]:
    data = [part["data"] for part in parts if isinstance(part.get("data"), dict)]
    return [fields[name] for fields in data if name in fields]


def _reasoning(parts: Iterable[Json]) -> str | None:
    return "\n".join(map(str, filter(None, _data(parts, "reasoning_content")))) or None


def _calls(parts: Iterable[Json], known: Schemas, made: int) -> Iterable[CallPiece]:
    listed = [call for calls in _data(parts, "tool_calls") for call in _listed(calls)]
    for number, call in enumerate(listed, start=made + 1):
        name = call.get("tool_name", call.get("toolName"))
        if not isinstance(name, str) or not name:
            raise AgentFailed("the agent made a tool call without a tool_name")
        arguments = _arguments(name, call.get("arguments"))
        yield CallPiece(f"call_{number}", name, whole_where_asked(arguments, known.get(name)))


def _listed(calls: Any) -> list[Json]:
    if isinstance(calls, list) and all(isinstance(call, dict) for call in calls):
        return calls
    raise AgentFailed("the agent sent tool_calls that are no list of objects")


def _arguments(name: str, given: Any) -> Json:
    """An object, perhaps written as text, as some models have it."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            raise AgentFailed(f"the agent called {name} with arguments that are no JSON") from None
    if given is None or isinstance(given, dict):
        return given or {}
    raise AgentFailed(f"the agent called {name} with arguments that are no object")


def _turn_metrics(reported: Json) -> Json:
    """Tokens and requests of a turn as the agent reports them; unreported ones are null."""
    given = reported.get("turn_metrics")
    metrics = whole(given) if isinstance(given, dict) else {}
    requests = metrics.get("num_llm_calls")
    return {**UNREPORTED, **metrics, **({} if requests is None else {"requests": requests})}


def added_metrics(one: Json | None, other: Json) -> Json:
    """Metrics of two turns together; unreported in one of them is null in the sum."""
    if one is None:
        return other
    names = [name for name in SUMMED if name in one or name in other]
    return other | {name: _sum(one.get(name), other.get(name)) for name in names}


def _sum(one: object, other: object) -> float | None:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one + other
    return None
