import pytest

from evaluator.results.manifest import CONTENT, Manifest, checksum, differing_fields, manifest_key
from tests.evaluator.episodes import do, manifest, task

OUTSIDE = {
    "run_id": "r9",
    "created_at": "another day",
    "python": "4",
    "dependencies": {},
    "broker": "mosquitto",
    "client": "aiomqtt",
    "host": {"cores": 1},
    "options": {"max_concurrency": 1},
}


def test_a_manifest_says_where_and_with_what_it_ran() -> None:
    made = manifest()
    assert made.python.count(".") == 2
    assert made.dependencies["orjson"] != "unknown"
    assert made.host["cores"] >= 1
    assert made.created_at.endswith("+00:00")
    assert manifest("base_1", "base_2", num_trials=3).planned == 6


@pytest.mark.parametrize("field", OUTSIDE)
def test_where_and_when_do_not_change_the_key(field: str) -> None:
    assert manifest_key(manifest(**{field: OUTSIDE[field]})) == manifest_key(manifest())


@pytest.mark.parametrize("field", CONTENT)
def test_every_part_of_the_content_changes_the_key(field: str) -> None:
    other = manifest(**{field: "something else"})
    assert manifest_key(other) != manifest_key(manifest())
    assert [difference.split(" ")[0] for difference in differing_fields(manifest(), other)] == [
        field
    ]


def test_a_world_that_was_not_noted_differs_from_none() -> None:
    older = manifest(world="")
    assert differing_fields(older, manifest(world="a")) == []
    assert differing_fields(manifest(world="a"), manifest(world="b")) == ["world (a, now b)"]


def test_a_stored_run_has_the_profile_names_of_today() -> None:
    stored = manifest().model_dump() | {"latency_profile": "groq_like"}
    assert Manifest.model_validate(stored).latency_profile == "lpu_fast"


def test_equal_manifests_do_not_differ() -> None:
    assert differing_fields(manifest(), manifest()) == []


def test_a_changed_task_has_another_checksum() -> None:
    one, other = task(do("think", thought="a")), task(do("think", thought="b"))
    assert checksum(one.model_dump(mode="json")) != checksum(other.model_dump(mode="json"))
    assert checksum({"a": 1, "b": 2}) == checksum({"b": 2, "a": 1})
