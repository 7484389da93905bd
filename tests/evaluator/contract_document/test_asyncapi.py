"""The contract as a document: valid AsyncAPI, as published, and nothing of it is taken back."""

from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson
import pytest
import yaml

from evaluator.contract_document.asyncapi import document
from evaluator.contract_document.changes import breaking_changes
from evaluator.contract_document.files import ASYNCAPI_FILE, asyncapi_yaml, schema_files

ROOT = Path(__file__).parents[3]
PUBLISHED = ROOT / "docs" / "contract"
OFFICIAL = ROOT / "tests" / "data" / "asyncapi-3.1.0.json"
RENEW = "run `codriver contract asyncapi --out docs/contract` and the same with `schemas`"


@pytest.fixture(scope="module")
def official() -> Any:
    """The schema of AsyncAPI 3.1.0 itself."""
    return jsonschema_rs.validator_for(orjson.loads(OFFICIAL.read_bytes()))


def test_the_document_is_valid_asyncapi(official: Any) -> None:
    assert [error.message for error in official.iter_errors(document())] == []


def test_a_wrong_document_is_noticed(official: Any) -> None:
    wrong = document()
    wrong["operations"]["car.send.signal"]["action"] = "shout"
    assert not official.is_valid(wrong)


def test_all_references_lead_somewhere() -> None:
    made = document()
    missing = []
    for reference in _references(made):
        found: Any = made
        for part in reference.removeprefix("#/").split("/"):
            found = found.get(part, {})
        if not found:
            missing.append(reference)
    assert missing == []


def _references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [each for inner in value.values() for each in _references(inner)]
    return (
        [each for inner in value for each in _references(inner)] if isinstance(value, list) else []
    )


def test_nothing_published_is_taken_back() -> None:
    """Fields of v1 may be added; what peers have built upon stays."""
    published = yaml.safe_load((PUBLISHED / ASYNCAPI_FILE).read_text(encoding="utf-8"))
    assert breaking_changes(published, document()) == []


def test_the_published_document_is_the_present_one() -> None:
    assert (PUBLISHED / ASYNCAPI_FILE).read_text(encoding="utf-8") == asyncapi_yaml(), RENEW


def test_the_published_schemas_are_the_present_ones() -> None:
    published = {file.name: file.read_bytes() for file in PUBLISHED.glob("*.schema.json")}
    assert published == schema_files(), RENEW


@pytest.mark.parametrize("name", schema_files())
def test_each_schema_file_stands_alone(name: str) -> None:
    schema = orjson.loads(schema_files()[name])
    jsonschema_rs.meta.validate(schema)
    jsonschema_rs.validator_for(schema)


def test_a_frame_is_held_against_its_schema_file() -> None:
    frames = jsonschema_rs.validator_for(orjson.loads(schema_files()["from_agent.schema.json"]))
    call: dict[str, Any] = {
        "type": "tool.call",
        "sid": "s1",
        "cid": "call-1",
        "data": {"name": "set_fan_speed", "arguments": {"level": 2}},
    }
    assert frames.is_valid(call)
    assert frames.is_valid({**call, "of_a_later_version": 1})
    assert not frames.is_valid({**call, "data": {"name": "set_fan_speed"}})
    assert not frames.is_valid({**call, "type": "tool.cal"})
