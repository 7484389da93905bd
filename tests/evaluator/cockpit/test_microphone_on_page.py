"""A conversation by microphone: a fake device plays a sentence, a recogniser knows its sound."""

import shlex
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import chain
from pathlib import Path

import pytest

from assistant_gateway.sound.pcm import RATE, silence, to_wav
from assistant_gateway.sound.voice import Voice, espeak, spoken
from evaluator.cockpit.microphone.recogniser import NotRecognised, recognised
from evaluator.measuring.rig.browser import Page, browser_page
from tests.assistant_gateway.sound.test_gate import burst
from tests.assistant_gateway.sound.test_voice import found
from tests.conftest import need_chromium
from tests.evaluator.cockpit import known_sentences
from tests.evaluator.cockpit.served import served

FAN, SUNROOF = "Set the fan to two.", "Open the sunroof halfway, please."
pytestmark = pytest.mark.wall_clock
FAKE = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
SAID = "[...document.querySelectorAll('.said.driver')].map((line) => line.textContent)"
NEWS = "[...document.querySelectorAll('.news')].map((line) => line.textContent).join()"


@asynccontextmanager
async def heard_by_page(
    folder: Path, said: Sequence[str], command: str | None = None
) -> AsyncIterator[Page]:
    """A page whose fake microphone hears these sentences, each after two seconds of silence."""
    need_chromium()
    voice = await found(espeak())
    heard = silence(RATE // 2)
    files: list[Path] = []
    for text in (FAN, SUNROOF):
        sound = await spoken(text, Voice(), voice, folder / "said")
        files.append(folder / f"{len(files)}.wav")
        files[-1].write_bytes(to_wav(sound.samples))
        if text in said:
            heard += sound.samples + silence(2 * RATE)
    device = folder / "microphone.wav"
    device.write_bytes(to_wav(heard))
    program = (sys.executable, "-P", known_sentences.__file__)
    known = chain.from_iterable(zip(map(str, files), (FAN, SUNROOF), strict=True))
    recogniser = command or shlex.join((*program, *known))
    async with (
        served("rules", speech="audio", pace="live", recogniser_command=recogniser) as page,
        browser_page(
            folder / "profile", *FAKE, f"--use-file-for-fake-audio-capture={device}%noloop"
        ) as tab,
    ):
        await tab.open(page.url)
        await tab.until("globalThis.cockpit?.drives && !document.querySelector('#mic').hidden")
        yield tab


async def mouse(tab: Page, kind: str) -> None:
    x, y = await tab.evaluate("(({ x, y }) => [x + 9, y + 9])(mic.getBoundingClientRect())")
    await tab.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


async def test_an_open_microphone_notices_who_speaks_and_the_car_obeys(tmp_path: Path) -> None:
    async with heard_by_page(tmp_path, (FAN,)) as tab:
        await mouse(tab, "mousePressed")
        await mouse(tab, "mouseReleased")
        await tab.until(f"{NEWS}.includes('level 2')")
        assert await tab.evaluate(SAID) == [FAN]
        assert await tab.evaluate("mic.getAttribute('aria-pressed')") == "true"
        await tab.until("document.querySelectorAll('.took').length === 1")
        assert tab.complaints == []


async def test_held_the_button_is_for_talking(tmp_path: Path) -> None:
    async with heard_by_page(tmp_path, (SUNROOF,)) as tab:
        await tab.evaluate(
            "globalThis.loud = 0; cockpit.on('voice', ({ samples }) => {"
            " if (samples.some((each) => Math.abs(each) > 500)) loud = performance.now(); })"
        )
        await mouse(tab, "mousePressed")
        await tab.until("mic.classList.contains('talking')")
        await tab.until("loud && performance.now() - loud > 900")
        await mouse(tab, "mouseReleased")
        await tab.until(f"{SAID}.length === 1")
        assert await tab.evaluate(SAID) == [SUNROOF]
        assert await tab.evaluate("mic.getAttribute('aria-pressed')") == "false"
        await tab.until("document.querySelectorAll('.took').length === 1")
        assert tab.complaints == []


async def test_what_is_not_understood_is_told(tmp_path: Path) -> None:
    async with heard_by_page(tmp_path, (FAN,), "true") as tab:
        await mouse(tab, "mousePressed")
        await mouse(tab, "mouseReleased")
        await tab.until("document.querySelector('.note.bad') !== null")
        note = await tab.evaluate("document.querySelector('.note.bad').textContent")
        assert note == "Nothing was understood; say it again."
        assert await tab.evaluate(SAID) == []


async def test_a_recogniser_hears_a_file_of_16_khz() -> None:
    program = "import sys, wave; print(wave.open(sys.stdin.buffer).getframerate())"
    assert await recognised(burst(500), shlex.join((sys.executable, "-c", program))) == "16000"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("no-such-program", "no-such-program cannot be started"),
        (f"{sys.executable} -c 'raise SystemExit(\"no model\")'", "ended with 1: no model"),
        ("true", "Nothing was understood"),
    ],
)
async def test_why_nothing_was_written_down_is_one_line(command: str, why: str) -> None:
    with pytest.raises(NotRecognised, match=why):
        await recognised(burst(100), command)
