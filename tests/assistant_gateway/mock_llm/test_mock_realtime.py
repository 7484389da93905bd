"""The mock model's Realtime socket, event by event."""

import json
from typing import Any

import pytest
from openai import AsyncOpenAI
from websockets.exceptions import ConnectionClosedError, InvalidStatus

from assistant_gateway.mock_llm.server import mock_llm
from tests.assistant_gateway.realtime import CALLS, KEY, Event, Listening, called, calling

HANGS = {"say": "One two three", "between_s": 600}


def kinds(events: list[Event]) -> list[str]:
    """Types of events, repetitions left out."""
    types = [event["type"] for event in events]
    return [kind for number, kind in enumerate(types) if types[number - 1 : number] != [kind]]


def error(events: list[Event]) -> Event:
    error: Event = events[-1]["error"]
    return error


async def test_a_text_response_is_sent_piece_by_piece() -> None:
    async with called({"say": "Good morning, driver."}) as (_, caller):
        await caller.say("Hello")
        await caller.until("conversation.item.done")
        events = await caller.response()
    assert kinds(events) == [
        "response.created",
        "response.output_item.added",
        "conversation.item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "conversation.item.done",
        "response.output_item.done",
        "response.done",
    ]
    deltas = [event["delta"] for event in events if event["type"] == "response.output_text.delta"]
    assert deltas == ["Good", " morning,", " driver."]
    response = events[-1]["response"]
    assert (response["status"], response["id"]) == ("completed", events[0]["response"]["id"])
    assert response["output"][0]["content"][0]["text"] == "Good morning, driver."
    assert response["usage"]["total_tokens"] > response["usage"]["output_tokens"] > 0
    assert len({event["event_id"] for event in events}) == len(events)


async def test_several_calls_are_items_of_one_response() -> None:
    async with called({"say": "One moment.", "tool_calls": CALLS}) as (_, caller):
        await caller.say("Hello")
        events = await caller.response()
    done = [e for e in events if e["type"] == "response.function_call_arguments.done"]
    assert [(e["name"], json.loads(e["arguments"])) for e in done] == [
        (call["name"], call["arguments"]) for call in CALLS
    ]
    assert [e["output_index"] for e in done] == [1, 2]
    pieces = [e["delta"] for e in events if e["type"] == "response.function_call_arguments.delta"]
    assert "".join(pieces) == "".join(e["arguments"] for e in done)
    assert len({e["call_id"] for e in done}) == 2
    kinds_of_items = [item["type"] for item in events[-1]["response"]["output"]]
    assert kinds_of_items == ["message", "function_call", "function_call"]


async def test_the_model_is_asked_with_the_whole_conversation() -> None:
    rules = ({"when": {"turn": 1}, "say": "I look.", "tool_calls": CALLS[:1]}, {"say": "Done."})
    tool = {"type": "function", "name": "set_fan_speed", "parameters": {"type": "object"}}
    async with called(*rules) as (player, caller):
        await caller.send("session.update", session={"instructions": "Be brief.", "tools": [tool]})
        [updated] = await caller.until("session.updated")
        await caller.say("Faster")
        call = (await caller.response())[-1]["response"]["output"][1]
        output = {"type": "function_call_output", "call_id": call["call_id"], "output": "[3]"}
        await caller.send("conversation.item.create", item=output)
        await caller.response()
    assert updated["session"]["instructions"] == "Be brief."
    first, second = player.asked
    assert (first.model, first.system, first.turn) == ("mock", "Be brief.", 1)
    assert first.tools[0]["function"]["name"] == "set_fan_speed"
    assert player.texts() == [("user", "Faster"), ("assistant", "I look."), ("tool", "[3]")]
    [asked] = second.messages[2].tool_calls or ()
    assert (asked.id, json.loads(asked.function.arguments)) == (call["call_id"], {"level": 3})
    assert second.messages[3].tool_call_id == call["call_id"]


async def test_a_response_may_have_its_own_instructions() -> None:
    async with called({"say": "Yes."}) as (player, caller):
        await caller.say("Hello")
        await caller.send("response.create", response={"instructions": "Sing."})
        await caller.until("response.done")
        await caller.response()
    assert [request.system for request in player.asked] == ["Sing.", ""]


async def test_items_can_be_inserted_deleted_and_looked_at() -> None:
    async with called({"say": "Yes."}) as (player, caller):
        for item_id in ("a", "b", "c"):
            await caller.say(item_id, id=item_id)
        await caller.until("conversation.item.done")
        await caller.send("conversation.item.delete", item_id="b")
        deleted = (await caller.until("conversation.item.deleted"))[-1]
        content = [{"type": "output_text", "text": "x"}]
        said = {"type": "message", "role": "assistant", "id": "x", "content": content}
        await caller.send("conversation.item.create", item=said, previous_item_id="a")
        [added] = await caller.until("conversation.item.added")
        first = {**said, "id": "0", "role": "user"}
        await caller.send("conversation.item.create", item=first, previous_item_id="root")
        await caller.send("conversation.item.retrieve", item_id="x")
        found = (await caller.until("conversation.item.retrieved"))[-1]
        await caller.response()
    assert (deleted["item_id"], added["previous_item_id"], found["item"]["id"]) == ("b", "a", "x")
    texts = [("user", "x"), ("user", "a"), ("assistant", "x"), ("user", "c")]
    assert player.texts() == texts


async def test_a_response_can_be_cancelled_and_keeps_what_was_said() -> None:
    async with called({**HANGS, "at_most": 1}, {"say": "Yes."}) as (player, caller):
        await caller.say("Hello")
        await caller.send("response.create")
        await caller.until("response.output_text.delta")
        await caller.send("response.cancel")
        events = await caller.until("response.done")
        await caller.response()
    response = events[-1]["response"]
    assert response["status"] == "cancelled"
    assert response["status_details"] == {"type": "cancelled", "reason": "client_cancelled"}
    assert [(i["status"], i["content"][0]["text"]) for i in response["output"]] == [
        ("incomplete", "One")
    ]
    assert player.texts() == [("user", "Hello"), ("assistant", "One")]


BAD = [
    ({"type": "session.dance"}, "'session.dance' is not understood"),
    ({"type": "input_audio_buffer.append", "audio": "%"}, "audio: "),
    ({"type": "input_audio_buffer.commit"}, "nothing was heard"),
    ({"type": "session.update", "session": {"output_modalities": ["audio"]}}, "has no voice"),
    ({"type": "response.cancel"}, "no active response"),
    ({"type": "conversation.item.delete", "item_id": "x"}, "there is no item 'x'"),
    ({"type": "conversation.item.create", "item": {"type": "message"}}, "role"),
    (
        {
            "type": "conversation.item.create",
            "item": {"type": "function_call_output", "call_id": "x", "output": ""},
        },
        "no call 'x'",
    ),
    ({"type": "session.update", "session": {"output_modalities": ["video"]}}, "output_modalities"),
    ({"type": "response.create"}, "no rule of the script matches"),
]


@pytest.mark.parametrize(("sent", "message"), BAD)
async def test_what_is_not_understood_is_an_error_and_the_connection_stays(
    sent: Event, message: str
) -> None:
    async with called({"when": {"last": "Hello"}, "say": "Yes."}) as (_, caller):
        await caller.socket.send(json.dumps({**sent, "event_id": "mine"}))
        problem = error(await caller.until("error"))
        await caller.say("Hello")
        assert (await caller.response())[-1]["response"]["status"] == "completed"
    assert message in problem["message"]
    assert (problem["type"], problem["event_id"]) == ("invalid_request_error", "mine")


@pytest.mark.parametrize("frame", ["{", "[]", '"x"', "", b"\xff"])
async def test_what_is_no_event_is_an_error_as_well(frame: str | bytes) -> None:
    async with called({"say": "Yes."}) as (_, caller):
        await caller.socket.send(frame)
        assert error(await caller.until("error"))["code"] == "invalid_json"


async def test_there_is_one_response_at_a_time_and_an_id_is_used_once() -> None:
    async with called(HANGS) as (_, caller):
        await caller.say("Hello", id="a")
        await caller.say("Hello", id="a")
        assert "already an item 'a'" in error(await caller.until("error"))["message"]
        await caller.send("response.create")
        await caller.send("response.create")
        problem = error(await caller.until("error"))
    assert problem["code"] == "conversation_already_has_active_response"


# --- faults


@pytest.mark.parametrize(
    ("fault", "kind", "code"),
    [(429, "rate_limit_error", "rate_limit_exceeded"), (503, "server_error", None)],
)
async def test_a_status_is_a_failed_response(fault: int, kind: str, code: str | None) -> None:
    async with called({"fault": fault, "at_most": 1}, {"say": "Yes."}) as (_, caller):
        await caller.say("Hello")
        response = (await caller.response())[-1]["response"]
        again = (await caller.response())[-1]["response"]
    assert (response["status"], again["status"]) == ("failed", "completed")
    details = response["status_details"]["error"]
    assert (details["type"], details["code"]) == (kind, code)


async def test_a_cut_response_is_a_lost_connection() -> None:
    async with called({"fault": "cut", "say": "one two three four"}) as (_, caller):
        await caller.say("Hello")
        await caller.send("response.create")
        await caller.until("response.output_text.delta")
        with pytest.raises(ConnectionClosedError):
            await caller.until("response.done")


async def test_garbage_is_no_json() -> None:
    async with called({"fault": "garbage"}) as (_, caller):
        await caller.say("Hello")
        await caller.send("response.create")
        with pytest.raises(json.JSONDecodeError):
            await caller.until("response.done")


async def test_malformed_arguments_are_no_json() -> None:
    async with called({"fault": "malformed", "tool_calls": CALLS[:1]}) as (_, caller):
        await caller.say("Hello")
        [call] = (await caller.response())[-1]["response"]["output"]
    with pytest.raises(json.JSONDecodeError):
        json.loads(call["arguments"])


async def test_a_client_with_a_wrong_key_gets_an_error_and_is_closed() -> None:
    rule = {"when": {"connecting": True}, "fault": 401}
    async with mock_llm(Listening(rule)) as model, calling(model) as caller:
        problem = error([await caller.event()])
        with pytest.raises(ConnectionClosedError) as closed:
            await caller.event()
    assert problem["code"] == "invalid_api_key"
    assert KEY in problem["message"]
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 3000


@pytest.mark.parametrize("status", [403, 404, 429, 503])
async def test_a_connection_can_be_refused(status: int) -> None:
    rule = {"when": {"connecting": True}, "fault": status, "say": "Not today."}
    async with mock_llm(Listening(rule)) as model:
        with pytest.raises(InvalidStatus) as refused:
            async with calling(model):
                pass
    assert refused.value.response.status_code == status
    assert b"Not today." in (refused.value.response.body or b"")


async def test_rules_for_connections_are_for_nothing_else() -> None:
    rules = ({"when": {"connecting": True}, "say": ""}, {"say": "Yes."})
    async with called(*rules) as (player, caller):
        await caller.say("Hello")
        assert (await caller.response())[-1]["response"]["status"] == "completed"
    assert player.used == [1, 1]


async def test_the_official_client_holds_a_conversation() -> None:
    player = Listening({"say": "Good morning."})
    hello: Any = {"type": "message", "role": "user"}
    hello["content"] = [{"type": "input_text", "text": "Hello"}]
    texts: list[str] = []
    async with (
        mock_llm(player) as model,
        AsyncOpenAI(base_url=model.url, api_key="k") as client,
        client.realtime.connect(model="mock") as line,
    ):
        await line.session.update(session={"type": "realtime", "output_modalities": ["text"]})
        await line.conversation.item.create(item=hello)
        await line.response.create()
        async for event in line:
            if event.type == "response.output_text.delta":
                texts.append(event.delta)
            elif event.type == "response.done":
                assert event.response.usage is not None
                break
    assert "".join(texts) == "Good morning."
