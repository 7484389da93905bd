"""How long a simulated model takes: named profiles, sampled with a seed.

The shapes and numbers are data, `latency_profiles.yaml`; a file with one such profile can be used
instead of a name.
"""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, NonNegativeFloat

from assistant_gateway.timing.profiles import Profiles
from assistant_gateway.timing.timeline import MS, SECOND

TOKENS_PER_WORD = 1.33
CHARACTERS_PER_TOKEN = 4
BURST_WORDS = 6


class LatencyProfile(BaseModel):
    """One kind of deployment; how the fields act together is in `latency_profiles.yaml`."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )

    source: str
    """What was measured, by whom and when; any text."""
    shift_ms: NonNegativeFloat = 0.0
    """Least time until the first token."""
    median_ms: NonNegativeFloat = 0.0
    """Median of what comes on top of it, lognormal."""
    sigma: NonNegativeFloat = 0.0
    """How much that varies: p95 is median_ms times exp(1.645 sigma)."""
    prefill_tokens_per_s: NonNegativeFloat = 0.0
    """How fast new prompt is read; 0 takes no time."""
    miss_chance: NonNegativeFloat = 0.0
    """Share of answers that miss the prefix cache."""
    miss_ms: NonNegativeFloat = 0.0
    """What such a miss costs."""
    stall_chance: NonNegativeFloat = 0.0
    """Share of answers that stall."""
    stall_median_ms: NonNegativeFloat = 4000.0
    """Median of a stall, lognormal with sigma 0.8."""
    cap_ms: NonNegativeFloat = 60_000.0
    """Most time until the first token."""
    tokens_per_s: NonNegativeFloat = 0.0
    """How fast text and arguments follow; 0 is all at once."""
    session_sigma: NonNegativeFloat = 0.15
    """How much sessions differ: one factor each, lognormal(1, session_sigma)."""


LATENCY_PROFILES = Profiles(
    LatencyProfile,
    Path(__file__).with_name("latency_profiles.yaml"),
    renamed={"groq_like": "lpu_fast"},
)


def latency_profile(name: str) -> LatencyProfile:
    """A shipped profile by name, or the one in a YAML file; raises `BadProfile`."""
    return LATENCY_PROFILES.named(name)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text and when it is due, in ns after the model was asked."""

    after_ns: int
    text: str


class LatencyModel:
    """One simulated model in one session; the same seed gives the same delays.

    `answered` is how often it has answered in this session before.
    """

    def __init__(self, profile: LatencyProfile, seed: str, *, answered: int = 0) -> None:
        self._profile = profile
        self._seed = seed
        self._asked = answered
        self._uncached_characters = 0
        chance = random.Random(f"{seed}/session")
        self._factor = math.exp(chance.gauss(0, profile.session_sigma))

    @property
    def counts_prompt(self) -> bool:
        """Whether the length of the prompt matters."""
        return self._profile.prefill_tokens_per_s > 0

    def reads(self, characters: int) -> None:
        """More prompt that the model has not seen yet."""
        self._uncached_characters += characters

    def first_token_ns(self) -> int:
        """Delay of the next answer's first token; what was to be read has been read then."""
        self._asked += 1
        profile, chance = self._profile, random.Random(f"{self._seed}/{self._asked}")
        delay_ms = profile.shift_ms
        if profile.median_ms:
            delay_ms += profile.median_ms * math.exp(profile.sigma * chance.gauss(0, 1))
        if profile.prefill_tokens_per_s:
            tokens = self._uncached_characters / CHARACTERS_PER_TOKEN
            delay_ms += tokens / profile.prefill_tokens_per_s * 1000
        self._uncached_characters = 0
        if chance.random() < profile.miss_chance:
            delay_ms += profile.miss_ms
        if chance.random() < profile.stall_chance:
            delay_ms += profile.stall_median_ms * math.exp(0.8 * chance.gauss(0, 1))
        return round(min(delay_ms * self._factor, profile.cap_ms) * 1000) * (MS // 1000)

    def pieces(self, text: str) -> Iterator[Piece]:
        """Cut a sentence into the bursts a stream would deliver, relative to the first token."""
        rate = self._profile.tokens_per_s
        if not rate:
            yield Piece(0, text)
            return
        words = text.split(" ")
        for start in range(0, len(words), BURST_WORDS):
            burst = " ".join(words[start : start + BURST_WORDS])
            more = start + BURST_WORDS < len(words)
            after_ns = round(start * TOKENS_PER_WORD / rate * SECOND)
            yield Piece(after_ns, f"{burst} " if more else burst)

    def arguments_ns(self, arguments_json: str) -> int:
        """How long it takes to write the arguments of a call."""
        rate = self._profile.tokens_per_s
        return round(len(arguments_json) / CHARACTERS_PER_TOKEN / rate * SECOND) if rate else 0
