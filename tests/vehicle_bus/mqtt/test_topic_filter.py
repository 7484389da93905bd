import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehicle_bus.mqtt.topic_filter import FilterTree, covers, is_filter, is_topic, matches

LEVELS = st.sampled_from(["a", "b", "", "$x"])
TOPICS = st.lists(LEVELS, min_size=1, max_size=4).map("/".join).filter(bool)
FILTERS = st.builds(
    lambda levels, tail: "/".join([*levels, *tail]),
    st.lists(st.sampled_from(["a", "b", "", "+", "$x"]), min_size=1, max_size=3),
    st.sampled_from([[], ["#"]]),
).filter(bool) | st.just("#")


def by_the_book(pattern: str, topic: str) -> bool:
    """The matching rule of the MQTT specification, as one regular expression."""
    if topic.startswith("$") and pattern[0] in "+#":
        return False
    expression = re.escape(pattern).replace(r"\+", "[^/]*")
    expression = ".*" if pattern == "#" else re.sub(r"/\\#$", "(/.*)?", expression)
    return re.fullmatch(expression, topic) is not None


@given(FILTERS, TOPICS)
def test_matching_follows_the_specification(pattern: str, topic: str) -> None:
    assert matches(pattern, topic) == by_the_book(pattern, topic)


@given(st.lists(FILTERS, max_size=8), TOPICS)
def test_the_tree_finds_what_matching_one_by_one_finds(patterns: list[str], topic: str) -> None:
    tree: FilterTree[str] = FilterTree()
    for pattern in patterns:
        tree.put(pattern, pattern, pattern)
    assert sorted(tree.find(topic)) == sorted({p for p in patterns if matches(p, topic)})


@given(st.lists(FILTERS, max_size=8), TOPICS)
def test_what_was_removed_from_the_tree_is_gone(patterns: list[str], topic: str) -> None:
    tree: FilterTree[str] = FilterTree()
    for pattern in patterns:
        tree.put(pattern, "key", pattern)
    for pattern in dict.fromkeys(patterns):
        assert tree.remove(pattern, "key")
        assert not tree.remove(pattern, "key")
    assert list(tree.find(topic)) == []


@given(FILTERS, FILTERS, TOPICS)
def test_a_covering_filter_matches_whatever_the_narrower_one_does(
    wide: str, narrow: str, topic: str
) -> None:
    if covers(wide, narrow) and matches(narrow, topic) and not topic.startswith("$"):
        assert matches(wide, topic)


@pytest.mark.parametrize("pattern", ["", "a/#/b", "a+", "#a", "a/b#", "a\0"])
def test_wildcards_stand_alone_in_their_level(pattern: str) -> None:
    assert not is_filter(pattern)


def test_a_topic_has_no_wildcards() -> None:
    assert is_topic("a/b")
    assert not any(is_topic(topic) for topic in ("", "a/+", "#", "a\0"))
