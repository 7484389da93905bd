"""Each word has its time, also where the synthesiser tells of fewer words, or of none."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.sound.gate import MS, Interval
from assistant_gateway.sound.word_times import (
    EventKind,
    SpokenWord,
    SynthesisEvent,
    spread,
    words_from_events,
)

TEXT = "Open one of the windows, please."


def event(kind: EventKind, position: int, at_ms: int) -> SynthesisEvent:
    return SynthesisEvent(kind, position, at_ms * MS)


def in_ms(words: tuple[SpokenWord, ...]) -> list[tuple[str, int, int]]:
    return [(each.word, each.begins_ns // MS, each.ends_ns // MS) for each in words]


def test_a_word_lasts_from_its_first_sound_to_a_pause_or_the_next_word() -> None:
    events = [
        event("word", 0, 0), event("sound", 0, 10), event("sound", 0, 90),
        event("word", 5, 200), event("sound", 5, 200), event("pause", 5, 300),
    ]  # fmt: skip
    assert in_ms(words_from_events("Open windows.", events, 900 * MS)) == [
        ("Open", 10, 200),
        ("windows.", 200, 300),
    ]


def test_words_spoken_as_one_share_its_time_by_their_letters() -> None:
    events = [event("word", 9, 0), event("sound", 9, 0), event("word", 16, 70)]
    events += [event("sound", 16, 70), event("word", 25, 200), event("sound", 25, 200)]
    assert in_ms(words_from_events(TEXT, events, 300 * MS)) == [
        ("Open", 0, 21),
        ("one", 21, 39),
        ("of", 39, 52),
        ("the", 52, 70),
        ("windows,", 70, 200),
        ("please.", 200, 300),
    ]


def test_a_place_that_was_passed_already_is_not_gone_back_to() -> None:
    events = [event("word", 5, 0), event("sound", 5, 0), event("word", 0, 50)]
    events += [event("sound", 0, 50)]
    words = words_from_events("Open up", events, 100 * MS)
    assert in_ms(words) == [("Open", 0, 62), ("up", 62, 100)]


def test_nothing_spoken_has_no_words() -> None:
    assert words_from_events("— …", [event("pause", 0, 0)], MS) == ()
    assert words_from_events("", [], 0) == ()


KINDS: st.SearchStrategy[EventKind] = st.sampled_from(("word", "sound", "pause"))


@given(st.lists(st.tuples(KINDS, st.integers(-1, 40), st.integers(0, 9))))
def test_words_come_in_their_order_whatever_the_synthesiser_tells(
    given: list[tuple[EventKind, int, int]],
) -> None:
    at_ms, events = 0, []
    for kind, position, later_ms in given:
        at_ms += later_ms
        events.append(event(kind, position, at_ms))
    words = words_from_events(TEXT, events, (at_ms + 5) * MS)
    assert [each.word for each in words] in (TEXT.split(), [])
    assert all(each.begins_ns <= each.ends_ns <= (at_ms + 5) * MS for each in words)
    assert all(one.ends_ns <= after.begins_ns for one, after in pairwise(words))


def test_an_estimate_fills_the_time_that_is_audible() -> None:
    words = tuple(spread(["Mhm,", "—", "yes."], Interval(100 * MS, 190 * MS)))
    assert in_ms(words) == [("Mhm,", 100, 140), ("—", 140, 150), ("yes.", 150, 190)]
