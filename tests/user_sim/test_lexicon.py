import json
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.wording.sentences import sentences
from user_sim.lexicon import Patterns, lexicon

ROOT = Path(__file__).parents[2]
LISTED = yaml.safe_load((ROOT / "user_sim" / "lexicon.yaml").read_text("utf-8"))
PUBLIC_TOOLS = ROOT / "tests" / "vehicle_bus" / "car" / "public_tools.json"


def test_every_public_tool_has_words_of_its_own() -> None:
    tools = json.loads(PUBLIC_TOOLS.read_text("utf-8"))
    assert tools.keys() - LISTED["parts"].keys() == set()


def test_every_named_topic_and_aspect_exists() -> None:
    names = LISTED["topics"].keys() | LISTED["aspects"].keys()
    for words in LISTED["parts"].values():
        assert set(words) <= names
    for element in LISTED["elements"]:
        assert set(element.get("topics", [])) <= LISTED["topics"].keys()
        assert set(element.get("aspects", [])) <= LISTED["aspects"].keys()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 21.5 degrees. Fine?", ["It is 21.5 degrees.", "Fine?"]),
        ("Leave at 5 p.m. sharp. Okay?", ["Leave at 5 p.m. sharp.", "Okay?"]),
        ("That takes 1 h 46 min. I did it.", ["That takes 1 h 46 min.", "I did it."]),
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
    assert lexicon().topics(text) <= LISTED["topics"].keys()
    assert lexicon().aspects(text) <= LISTED["aspects"].keys()


WORDS = ["sunroof", "Air-con", "°", "a/c", "50 %", "trip stop", "to stop", "trunk door", "cafés",
         "the next stop.", "how far", "half hours", "reminder sent", "x@y", "Rain"]  # fmt: skip
TOPICS = {name: "|".join(texts) for name, texts in LISTED["topics"].items()}
ONE_BY_ONE = {name: re.compile(text, re.IGNORECASE) for name, text in TOPICS.items()}
TOGETHER = Patterns(TOPICS)


@given(st.lists(st.sampled_from(WORDS) | st.text("aeinst5.?", max_size=6)).map(" ".join))
def test_patterns_are_found_as_one_by_one(text: str) -> None:
    found = {name for name, pattern in ONE_BY_ONE.items() if pattern.search(text)}
    assert TOGETHER.found_in(text) == found


@pytest.mark.parametrize(
    "text", ["I can't tell what colour the car is.", "Which color is your car?", "its paint colour"]
)
def test_the_colour_of_the_car_is_known_in_other_words(text: str) -> None:
    assert "car_color" in lexicon().topics(text)
