import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.wording.sentences import sentences
from user_sim.lexicon import lexicon

CORPUS = Path(__file__).with_name("corpus")
PUBLIC_TOOLS = Path(__file__).parents[1] / "vehicle_bus" / "car" / "public_tools.json"

IN_GROUP: dict[str, Callable[[str], bool]] = {
    "questions": lambda text: bool(lexicon().questions(text)),
    "confirmations": lambda text: any(map(lexicon().is_confirmation, sentences(text))),
    "limits": lambda text: bool(lexicon().limits(text)),
    "claims": lambda text: bool(lexicon().claims(text)),
}


def corpus(name: str) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((CORPUS / f"{name}.yaml").read_text(encoding="utf-8"))
    return read


def rows(name: str, *kinds: str) -> list[tuple[str, str, str]]:
    """(key, kind, sentence) of every sentence in a corpus of sentences by key."""
    return [
        (key, kind, sentence)
        for key, by_kind in corpus(name).items()
        for kind in kinds
        for sentence in by_kind[kind]
    ]


SENTENCES = [
    (group, kind, sentence)
    for group in IN_GROUP
    for kind in ("hits", "misses")
    for sentence in corpus(group)[kind]
]


@pytest.mark.parametrize(("group", "kind", "sentence"), SENTENCES)
def test_every_corpus_sentence_is_distinguished_from_its_near_misses(
    group: str, kind: str, sentence: str
) -> None:
    assert IN_GROUP[group](sentence) == (kind == "hits")


@pytest.mark.parametrize("group", IN_GROUP)
def test_every_group_has_forty_hits_and_as_many_near_misses(group: str) -> None:
    read = corpus(group)
    assert len(set(read["hits"])) >= 40
    assert len(set(read["misses"])) >= 40


@pytest.mark.parametrize(("part", "kind", "sentence"), rows("acknowledgements", "admits", "other"))
def test_a_limit_counts_only_for_the_part_it_is_about(part: str, kind: str, sentence: str) -> None:
    assert (lexicon().acknowledges(sentence, [part]) is not None) == (kind == "admits")


@pytest.mark.parametrize(("element", "kind", "sentence"), rows("elements", "asks", "other"))
def test_asking_to_pick_the_element_is_distinguished_from_proposing_it(
    element: str, kind: str, sentence: str
) -> None:
    assert (lexicon().asks_about(sentence, element) is not None) == (kind == "asks")


def test_one_of_several_removed_parts_is_enough() -> None:
    removed = ["navigation_delete_waypoint", "set_new_navigation"]
    assert lexicon().acknowledges("I can't remove that stop.", removed)
    assert lexicon().acknowledges("I can't remove that stop.", []) is None


def test_a_part_that_is_not_listed_is_known_by_the_words_of_its_name() -> None:
    assert lexicon().acknowledges("I can't fold the trunk.", ["fold_trunk_shelf"])
    assert lexicon().acknowledges("I can't reach your calendar.", ["fold_trunk_shelf"]) is None


def test_every_public_tool_has_words_of_its_own() -> None:
    known = yaml.safe_load((CORPUS.parents[2] / "user_sim/lexicon.yaml").read_text("utf-8"))
    tools = json.loads(PUBLIC_TOOLS.read_text("utf-8"))
    assert tools.keys() - known["parts"].keys() == set()


def test_every_named_topic_and_aspect_exists() -> None:
    known = yaml.safe_load((CORPUS.parents[2] / "user_sim/lexicon.yaml").read_text("utf-8"))
    names = known["topics"].keys() | known["aspects"].keys()
    for words in known["parts"].values():
        assert set(words) <= names
    for element in known["elements"]:
        assert set(element.get("topics", [])) <= known["topics"].keys()
        assert set(element.get("aspects", [])) <= known["aspects"].keys()


def test_a_bare_question_is_read_with_what_stands_before_it() -> None:
    heard = "You can have the sunroof at 20 or 50 percent. Which one would you like?"
    assert lexicon().asks_about(heard, "percentage of sunroof opening") is not None
    assert lexicon().asks_about(heard, "fan speed level") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 21.5 degrees. Fine?", ["It is 21.5 degrees.", "Fine?"]),
        ("Leave at 5 p.m. sharp. Okay?", ["Leave at 5 p.m. sharp.", "Okay?"]),
        ("- **One**\n- Two", ["One", "Two"]),
        ("1. Paris\n2. Rome", ["1. Paris", "2. Rome"]),
        ("It\u2019s done! 🙂 Anything else?", ["It's done!", "Anything else?"]),
        ("", []),
        ("…", []),
    ],
)
def test_text_falls_apart_into_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text())
def test_no_text_upsets_the_lexicon(text: str) -> None:
    known = lexicon()
    assert set(known.questions(text)) <= set(sentences(text))
    assert not set(known.claims(text)) & set(known.questions(text))
    known.acknowledges(text, ["set_fan_speed.level"])
    known.asks_about(text, "fan speed level")


@given(st.lists(st.sampled_from(corpus("questions")["misses"]), max_size=5))
def test_a_turn_asks_nothing_if_none_of_its_sentences_does(parts: list[str]) -> None:
    assert lexicon().questions(" ".join(parts)) == []
