import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.conversation.playout import Playout
from assistant_gateway.timing.speech import constant_speech
from assistant_gateway.timing.timeline import SECOND

SPEECH = constant_speech()
WORDS = st.text(alphabet="ab ", min_size=0, max_size=30)


@given(WORDS, st.lists(st.integers(min_value=1, max_value=5)))
def test_speech_takes_as_long_as_its_words_however_the_text_was_cut(
    text: str, cuts: list[int]
) -> None:
    whole, pieces = Playout(SPEECH), Playout(SPEECH)
    whole.say(text, 0)
    rest = text
    for cut in [*cuts, len(text)]:
        pieces.say(rest[:cut], 0)
        rest = rest[cut:]
    assert pieces.text == whole.text
    assert pieces.segments == whole.segments


def test_165_words_last_a_minute_after_the_first_audio() -> None:
    playout = Playout(SPEECH)
    playout.say("word " * 165, at_ns=1 * SECOND)
    start = SECOND + SPEECH.first_audio_ns(1, 0)
    assert playout.started_ns == start
    assert abs((playout.end_ns or 0) - start - 60 * SECOND) < 1_000_000


@pytest.mark.parametrize("silence", ["\u200b", ".", "…", "\u2060", "- ", "\u00ad", "\x01"])
def test_what_makes_no_sound_is_no_speech(silence: str) -> None:
    playout = Playout(SPEECH)
    assert playout.say(f"{silence} ", 0) is None
    assert playout.started_ns is None
    start_ns = playout.say(f"{silence} Done {silence}", SECOND)
    assert start_ns == playout.started_ns == SECOND + SPEECH.first_audio_ns(1, 0)
    assert playout.end_ns == start_ns + SPEECH.assistant_word_ns


def test_signs_that_are_read_aloud_are_speech() -> None:
    playout = Playout(SPEECH)
    playout.say("20 % or 5 € & more", 0)
    assert playout.heard_ns(7) is not None


def test_a_long_answer_in_small_pieces_costs_the_same_per_piece() -> None:
    playout = Playout(SPEECH)
    for _ in range(20_000):
        playout.say("word ", 0)
    assert playout.end_ns == SPEECH.first_audio_ns(1, 0) + 20_000 * SPEECH.assistant_word_ns


def test_text_that_arrives_while_speaking_is_spoken_without_a_gap() -> None:
    playout = Playout(SPEECH)
    playout.say("one two three", 0)
    playout.say(" four", 500_000_000)
    assert len(playout.segments) == 1


def test_silence_between_answers_counts_as_a_gap() -> None:
    playout = Playout(SPEECH)
    playout.say("one moment", 0)
    playout.pause()
    playout.say("done", 10 * SECOND)
    first, second = playout.segments
    assert playout.longest_gap_ns(0, second[1]) == second[0] - first[1]
    late_ns = 10 * SECOND - first[1]
    assert playout.restarts_ns == [(late_ns, SPEECH.first_audio_ns(1, 1))]


@given(WORDS, st.integers(min_value=0, max_value=20 * SECOND))
def test_what_was_heard_until_a_cut_is_a_beginning_of_what_was_said(text: str, at_ns: int) -> None:
    playout = Playout(SPEECH)
    playout.say(text, 0)
    said = text.split()
    heard = playout.cut(at_ns).split()
    assert heard == said[: len(heard)]
    assert playout.audible_ns(0, 60 * SECOND) <= max(0, at_ns)
    if heard:
        assert (playout.end_ns or 0) >= len(heard) * SPEECH.assistant_word_ns


def test_a_word_is_heard_when_the_words_before_it_were() -> None:
    playout = Playout(SPEECH)
    playout.say("one two three", 0)
    playout.pause()
    playout.say("four", 10 * SECOND)
    third_ns, fourth_ns = playout.heard_ns(3), playout.heard_ns(4)
    assert third_ns == playout.segments[0][1]
    assert fourth_ns == playout.segments[1][1]
    assert playout.heard_ns(5) is None
