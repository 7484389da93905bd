"""`codriver say` writes what can be heard, and says how well."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from assistant_gateway.sound.gate import audible
from assistant_gateway.sound.pcm import dbfs, from_wav, silence, to_wav
from tests.assistant_gateway.sound.test_gate import burst
from tests.evaluator.command_line import USAGE, Here

TEXT = "Open the sunroof, please."


@pytest.fixture
def voice(tmp_path: Path) -> str:
    """A command that says the same whatever it is asked to say."""
    (tmp_path / "voice.wav").write_bytes(to_wav(burst(600)))
    return f"cat '{tmp_path / 'voice.wav'}'"


def said(here: Here, *options: object) -> dict[str, Any]:
    return dict(json.loads(here("say", TEXT, *options, "--json").stdout))


def test_a_text_becomes_a_file_and_its_words_have_times(
    here: Here, voice: str, tmp_path: Path
) -> None:
    made = said(here, "--voice-command", voice, "--out", tmp_path / "a.wav")
    samples, rate = from_wav((tmp_path / "a.wav").read_bytes())
    assert (len(samples), rate) == (14_400, 24_000)
    assert [each["word"] for each in made["words"]] == TEXT.split()
    assert (made["words"][0]["begins_ms"], made["words"][-1]["ends_ms"]) == (0, 600)
    assert (made["seconds"], made["snr_db"]) == (0.6, None)


def test_a_fast_car_with_an_open_window_is_louder(here: Here, voice: str, tmp_path: Path) -> None:
    def in_car(*options: object) -> tuple[float, float]:
        made = said(here, "--voice-command", voice, "--noise", "car", *options)
        samples, _ = from_wav((tmp_path / "said.wav").read_bytes())
        assert made["words"][0]["begins_ms"] == 500
        return made["snr_db"], dbfs(samples[:12_000])

    standing, fast, windy = in_car(), in_car("--speed", 120), in_car("--speed", 120, "--window", 50)
    assert standing[0] > 39 > fast[0] > 10 > windy[0]
    assert standing[1] < fast[1] < windy[1]


def test_the_seed_makes_the_noise(here: Here, voice: str) -> None:
    options = ("--voice-command", voice, "--noise", "car", "--speed", 50)
    digests = [said(here, *options, "--seed", seed)["sha256"] for seed in (1, 1, 2)]
    assert digests[0] == digests[1] != digests[2]


def test_a_recording_is_as_loud_as_asked_for(here: Here, voice: str, tmp_path: Path) -> None:
    (tmp_path / "fair.wav").write_bytes(to_wav(burst(3000)))
    made = said(here, "--voice-command", voice, "--noise", tmp_path / "fair.wav", "--snr", 6)
    assert made["snr_db"] == 6.0


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--noise", "cars"), "expected off, car or a WAV file, but cars cannot be read"),
        (("--noise", "silent.wav"), "--noise: silent.wav: it is silent"),
        (("--noise", "text.wav"), "--noise: text.wav: not a WAV file: file does not start"),
        (("--noise", "empty.wav"), "--noise: empty.wav: not a WAV file: it is empty"),
        (("--noise", "fair.wav", "--out", "./fair.wav"), "would overwrite the noise fair.wav"),
        (("--out", "no/folder/a.wav"), "no/folder/a.wav cannot be written"),
        (("--out", "a.mp3"), "--out writes .wav: a.mp3 ends otherwise"),
        (("--voice-command", "false"), "--voice-command: `false` ended with code 1: it printed no"),
        (("--voice-command", "nope"), "--voice-command: there is no program nope"),
        (("--voice-command", ""), "--voice-command: there is no program ''"),
        (("--voice-command", "'"), '--voice-command "\'" cannot be read'),
        (("--voice-command", "cat"), "--voice-command: `cat` printed text"),
        (("--rate", "20"), "greater than or equal to 80"),
        (("--rate", "200"), "--rate has no effect here: leave --voice-command out"),
        (("--voice", "de"), "--voice has no effect here: leave --voice-command out"),
        (("--snr", "5"), "--snr is how loud the noise of a file is"),
        (("--noise", "car", "--snr", "5"), "give --noise a WAV file or leave --snr out"),
        (("--speed", "120"), "--speed has no effect here: add --noise car"),
        (("--noise", "fair.wav", "--window", "5"), "--window has no effect here: add --noise car"),
    ],
)
def test_what_cannot_be_used_is_named_in_a_line(
    options: tuple[str, ...], why: str, here: Here, voice: str, tmp_path: Path
) -> None:
    (tmp_path / "silent.wav").write_bytes(to_wav(silence(48_000)))
    (tmp_path / "text.wav").write_text("no sound")
    (tmp_path / "empty.wav").touch()
    (tmp_path / "fair.wav").write_bytes(to_wav(burst(3000)))
    done = here("say", TEXT, "--voice-command", voice, *options)
    assert done.code == USAGE
    assert why in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["", "...", " \u2013 "])
def test_a_text_without_words_leaves_the_file_as_it_was(
    text: str, here: Here, voice: str, tmp_path: Path
) -> None:
    (tmp_path / "said.wav").write_text("of before")
    done = here("say", text, "--voice-command", voice)
    assert done.code == USAGE
    assert "give TEXT with words" in done.stderr
    assert (tmp_path / "said.wav").read_text() == "of before"


def test_a_rate_of_samples_is_for_a_command(here: Here) -> None:
    assert "add --voice-command" in here("say", TEXT, "--sample-rate", 16_000).stderr


def test_the_default_voice_can_be_heard(here: Here, tmp_path: Path) -> None:
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed")
    done = here("say", TEXT)
    assert done.stdout.startswith("said.wav: ")
    assert "4 words by espeak-ng" in done.stdout
    assert audible(from_wav((tmp_path / "said.wav").read_bytes())[0])
