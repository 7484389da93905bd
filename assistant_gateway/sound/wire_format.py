"""How a stream of samples is sent: PCM16 or μ-law, at the rate that the other end wants."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, model_validator

from assistant_gateway.sound.pcm import (
    RATE,
    Samples,
    from_bytes,
    from_mulaw,
    to_bytes,
    to_mulaw,
)
from assistant_gateway.sound.resampling import Resampler

MULAW_RATE = 8000


class WireFormat(BaseModel):
    """μ-law is telephony and has 8000 samples a second."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    encoding: Literal["pcm16", "mulaw"] = "pcm16"
    rate: Literal[8000, 16_000, 24_000, 48_000] = RATE

    @model_validator(mode="after")
    def _is_telephony(self) -> "WireFormat":
        if self.encoding == "mulaw" and self.rate != MULAW_RATE:
            raise ValueError(f"mulaw has a rate of {MULAW_RATE}, not {self.rate}")
        return self


class Encoder:
    """Samples of ours become bytes; what is filtered comes a little later."""

    def __init__(self, format_: WireFormat) -> None:
        self._format = format_
        self._resampler = Resampler(RATE, format_.rate) if format_.rate != RATE else None

    def add(self, samples: Samples) -> bytes:
        samples = self._resampler.add(samples) if self._resampler else samples
        return to_mulaw(samples) if self._format.encoding == "mulaw" else to_bytes(samples)


class Decoder:
    """Bytes become samples of ours; a frame may end in the middle of a sample."""

    def __init__(self, format_: WireFormat) -> None:
        self._format = format_
        self._resampler = Resampler(format_.rate, RATE) if format_.rate != RATE else None
        self._rest = b""

    def add(self, content: bytes) -> Samples:
        samples = self._samples(content)
        return self._resampler.add(samples) if self._resampler else samples

    def _samples(self, content: bytes) -> Samples:
        if self._format.encoding == "mulaw":
            return from_mulaw(content)
        content = self._rest + content
        whole = len(content) // 2 * 2
        self._rest = content[whole:]
        return from_bytes(content[:whole])
