from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.recording.flac import BLOCK, from_flac, interleaved, to_flac
from assistant_gateway.recording.recording import Recording, compressed
from assistant_gateway.sound.pcm import RATE, BadSound, Samples, silence
from evaluator.measuring.rig.browser import browser_page
from tests.assistant_gateway.sound.test_gate import burst
from tests.conftest import need_chromium

EXTREMES = array("h", [32_767, -32_768] * 3000)


@given(st.lists(st.integers(-32_768, 32_767), max_size=40), st.integers(-3, 3))
def test_any_samples_come_back_as_they_were(values: list[int], more: int) -> None:
    left = array("h", values) + burst(171, 300) + silence(BLOCK + more)
    both = interleaved(left, array("h", reversed(values)))
    assert from_flac(to_flac(both)) == both


@pytest.mark.parametrize("both", [silence(0), interleaved(EXTREMES, EXTREMES[::-1])])
def test_nothing_and_the_loudest_come_back(both: Samples) -> None:
    assert from_flac(to_flac(both)) == both


def test_silence_takes_no_room() -> None:
    assert len(to_flac(silence(2 * 60 * RATE))) < 10_000


def test_a_file_that_is_not_whole_is_refused() -> None:
    content = to_flac(interleaved(burst(300), silence(0)))
    for broken in (content[:-2000], content[:3000] + b"\x00" + content[3001:], b"RIFF" + content):
        with pytest.raises(BadSound, match="no FLAC file"):
            from_flac(broken)


async def test_both_voices_are_on_one_axis() -> None:
    kept = Recording()
    kept.driver.add(burst(10), 0)
    kept.agent.add(burst(5), RATE // 100)
    both = kept.stereo()
    assert both[0::2] == burst(10) + silence(RATE * 5 // 1000)
    assert both[1::2] == silence(RATE // 100) + burst(5)
    assert await compressed(both) == to_flac(both)


async def test_a_browser_reads_the_same_samples(tmp_path: Path) -> None:
    need_chromium()
    both = interleaved(burst(400, 32_767), silence(RATE // 5) + burst(300, 20))
    read = f"""(async () => {{
      const bytes = Uint8Array.from({list(to_flac(both))});
      const read = await new OfflineAudioContext(2, 1, {RATE}).decodeAudioData(bytes.buffer);
      return [0, 1].map((each) => [...read.getChannelData(each)].map((value) => value * 32768));
    }})()"""
    async with browser_page(tmp_path / "profile") as tab:
        left, right = await tab.evaluate(read)
    for found, samples in ((left, both[0::2]), (right, both[1::2])):
        assert found == pytest.approx(samples, abs=1)  # it divides positive samples by 32767
