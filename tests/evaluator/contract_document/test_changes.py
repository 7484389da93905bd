"""What breaks those who rely on an earlier contract is found, and what does not is let pass."""

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from evaluator.contract_document.asyncapi import document
from evaluator.contract_document.changes import breaking_changes

NOW = document()
Change = Callable[[dict[str, Any], dict[str, Any]], object]


def changed(change: Change) -> list[str]:
    """What breaks when the schemas, or the document, are changed like this."""
    later = deepcopy(NOW)
    change(later["components"]["schemas"], later)
    return breaking_changes(NOW, later)


def fields(schemas: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = schemas[name]["properties"]
    return found


def rename(schemas: dict[str, Any], name: str, before: str, after: str) -> None:
    fields(schemas, name)[after] = fields(schemas, name).pop(before)


BREAKING: dict[str, Change] = {
    "Command.at_ns is gone": lambda s, _: fields(s, "Command").pop("at_ns"),
    "Reply.took_ns is gone": lambda s, _: rename(s, "Reply", "took_ns", "duration_ns"),
    "SignalChanged.revision was integer, is string": lambda s, _: fields(s, "SignalChanged").update(
        revision={"type": "string"}
    ),
    "from_agent.tool.call.data.thought is now required": lambda s, _: s["ToolCall"][
        "required"
    ].append("thought"),
    "from_agent.tool.call.data.name is gone": lambda _, d: d["components"]["messages"][
        "from_agent.tool.call"
    ]["payload"]["properties"].pop("data"),
    "from_agent.response.text.delta.data.kind may not be ack any more": lambda s, _: fields(
        s, "ResponseTextDelta"
    )["kind"]["enum"].remove("ack"),
    "maximum of from_user.user.speech.end.data.ago_ms was 60000, is 1": lambda s, _: fields(
        s, "UserSpeechEnd"
    )["ago_ms"].update(maximum=1),
    "to_agent.input.transcript.final.data.zone may now be missing": lambda _, d: d["components"][
        "messages"
    ]["to_agent.input.transcript.final"]["payload"]["properties"]["data"]["required"].remove(
        "zone"
    ),
    "to_agent.interrupt.data.heard_text was string, is string or null": lambda s, _: fields(
        s, "Interrupt"
    ).update(heard_text={"type": ["string", "null"]}),
    "Frames.frames[].way is gone": lambda s, _: fields(s, "LoggedFrame").pop("way"),
    "message Control is gone": lambda _, d: d["components"]["messages"].pop("Control"),
    "channel clock is gone": lambda _, d: d["channels"].pop("clock"),
    "address of clock was codriver/v1/{vin}/clock, is codriver/v2/{vin}/clock": lambda _, d: d[
        "channels"
    ]["clock"].update(address="codriver/v2/{vin}/clock"),
    "operation car.send.event is gone": lambda _, d: d["operations"].pop("car.send.event"),
}

# A field that peers send: its schema before and now, and what is said of it.
NARROWED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"exclusiveMinimum": 0}, {"exclusiveMinimum": 1}, "exclusiveMinimum of x was 0, is 1"),
    ({}, {"exclusiveMaximum": 1}, "exclusiveMaximum of x was None, is 1"),
    ({"pattern": "a"}, {"pattern": "b"}, "pattern of x was a, is b"),
    ({"multipleOf": 5}, {"multipleOf": 10}, "multipleOf of x was 5, is 10"),
    ({}, {"additionalProperties": False}, "x may have no other fields any more"),
    ({}, {"additionalProperties": {"type": "string"}}, "x[] was anything, is string"),
    ({}, {"items": {"type": "string"}}, "x[] was anything, is string"),
    ({"type": "number"}, {"type": "integer"}, "x was number, is integer"),
    (
        {"type": "integer", "maximum": 9},
        {"type": "number", "maximum": 1},
        "maximum of x was 9, is 1",
    ),
]

HARMLESS: dict[str, Change] = {
    "a field more": lambda s, _: fields(s, "Reply").update(warning={"type": "string"}),
    "a field that peers may send": lambda s, _: fields(s, "ToolCall").update(
        thought={"type": "string"}
    ),
    "a message more": lambda _, d: d["components"]["messages"].update(New={"payload": {}}),
    "one more value that peers may send": lambda s, _: fields(s, "ResponseTextDelta")["kind"][
        "enum"
    ].append("aside"),
    "peers may leave out more": lambda s, _: s["ToolCall"]["required"].remove("arguments"),
    "a limit for peers is wider": lambda s, _: fields(s, "UserSpeechEnd")["ago_ms"].update(
        maximum=120_000
    ),
    "other words": lambda s, _: s["Reply"].update(description="something else"),
}


def test_the_present_contract_breaks_nothing() -> None:
    assert changed(lambda schemas, whole: None) == []


@pytest.mark.parametrize("sentence", BREAKING)
def test_what_breaks_others_is_named(sentence: str) -> None:
    found = changed(BREAKING[sentence])
    assert any(re.match(re.escape(sentence), each) for each in found), found


@pytest.mark.parametrize("name", HARMLESS)
def test_what_breaks_nobody_is_let_pass(name: str) -> None:
    assert changed(HARMLESS[name]) == []


def of_one_field(before: dict[str, Any], now: dict[str, Any], *, way: str) -> list[str]:
    """What breaks if a message has one schema and then another."""

    def whole(schema: dict[str, Any]) -> dict[str, Any]:
        messages = {f"{way}_x": {"payload": {"properties": {"x": schema}}}}
        components = {"messages": messages, "schemas": {}}
        return {"channels": {}, "operations": {}, "components": components}

    found = breaking_changes(whole(before), whole(now))
    return [sentence.replace(f"{way}_x.x", "x") for sentence in found]


@pytest.mark.parametrize(("before", "now", "sentence"), NARROWED)
def test_what_peers_may_send_is_narrowed_by_any_keyword(
    before: dict[str, Any], now: dict[str, Any], sentence: str
) -> None:
    assert of_one_field(before, now, way="from") == [sentence]
    assert of_one_field(before, before, way="from") == []


@pytest.mark.parametrize("narrow", [{"type": "integer"}, {"type": "integer", "multipleOf": 5}])
def test_peers_may_send_more_and_get_less(narrow: dict[str, Any]) -> None:
    number = {"type": "number"}
    assert of_one_field(narrow, number, way="from") == []
    assert of_one_field(number, narrow, way="to") == []
    assert of_one_field(narrow, number, way="to") == ["x was integer, is number"]
