"""Levels in the band of speech, 300 to 3400 Hz: of speech, of noise, and of one against the other.

Rumble below it is loud in every car and disturbs neither ears nor recognisers, so it is left out.
They are measured at the rate of a telephone, which carries just this band.
"""

import math
from collections.abc import Iterable
from typing import Literal

from assistant_gateway.sound.pcm import FULL_SCALE, RATE, SILENCE_DBFS, Samples
from assistant_gateway.sound.resampling import resampled

LOWEST_HZ, HIGHEST_HZ = 300, 3400
SPEECH_DBFS = -26.0  # of every utterance: how well it is heard depends on the noise alone
BAND_RATE = 8000
HOP = BAND_RATE // 100
PAUSE_DB = 30.0  # a hop so much below the loudest one is a pause
Kind = Literal["highpass", "lowpass"]
BUTTERWORTH_4 = (0.5412, 1.3066)  # the qualities of the two sections of such a filter


def band_dbfs(samples: Samples) -> float:
    """The level of all samples together within the band."""
    return _level(_hop_energies(samples))


def speech_dbfs(samples: Samples) -> float:
    """The level within the band while somebody speaks: pauses are left out."""
    energies = _hop_energies(samples)
    least = max(energies, default=0.0) * 10 ** (-PAUSE_DB / 10)
    return _level([energy for energy in energies if energy >= least])


def _level(energies: list[float]) -> float:
    energy = math.fsum(energies)
    if not energy:
        return SILENCE_DBFS
    return 10 * math.log10(energy / (len(energies) * HOP) / FULL_SCALE**2)


def _hop_energies(samples: Samples) -> list[float]:
    """For each 10 ms, the last ones filled up with silence."""
    squares = [value * value for value in _in_band(samples)]
    return [math.fsum(squares[at : at + HOP]) for at in range(0, len(squares), HOP)]


def _in_band(samples: Samples) -> Iterable[float]:
    values: Iterable[float] = resampled(samples, RATE, BAND_RATE)
    for kind, corner_hz in (("highpass", LOWEST_HZ), ("lowpass", HIGHEST_HZ)):
        for quality in BUTTERWORTH_4:
            values = _section(values, kind, corner_hz, quality)  # type: ignore[arg-type]
    return values


def _section(values: Iterable[float], kind: Kind, corner_hz: float, quality: float) -> list[float]:
    """A filter of second order, made from its analogue one by the bilinear transform."""
    k = math.tan(math.pi * corner_hz / BAND_RATE)
    scale = 1 / (1 + k / quality + k * k)
    b0 = scale if kind == "highpass" else k * k * scale
    b1 = -2 * b0 if kind == "highpass" else 2 * b0
    a1, a2 = 2 * (k * k - 1) * scale, (1 - k / quality + k * k) * scale
    s1 = s2 = 0.0
    made = []
    for value in values:
        out = b0 * value + s1
        s1 = b1 * value - a1 * out + s2
        s2 = b0 * value - a2 * out
        made.append(out)
    return made
