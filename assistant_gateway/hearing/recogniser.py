"""What a recogniser makes of the words of a driver in noise: some are lost, some are others.

Named profiles are data, `recogniser_profiles.yaml`. All chance comes from the seed of the session,
the turn and the place of a word: more noise only adds errors to those of less noise.
"""

import math
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat, model_validator

from assistant_gateway.hearing.sounds_alike import other_word
from assistant_gateway.timing.profiles import Profiles

Share = Annotated[float, Field(ge=0, le=1)]
ADDED = ("the", "a", "and", "to", "in", "it", "uh", "of")


class RecogniserProfile(BaseModel):
    """One kind of recogniser; fields as in `recogniser_profiles.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    source: str
    word_error_rate: Annotated[dict[float, Share], Field(min_length=1)]
    deleted: Share = 0.25
    inserted: Share = 0.15
    utterance_sigma: NonNegativeFloat = 0.5

    @model_validator(mode="after")
    def _kinds_of_errors(self) -> "RecogniserProfile":
        if self.deleted + self.inserted > 1:
            raise ValueError("deleted and inserted are shares of the errors: together at most 1")
        return self

    @property
    def errs(self) -> bool:
        return any(self.word_error_rate.values())

    def rate(self, snr_db: float | None) -> float:
        """The share of wrong words; without noise that of the highest SNR."""
        points = sorted(self.word_error_rate.items())
        at = len(points) if snr_db is None else bisect([snr for snr, _ in points], snr_db)
        if snr_db is None or at in (0, len(points)):
            return points[max(at - 1, 0)][1]
        (low, worse), (high, better) = points[at - 1 : at + 1]
        return worse + (better - worse) * (snr_db - low) / (high - low)


RECOGNISER_PROFILES = Profiles(
    RecogniserProfile, Path(__file__).with_name("recogniser_profiles.yaml")
)


def recogniser_profile(name: str) -> RecogniserProfile:
    """A shipped profile by name, or the one in a YAML file; raises `BadProfile`."""
    return RECOGNISER_PROFILES.named(name)


@dataclass(frozen=True, slots=True)
class Recognised:
    """What was recognised of each word that was said: none, one or two words."""

    said: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]

    def words(self, said: int) -> list[str]:
        """What is recognised once so many words have been said."""
        return [word for part in self.parts[:said] for word in part]

    @property
    def text(self) -> str:
        return " ".join(self.words(len(self.parts)))

    @property
    def errors(self) -> int:
        return sum(part != (word,) for word, part in zip(self.said, self.parts, strict=True))

    def fields(self) -> dict[str, Any]:
        """For the record of the turn."""
        return {"recognised": self.text, "words": len(self.said), "word_errors": self.errors}


@dataclass(frozen=True, slots=True)
class Recogniser:
    """The one of a session: a profile and the seed of all its chance."""

    profile: RecogniserProfile
    seed: str = ""

    def recognise(self, words: Sequence[str], turn: int, snr_db: float | None) -> Recognised:
        """At least one word is recognised: an agent that heard nothing would have no turn."""
        said = tuple(words)
        if not self.profile.errs:
            return Recognised(said, tuple((word,) for word in said))
        chance = Random(f"{self.seed}/{turn}")
        sigma = self.profile.utterance_sigma
        factor = math.exp(chance.gauss(0, sigma) - sigma**2 / 2)
        rate = min(self.profile.rate(snr_db) * factor, 1.0)
        parts = tuple(self._part(word, rate, chance) for word in said)
        return Recognised(said, parts if any(parts) else ((said[0],), *parts[1:]))

    def _part(self, word: str, rate: float, chance: Random) -> tuple[str, ...]:
        errs, kind, choice = chance.random() < rate, chance.random(), chance.random()
        if not errs or not any(map(str.isalnum, word)):
            return (word,)
        if kind < self.profile.deleted:
            return ()
        if kind < self.profile.deleted + self.profile.inserted:
            return (word, ADDED[int(choice * len(ADDED))])
        other = other_word(word, choice)
        return () if other is None else (other,)


def perfect_recogniser() -> Recogniser:
    """Every word as it was said."""
    return Recogniser(recogniser_profile("off"))
