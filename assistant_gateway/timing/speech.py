"""How long speech takes: words, pauses, recogniser and synthesiser, all in session time.

Named profiles are data, `speech_profiles.yaml`. All chance comes from the seed of the session and
the place in it, so the same session takes the same time whatever happens around it.
"""

import math
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from pydantic import BaseModel, ConfigDict, NonNegativeFloat, PositiveFloat

from assistant_gateway.sound.utterances import Utterances
from assistant_gateway.timing.profiles import Profiles
from assistant_gateway.timing.timeline import MS, SECOND

AVERAGE_LETTERS = 4.7
PER_WORD, PER_LETTER = 0.08, 0.055  # how the time of a word grows with its letters
UNFINISHED = re.compile(r"(,|…|-|\b(and|or|but|so|to|the|a|an|for|with|um|uh|because|if))$", re.I)


class SpeechProfile(BaseModel):
    """One kind of driver, recogniser and synthesiser; fields as in `speech_profiles.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    source: str
    driver_wpm: PositiveFloat = 145
    assistant_wpm: PositiveFloat = 165
    session_sigma: NonNegativeFloat = 0.0
    by_letters: bool = False
    comma_ms: NonNegativeFloat = 0.0
    partial_every_ms: PositiveFloat = 200
    partial_revised: NonNegativeFloat = 0.0
    endpointing_ms: NonNegativeFloat = 300
    endpointing_unfinished_ms: NonNegativeFloat = 300
    asr_shift_ms: NonNegativeFloat = 260
    asr_median_ms: NonNegativeFloat = 0.0
    asr_sigma: NonNegativeFloat = 0.0
    tts_shift_ms: NonNegativeFloat = 210
    tts_median_ms: NonNegativeFloat = 0.0
    tts_sigma: NonNegativeFloat = 0.0
    interruption_ms: NonNegativeFloat = 500


SPEECH_PROFILES = Profiles(SpeechProfile, Path(__file__).with_name("speech_profiles.yaml"))


def speech_profile(name: str) -> SpeechProfile:
    """A shipped profile by name, or the one in a YAML file; raises `BadProfile`."""
    return SPEECH_PROFILES.named(name)


@dataclass(frozen=True, slots=True)
class Speech:
    """How one session sounds: a profile and the seed of all its chance.

    Where the driver is heard, the times of words are those of `said` instead of the profile's.
    """

    profile: SpeechProfile
    seed: str = ""
    said: Utterances | None = None

    @property
    def assistant_word_ns(self) -> int:
        return round(60 * SECOND / self.profile.assistant_wpm)

    @property
    def partial_every_ns(self) -> int:
        return round(self.profile.partial_every_ms * MS)

    @property
    def interruption_ns(self) -> int:
        """How long somebody must speak before it is an interruption and no "mhm"."""
        return round(self.profile.interruption_ms * MS)

    def words_end_ns(self, words: Sequence[str]) -> tuple[int, ...]:
        """When each word of an utterance has been said, in ns after it began."""
        if self.said is not None and (known := self.said.words_end_ns(" ".join(words))):
            return known
        factor = math.exp(self._chance("rate").gauss(0, self.profile.session_sigma))
        lasts_ms = [self._word_ms(word) for word in words]
        lasts_ms[:-1] = [
            lasts + self.profile.comma_ms * (word[-1:] in ",.;:?!")
            for lasts, word in zip(lasts_ms[:-1], words, strict=False)
        ]
        return tuple(accumulate(round(lasts * factor) * MS for lasts in lasts_ms))

    def silent_ns(self, words: Sequence[str]) -> int:
        """From the beginning of an utterance to its first sound: a voice does not begin at once."""
        return self.said.silent_ns(" ".join(words)) if self.said is not None else 0

    def _word_ms(self, word: str) -> float:
        average_ms = 60_000 / self.profile.driver_wpm
        if not self.profile.by_letters:
            return average_ms
        letters = sum(map(str.isalnum, word))
        share = (PER_WORD + PER_LETTER * letters) / (PER_WORD + PER_LETTER * AVERAGE_LETTERS)
        return average_ms * share

    def partial(self, words: Sequence[str], turn: int) -> tuple[str, int]:
        """What a recogniser has of these words, and how many characters of it will not change."""
        text = " ".join(words)
        chance = self._chance(f"partial/{turn}/{len(words)}")
        if chance.random() >= self.profile.partial_revised or len(words[-1]) < 3:
            return text, len(text)
        stable = len(text) - len(words[-1])
        return text[: stable + max(2, len(words[-1]) // 2)], stable

    def end_of_turn_ns(self, text: str, turn: int) -> int:
        """From the last word to the final transcript: endpointing, or the recogniser if slower."""
        endpointing_ms = (
            self.profile.endpointing_unfinished_ms
            if UNFINISHED.search(text.rstrip())
            else self.profile.endpointing_ms
        )
        return max(round(endpointing_ms) * MS, self.recognised_ns(turn))

    def recognised_ns(self, turn: int) -> int:
        profile = self.profile
        return self._delay_ns(
            f"asr/{turn}", profile.asr_shift_ms, profile.asr_median_ms, profile.asr_sigma
        )

    def first_audio_ns(self, turn: int, segment: int) -> int:
        """From the first text of a stretch of speech to its first audible sample."""
        profile = self.profile
        return self._delay_ns(
            f"tts/{turn}/{segment}", profile.tts_shift_ms, profile.tts_median_ms, profile.tts_sigma
        )

    def _delay_ns(self, place: str, shift_ms: float, median_ms: float, sigma: float) -> int:
        more_ms = median_ms * math.exp(sigma * self._chance(place).gauss(0, 1)) if median_ms else 0
        return round(shift_ms + more_ms) * MS

    def _chance(self, place: str) -> random.Random:
        return random.Random(f"{self.seed}/{place}")


def constant_speech() -> Speech:
    """Constant rates and delays: for calibration, and wherever nothing else was asked for."""
    return Speech(speech_profile("constant"))
