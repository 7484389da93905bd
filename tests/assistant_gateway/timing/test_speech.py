import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.timing.speech import SPEECH_PROFILES, Speech, speech_profile
from assistant_gateway.timing.timeline import MS, SECOND

TYPICAL = speech_profile("typical")
WORDS = [
    "please",
    "drive",
    "to",
    "the",
    "next",
    "charging",
    "station",
    "with",
    "a",
    "free",
    "plug",
    "and",
    "a",
    "bakery",
    "nearby",
]


@pytest.mark.parametrize("name", SPEECH_PROFILES.shipped)
def test_every_profile_tells_its_source_and_speaks(name: str) -> None:
    profile = speech_profile(name)
    assert profile.source
    assert Speech(profile).words_end_ns(WORDS)[-1] > SECOND


def test_the_same_seed_takes_the_same_time_and_another_one_does_not() -> None:
    def lasts(seed: str) -> tuple[int, ...]:
        speech = Speech(TYPICAL, seed)
        return (*speech.words_end_ns(WORDS), speech.first_audio_ns(1, 0), speech.recognised_ns(2))

    assert lasts("a") == lasts("a")
    assert lasts("a") != lasts("b")


def test_drivers_speak_about_145_words_a_minute() -> None:
    ends_ns = [Speech(TYPICAL, str(seed)).words_end_ns(WORDS)[-1] for seed in range(200)]
    words_per_minute = len(WORDS) / (sum(ends_ns) / len(ends_ns) / SECOND) * 60
    assert 135 < words_per_minute < 155


@given(st.lists(st.text(alphabet="ab,.", min_size=1, max_size=12), min_size=1, max_size=20))
def test_words_end_one_after_the_other(words: list[str]) -> None:
    ends_ns = Speech(TYPICAL, "s").words_end_ns(words)
    assert list(ends_ns) == sorted(set(ends_ns))
    assert len(ends_ns) == len(words)


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=9), min_size=1, max_size=9))
def test_what_is_stable_of_a_partial_transcript_does_not_change_any_more(words: list[str]) -> None:
    text, stable = Speech(TYPICAL, "s").partial(words, 1)
    whole = " ".join(words)
    assert text[:stable] == whole[:stable]
    assert whole.startswith(text)


def test_an_utterance_that_sounds_unfinished_is_waited_for() -> None:
    speech = Speech(TYPICAL, "s")
    assert speech.end_of_turn_ns("open the window and", 1) == 1200 * MS
    assert speech.end_of_turn_ns("open the window", 1) < 600 * MS
