"""Finds out in a stream of samples when somebody begins to speak and has finished. Pure.

An energy gate above the noise, which is estimated by the quietest moments of the last seconds.
Rumble is damped first: of each sample the one before it is taken away.
"""

import math
from collections import deque
from dataclasses import dataclass
from operator import mul, sub
from typing import Literal, NamedTuple

from pydantic import Field

from assistant_gateway.mock_llm.request import Wire
from assistant_gateway.sound.pcm import FULL_SCALE, RATE, SILENCE_DBFS, Samples, silence

HOP_MS = 20
HOP = RATE * HOP_MS // 1000
LEAST_DBFS = -60.0  # after damping; what is quieter is never speech
MARGIN_DB = 14.0  # above the noise, at a threshold of 1
GOES_ON = 0.6  # of the margin, for who speaks already
NOISE_HOPS = 3000 // HOP_MS
SMOOTHED = 4
BEGINS_AFTER = 3  # loud hops of the last `SMOOTHED`
EAGERNESS_MS = {"low": 1500, "medium": 700, "auto": 700, "high": 400}


class TurnDetection(Wire):
    """As in the API; `semantic_vad` is played as a gate that waits as its eagerness says."""

    type: Literal["server_vad", "semantic_vad"] = "server_vad"
    threshold: float = Field(default=0.5, ge=0, le=1)
    silence_duration_ms: int = Field(default=500, ge=0)
    prefix_padding_ms: int = Field(default=300, ge=0)
    eagerness: Literal["low", "medium", "high", "auto"] = "auto"
    create_response: bool = True
    interrupt_response: bool = True

    @property
    def silence_ms(self) -> int:
        if self.type == "semantic_vad":
            return EAGERNESS_MS[self.eagerness]
        return self.silence_duration_ms


class TurnEvent(NamedTuple):
    """Speech began or ended; in ms since the first sample."""

    kind: Literal["started", "stopped"]
    at_ms: int


@dataclass(frozen=True, slots=True)
class Hop:
    dbfs: float
    is_loud: bool


class TurnDetector:
    """Samples come in parts of any length."""

    def __init__(self, settings: TurnDetection) -> None:
        self.settings = settings
        self._rest = silence(1)  # with the sample before the first one
        self._hops = 0
        self._recent: deque[Hop] = deque(maxlen=SMOOTHED)
        self._levels: deque[float] = deque(maxlen=NOISE_HOPS)
        self._speaks = False
        self._last_loud = 0

    def add(self, samples: Samples) -> list[TurnEvent]:
        events = []
        rest = self._rest + samples
        while len(rest) > HOP:
            self._hops += 1
            if (event := self._hop(_level(rest[: HOP + 1]))) is not None:
                events.append(event)
            rest = rest[HOP:]
        self._rest = rest
        return events

    def _hop(self, dbfs: float) -> TurnEvent | None:
        recent = [hop.dbfs for hop in self._recent]
        self._levels.append(max(LEAST_DBFS, math.fsum([*recent, dbfs]) / (len(recent) + 1)))
        margin_db = MARGIN_DB * self.settings.threshold * (GOES_ON if self._speaks else 1)
        least = min(self._levels) + margin_db
        self._recent.append(Hop(dbfs, dbfs > least))
        if sum(hop.is_loud for hop in self._recent) >= BEGINS_AFTER:
            self._last_loud = self._hops
        if not self._speaks and self._last_loud == self._hops:
            self._speaks = True
            before_ms = self.settings.prefix_padding_ms + SMOOTHED * HOP_MS
            return TurnEvent("started", max(0, self._hops * HOP_MS - before_ms))
        if self._speaks and (self._hops - self._last_loud) * HOP_MS >= self.settings.silence_ms:
            self._speaks = False
            return TurnEvent("stopped", self._hops * HOP_MS)
        return None


def _level(samples: Samples) -> float:
    """Of a hop and the sample before it."""
    damped = list(map(sub, samples[1:], samples))
    energy = sum(map(mul, damped, damped))
    return 10 * math.log10(energy / HOP / FULL_SCALE**2) if energy else SILENCE_DBFS
