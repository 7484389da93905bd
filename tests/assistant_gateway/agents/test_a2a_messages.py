from typing import Any

import pytest

from assistant_gateway.agents.a2a.messages import first_words, read, results, schemas, words
from assistant_gateway.agents.remote import AgentFailed, CallPiece
from tests.assistant_gateway.a2a_peer import called, said

FAN = {
    "type": "function",
    "function": {
        "name": "set_fan",
        "parameters": {
            "type": "object",
            "properties": {
                "level": {"type": "integer"},
                "share": {"type": "number"},
                "zones": {"type": "array", "items": {"type": "integer"}},
                "at": {"type": "object", "properties": {"hour": {"type": ["integer", "null"]}}},
            },
        },
    },
}
KNOWN = schemas([FAN])


def test_the_first_words_come_with_the_rules_and_the_tools() -> None:
    message = first_words("Be kind.", "Cooler, please.", [FAN])
    text, tools = message["parts"]
    assert text == {"text": "System: Be kind.\n\nUser: Cooler, please."}
    assert tools == {"data": {"tools": [FAN]}}
    assert (message["role"], message["metadata"]) == ("ROLE_USER", {"source": "user"})


def test_a_driver_who_says_nothing_is_quoted_as_none() -> None:
    assert words("  ")["parts"] == [{"text": "none"}]
    assert words("Yes.") == {
        "role": "ROLE_USER", "parts": [{"text": "Yes."}], "metadata": {"source": "user"},
    }  # fmt: skip


def test_results_go_back_in_the_order_of_the_calls() -> None:
    calls = [CallPiece("call_1", "get_fan", {}), CallPiece("call_2", "set_fan", {"level": 2})]
    outputs = {"call_1": '{"level": 1}', "call_2": ""}
    message = results(calls, outputs)
    assert message["metadata"] == {"source": "environment"}
    assert message["parts"][0]["data"]["tool_results"] == [
        {"tool_name": "get_fan", "tool_call_id": "call_1", "content": '{"level": 1}'},
        {"tool_name": "set_fan", "tool_call_id": "call_2", "content": ""},
    ]


def test_words_calls_and_thoughts_are_distinguished() -> None:
    parts = (
        {"text": "One moment."},
        {"data": {"reasoning_content": "The fan it is."}},
        called({"tool_name": "set_fan", "arguments": {"level": 2.0}}, {"toolName": "get_fan"}),
    )
    answer = read(said(*parts, context_id="c"), KNOWN, calls=3)
    assert (answer.context_id, answer.text) == ("c", "One moment.")
    assert answer.reasoning == "The fan it is."
    assert answer.calls == (
        CallPiece("call_4", "set_fan", {"level": 2}),
        CallPiece("call_5", "get_fan", {}),
    )


def test_numbers_are_whole_where_the_tool_asks_for_whole_ones() -> None:
    given = {"level": 2.0, "share": 3.0, "zones": [1.0, 2.5], "at": {"hour": 8.0}, "other": 1.0}
    [call] = read(said(called({"tool_name": "set_fan", "arguments": given})), KNOWN).calls
    assert repr(call.arguments) == repr(
        {"level": 2, "share": 3.0, "zones": [1, 2.5], "at": {"hour": 8}, "other": 1.0}
    )


def test_arguments_may_be_written_as_text() -> None:
    [call] = read(said(called({"tool_name": "f", "arguments": '{"a": 1}'})), KNOWN).calls
    assert call.arguments == {"a": 1}


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        ({"tool_name": "f"}, "no list"),
        (["f"], "no list"),
        ([{"arguments": {}}], "without a tool_name"),
        ([{"tool_name": "f", "arguments": "x"}], "no JSON"),
        ([{"tool_name": "f", "arguments": [1]}], "no object"),
    ],
)
def test_a_call_nobody_can_make_is_the_agents_failure(calls: Any, reason: str) -> None:
    with pytest.raises(AgentFailed, match=reason):
        read(said({"data": {"tool_calls": calls}}), KNOWN)


# --- tasks


def task(state: str, *parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    status = {"state": f"TASK_STATE_{state}", "message": {"parts": list(parts)}}
    return {"task": {"id": "t", "contextId": "c", "status": status, **fields}}


def test_a_task_answers_with_its_status_or_its_artifacts() -> None:
    artifacts = [{"artifactId": "a", "parts": [{"text": "Done."}]}]
    for answer in (
        read(task("COMPLETED", {"text": "Done."}), KNOWN),
        read(task("COMPLETED", artifacts=artifacts), KNOWN),
        read(task("COMPLETED", {"text": "Done."}, artifacts=artifacts), KNOWN),
    ):
        assert (answer.text, answer.context_id, answer.open_task) == ("Done.", "c", None)


def test_an_artifact_is_reported_once_in_a_task_that_goes_on() -> None:
    artifacts = [{"artifactId": "a", "parts": [{"text": "First."}]}]
    first = read(task("INPUT_REQUIRED", artifacts=artifacts), KNOWN)
    assert (first.text, first.open_task) == ("First.", "t")
    artifacts.append({"artifactId": "b", "parts": [{"text": "Second."}]})
    assert read(
        task("COMPLETED", artifacts=artifacts), KNOWN, old_artifacts=first.artifacts
    ).text == ("Second.")


def test_a_task_that_failed_says_why() -> None:
    with pytest.raises(AgentFailed, match="ended as failed: out of tokens"):
        read(task("FAILED", {"text": "out of tokens"}), KNOWN)


# --- what a turn took


def test_what_the_agent_keeps_to_itself_is_unknown() -> None:
    spent = {"turn_metrics": {"prompt_tokens": 12.0, "model": "m", "num_llm_calls": 2.0}}
    assert read(said({"text": "Hi."}, metadata=spent), KNOWN).turn_metrics == {
        "prompt_tokens": 12, "completion_tokens": None, "cost": None,
        "model": "m", "num_llm_calls": 2, "requests": 2,
    }  # fmt: skip
    assert read(said({"text": "Hi."}), KNOWN).turn_metrics == {
        "prompt_tokens": None, "completion_tokens": None, "cost": None,
    }  # fmt: skip


def test_a_turn_is_accounted_for_once() -> None:
    spent = {"turn_metrics": {"prompt_tokens": 12}}
    message = said(called({"tool_name": "f", "arguments": {}}), metadata=spent)
    assert read(message, KNOWN).turn_metrics is None
