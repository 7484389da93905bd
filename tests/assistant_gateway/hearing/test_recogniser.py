"""Noise makes a recogniser err: by a table, by seeded chance, in partials as in the end."""

from pathlib import Path

import pytest

from assistant_gateway.hearing.recogniser import (
    RECOGNISER_PROFILES,
    Recogniser,
    RecogniserProfile,
    recogniser_profile,
)
from assistant_gateway.hearing.sounds_alike import other_word
from assistant_gateway.timing.profiles import BadProfile

WORDS = ["Please", "open", "the", "rear", "window", "fifty", "percent,", "and", "the", "sunroof."]
ALWAYS = RecogniserProfile(source="test", word_error_rate={0: 1}, utterance_sigma=0)


def measured(name: str, snr_db: float | None) -> float:
    """The share of wrong words over many turns."""
    recogniser = Recogniser(recogniser_profile(name), "s")
    errors = (recogniser.recognise(WORDS, turn, snr_db).errors for turn in range(800))
    return sum(errors) / 800 / len(WORDS)


@pytest.mark.parametrize("name", sorted(RECOGNISER_PROFILES.shipped))
def test_a_profile_errs_as_often_as_its_table_says(name: str) -> None:
    profile = recogniser_profile(name)
    assert profile.source
    for snr_db in (20.0, 7.5, 0.0):
        assert measured(name, snr_db) == pytest.approx(profile.rate(snr_db), rel=0.15, abs=0.004)


def test_between_two_points_the_rate_is_on_a_straight_line_and_beyond_them_it_stays() -> None:
    profile = RecogniserProfile(source="test", word_error_rate={20: 0.1, 0: 0.5})
    rates = [profile.rate(snr_db) for snr_db in (-10, 0, 5, 20, 40, None)]
    assert rates == pytest.approx([0.5, 0.5, 0.4, 0.1, 0.1, 0.1])


def test_more_noise_only_adds_errors() -> None:
    recogniser = Recogniser(recogniser_profile("average"), "s")
    for turn in range(50):
        quiet, loud = (recogniser.recognise(WORDS, turn, snr_db) for snr_db in (20, 0))
        kept = [heard == (word,) for word, heard in zip(WORDS, quiet.parts, strict=True)]
        still = [heard == (word,) for word, heard in zip(WORDS, loud.parts, strict=True)]
        assert all(was or not now for was, now in zip(kept, still, strict=True))


def test_the_same_seed_and_turn_hear_the_same_and_others_do_not() -> None:
    def heard(seed: str, turn: int) -> str:
        return Recogniser(ALWAYS, seed).recognise(WORDS, turn, None).text

    assert heard("a", 1) == heard("a", 1)
    assert len({heard("a", 1), heard("b", 1), heard("a", 2)}) == 3


def test_without_a_profile_every_word_is_as_it_was_said() -> None:
    recognised = Recogniser(recogniser_profile("off"), "s").recognise(WORDS, 1, -20)
    assert (recognised.text, recognised.errors) == (" ".join(WORDS), 0)


def test_what_is_recognised_of_the_first_words_is_how_all_of_it_begins() -> None:
    for turn in range(30):
        recognised = Recogniser(ALWAYS, "s").recognise(WORDS, turn, None)
        for said in range(len(WORDS) + 1):
            words = recognised.words(said)
            assert recognised.words(len(WORDS))[: len(words)] == words


def test_at_least_one_word_is_recognised() -> None:
    lost = ALWAYS.model_copy(update={"deleted": 1.0, "inserted": 0.0})
    assert Recogniser(lost).recognise(["Stop", "now."], 1, None).text == "Stop"


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("fifteen", "fifty"),
        ("Heat", "Heart"),
        ("seat,", "seed,"),
        ("15", "50"),
        ("80%", "18%"),
        ("22", "23"),
        ("8:30", "3:30"),
        ("driver's", "drivers"),
    ],
)
def test_an_error_is_the_nearest_word_or_number(word: str, other: str) -> None:
    assert other_word(word, 0.0) == other


def test_a_name_becomes_a_word_that_begins_like_it() -> None:
    other = other_word("Würzburg", 0.0)
    assert other is not None
    assert other != "Würzburg"
    assert other.startswith("W")


def test_another_word_is_always_another_one() -> None:
    for word in ("to", "two", "the", "fan", "0", "13", "30", "100", "Ubiedo", "22.5"):
        for choice in (0.0, 0.5, 0.99):
            assert other_word(word, choice) not in (word, "")


def test_a_file_with_too_many_kinds_of_errors_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("source: us\nword_error_rate: {0: 0.5}\ndeleted: 0.8\ninserted: 0.4\n")
    with pytest.raises(BadProfile, match="together at most 1"):
        recogniser_profile(str(file))
