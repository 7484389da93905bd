"""How long a simulated model takes: named profiles, sampled with a seed.

Time to first token = shift + lognormal(median, sigma), rarely plus a stall, capped; then tokens in
bursts. Everything is multiplied by one factor per session. Shapes and numbers are fits to
published measurements and name no vendor: see `docs/architecture.md`, latency profiles.
"""

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assistant_gateway.timeline import MS, SECOND

TOKENS_PER_WORD = 1.33
BURST_WORDS = 6


@dataclass(frozen=True, slots=True)
class LatencyProfile:
    """`tokens_per_s` 0 means all at once."""

    name: str
    source: str
    shift_ms: float = 0.0
    median_ms: float = 0.0
    sigma: float = 0.0
    stall_chance: float = 0.0
    stall_median_ms: float = 4000.0
    cap_ms: float = 60_000.0
    tokens_per_s: float = 0.0
    session_sigma: float = 0.15


PROFILES: Mapping[str, LatencyProfile] = {
    profile.name: profile
    for profile in (
        LatencyProfile("zero", "no latency: calibrates the bench", session_sigma=0.0),
        LatencyProfile(
            "cloud_fast",
            "fit to a fast hosted model in 30-turn tool dialogues, August 2026",
            shift_ms=330,
            median_ms=220,
            sigma=0.52,
            stall_chance=0.001,
            tokens_per_s=200,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text and when it is due, in ns after the model was asked."""

    after_ns: int
    text: str


class LatencyModel:
    """One simulated model in one session; the same seed gives the same delays."""

    def __init__(self, profile: LatencyProfile, seed: str) -> None:
        self._profile = profile
        self._seed = seed
        self._asked = 0
        chance = random.Random(f"{seed}/session")
        self._factor = math.exp(chance.gauss(0, profile.session_sigma))

    def first_token_ns(self) -> int:
        """Delay of the next answer's first token."""
        self._asked += 1
        profile, chance = self._profile, random.Random(f"{self._seed}/{self._asked}")
        delay_ms = profile.shift_ms
        if profile.median_ms:
            delay_ms += profile.median_ms * math.exp(profile.sigma * chance.gauss(0, 1))
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
        return round(len(arguments_json) / 4 / rate * SECOND) if rate else 0
