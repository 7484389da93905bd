"""Both voices on the page: drawn and played as they are heard, and silent when they stop."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from assistant_gateway.sound.pcm import RATE, to_wav
from assistant_gateway.sound.voice import Synthesiser, by_command
from evaluator.cockpit.scenario import scenario
from evaluator.options import ServeOptions
from evaluator.problems import UsageProblem
from evaluator.task.worlds import own_world
from tests.assistant_gateway.sound.test_gate import burst
from tests.conftest import need_chromium
from tests.evaluator.cockpit.served import served
from tests.evaluator.cockpit.test_page import say
from tests.evaluator.cockpit.test_page_signs import opened

pytestmark = pytest.mark.wall_clock
LASTS_MS = 900
# What is heard, and what begins to play, as [who, since ms] and [samples].
WATCHED = """
globalThis.heard = []; globalThis.played = [];
cockpit.on('voice', ({ who, from, samples }) => heard.push([who, from, samples.length]));
cockpit.on('hushed', ({ at }) => heard.push(['hushed', at, 0]));
const { start } = AudioBufferSourceNode.prototype;
AudioBufferSourceNode.prototype.start = function (...at) {
  played.push(this.buffer.length);
  start.apply(this, at);
};
"""
DRAWN = """(() => {
  const canvas = document.querySelector('canvas.voices');
  const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const colours = [...Array(data.length / 4).keys()].filter((at) => data[4 * at + 3] > 100);
  return new Set(colours.map((at) => Math.floor(at / width) < canvas.height / 2)).size;
})()"""


@pytest.fixture
def spoken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The options of a page that is heard, with a voice that says the same for all texts."""
    monkeypatch.setattr("evaluator.run.sound.said_folder", lambda: tmp_path / "said")
    (tmp_path / "voice.wav").write_bytes(to_wav(burst(LASTS_MS)))
    command = f"cat '{tmp_path / 'voice.wav'}'"

    async def synthesiser_of(*_: object) -> Synthesiser:
        return by_command(command)

    monkeypatch.setattr("evaluator.run.agents.synthesiser_of", synthesiser_of)
    return {"speech": "audio", "voice_command": command, "pace": "live", "agent": "voice:rules"}


async def test_both_voices_are_drawn_and_played_on_one_axis(
    tmp_path: Path, spoken: dict[str, Any]
) -> None:
    need_chromium()
    async with opened(tmp_path, **spoken) as (_, tab):
        await tab.evaluate(WATCHED)
        click = "document.querySelector('#hear').click()"
        await tab.command("Runtime.evaluate", expression=click, userGesture=True)
        await say(tab, "Set the fan to two.")
        await tab.until("document.querySelectorAll('.took').length === 1")
        heard = await tab.evaluate("globalThis.heard")
        driver = [each for each in heard if each[0] == "driver"]
        agent = [each for each in heard if each[0] == "agent"]
        assert [each[2] for each in driver] == [RATE * LASTS_MS // 1000]
        assert agent[0][1] > driver[0][1] + LASTS_MS
        for before, after in pairwise(agent):
            assert after[1] == pytest.approx(before[1] + before[2] * 1000 / RATE, abs=1)
        assert await tab.evaluate("globalThis.played") == [each[2] for each in driver + agent]
        assert await tab.evaluate(DRAWN) == 2
        assert tab.complaints == []


async def test_an_assistant_that_is_cut_off_falls_silent_on_the_page(
    tmp_path: Path, spoken: dict[str, Any]
) -> None:
    need_chromium()
    async with opened(tmp_path, **spoken) as (_, tab):
        await tab.evaluate(WATCHED)
        await say(tab, "Set the fan to two.")
        await tab.until(
            "heard.some(([who]) => who === 'agent') && !document.querySelector('#cut').hidden"
        )
        await tab.evaluate("document.querySelector('#cut').click()")
        await tab.until("heard.some(([who]) => who === 'hushed')")
        heard = await tab.evaluate("globalThis.heard")
        ends = max(at + count * 1000 / RATE for who, at, count in heard if who == "agent")
        assert next(at for who, at, _ in heard if who == "hushed") < ends
        assert tab.complaints == []


async def test_a_page_of_text_has_nothing_to_hear(tmp_path: Path) -> None:
    need_chromium()
    async with opened(tmp_path) as (_, tab):
        assert await tab.evaluate("document.querySelector('#hear').hidden")
        assert await tab.evaluate("document.querySelector('canvas.voices').hidden")


async def test_sound_takes_the_time_that_it_takes(spoken: dict[str, Any]) -> None:
    with pytest.raises(UsageProblem, match="leave --pace out"):
        async with served(**{**spoken, "pace": "fast"}):
            pass
    with pytest.raises(UsageProblem, match="is for --speech audio"):
        async with served(agent="voice:rules"):
            pass


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"noise": "car"}, "--noise is heard: add --speech audio"),
        ({"voice_command": "cat"}, "--voice-command is heard: add --speech audio"),
        ({"recogniser_command": "cat"}, "--recogniser-command is heard: add --speech audio"),
        ({"speech": "audio", "noise": "car", "snr": 5.0}, "leave --snr out"),
        ({"speech": "audio", "sample_rate": 16_000}, "that of --voice-command: add one"),
        (
            {"speech": "audio", "recogniser_command": "nopeprog -f -"},
            "--recogniser-command: there is no program nopeprog",
        ),
    ],
)
def test_what_would_not_be_heard_is_refused_at_the_start(options: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageProblem, match=why):
        scenario(ServeOptions(agent="rules", pace="live", **options), own_world())
