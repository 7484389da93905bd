"""What is sent in one format comes back as it was, within what the format can carry."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from assistant_gateway.sound.pcm import RATE, Samples, dbfs, silence, to_bytes
from assistant_gateway.sound.wire_format import Decoder, Encoder, WireFormat
from tests.assistant_gateway.sound.test_pcm import SAMPLES, tone

FORMATS = [
    WireFormat(),
    WireFormat(rate=16_000),
    WireFormat(rate=8000),
    WireFormat(encoding="mulaw", rate=8000),
]
FRAME = RATE // 50


@pytest.mark.parametrize("format_", FORMATS)
def test_a_tone_comes_back_in_frames(format_: WireFormat) -> None:
    encoder, decoder, sent = Encoder(format_), Decoder(format_), tone(1000, RATE, 0.5)
    received = silence(0)
    for at in range(0, len(sent), FRAME):
        received += decoder.add(encoder.add(sent[at : at + FRAME]))
    assert len(sent) - len(received) < RATE // 100
    wrong = [a - b for a, b in zip(received[500:], sent[500:], strict=False)]
    assert dbfs(wrong) < dbfs(sent) - 30


def test_mulaw_takes_a_sixth_of_the_bytes() -> None:
    telephony = WireFormat(encoding="mulaw", rate=8000)
    assert len(Encoder(telephony).add(silence(RATE))) == pytest.approx(8000, abs=30)
    assert len(Encoder(WireFormat()).add(silence(RATE))) == 48_000


@given(SAMPLES, st.lists(st.integers(0, 600), max_size=6))
def test_a_frame_may_end_in_the_middle_of_a_sample(samples: Samples, edges: list[int]) -> None:
    content, decoder, received = to_bytes(samples), Decoder(WireFormat()), silence(0)
    for begin, end in pairwise(sorted([0, *edges, 600])):
        received += decoder.add(content[begin:end])
    assert received == samples


def test_a_format_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValidationError, match="mulaw has a rate of 8000, not 24000"):
        WireFormat(encoding="mulaw")
