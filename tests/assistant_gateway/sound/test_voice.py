"""A real synthesiser: the same samples in every process, words where they are heard, no loss."""

import asyncio
import hashlib
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Awaitable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from assistant_gateway.sound.gate import MS, audible
from assistant_gateway.sound.pcm import BadSound, from_wav, silence, to_bytes, to_wav
from assistant_gateway.sound.resampling import resampled
from assistant_gateway.sound.sound import Sound
from assistant_gateway.sound.speech_band import SPEECH_DBFS, speech_dbfs
from assistant_gateway.sound.voice import (
    NoSynthesiser,
    Synthesiser,
    Voice,
    by_command,
    espeak,
    of_extra,
    of_program,
    spoken,
)
from tests.assistant_gateway.sound.test_gate import burst
from tests.assistant_gateway.sound.test_pcm import tone

ROOT = Path(__file__).parents[3]
TEXT = "Open the sunroof halfway, please. And one of the windows to 25 percent."
BREATHY = Voice(name="en-us+f3")  # this variant of a voice has noise in it
NEWER = ("3.12", "3.13", "3.14")


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For tests that may all hear the same."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
async def synthesiser() -> Synthesiser:
    return await found(espeak())


@pytest.fixture(params=[of_program, of_extra])
async def each_synthesiser(request: pytest.FixtureRequest) -> Synthesiser:
    return await found(espeak(request.param()))


async def found(looked_for: Awaitable[Synthesiser]) -> Synthesiser:
    """Skip without a synthesiser; CODRIVER_REQUIRE_ESPEAK=1 makes that a failure."""
    try:
        return await looked_for
    except NoSynthesiser as error:
        if os.environ.get("CODRIVER_REQUIRE_ESPEAK") == "1":
            raise
        pytest.skip(str(error))


def digest(sound: Sound) -> str:
    return hashlib.sha256(to_bytes(sound.samples)).hexdigest()


@pytest.mark.parametrize("voice", [Voice(), BREATHY])
async def test_two_processes_speak_the_same_samples(
    each_synthesiser: Synthesiser, voice: Voice, tmp_path: Path
) -> None:
    one, other = [
        await spoken(TEXT, voice, each_synthesiser, tmp_path / folder)
        for folder in ("one", "other")
    ]
    assert one == other
    assert len(one.samples) > 48_000


def installed_python(version: str) -> str:
    """Skips the test without one; pyenv's are not on the PATH unless they are chosen."""
    kept = Path.home().glob(f".pyenv/versions/{version}.*/bin/python")
    found = shutil.which(f"python{version}")
    for program in filter(None, (*map(str, kept), found)):
        if subprocess.run([program, "-V"], capture_output=True).returncode == 0:
            return program
    pytest.skip(f"no Python {version} here")


def spoken_by(python: str, arguments: tuple[str, ...], text: str) -> Sound:
    command = (python, "-m", "assistant_gateway.sound.synthesis", *arguments)
    return Sound.from_bytes(subprocess.check_output(command, input=text.encode(), cwd=ROOT))


@pytest.mark.parametrize("version", NEWER)
async def test_another_python_speaks_the_same_samples(
    synthesiser: Synthesiser, version: str, kept: Path
) -> None:
    theirs = spoken_by(installed_python(version), synthesiser.arguments_for(BREATHY), TEXT)
    ours = await spoken(TEXT, BREATHY, synthesiser, kept)
    assert digest(theirs) == digest(ours)


async def test_words_are_where_they_are_heard(each_synthesiser: Synthesiser, kept: Path) -> None:
    sound = await spoken(TEXT, Voice(), each_synthesiser, kept)
    heard = audible(sound.samples)
    assert [each.word for each in sound.words] == TEXT.split()
    assert all(one.ends_ns <= after.begins_ns for one, after in pairwise(sound.words))
    assert sound.words[0].begins_ns == pytest.approx(heard[0].begins_ns, abs=30 * MS)
    assert sound.ends_ns == pytest.approx(heard[-1].ends_ns, abs=60 * MS)
    please, and_ = (each for each in sound.words if each.word in ("please.", "And"))
    assert and_.begins_ns - please.ends_ns > 200 * MS


@pytest.mark.parametrize("voice", [Voice(), BREATHY, Voice(name="de", words_per_minute=120)])
async def test_every_voice_is_equally_loud(
    synthesiser: Synthesiser, voice: Voice, kept: Path
) -> None:
    sound = await spoken(TEXT, voice, synthesiser, kept)
    assert speech_dbfs(sound.samples) == pytest.approx(SPEECH_DBFS, abs=0.1)


async def test_a_faster_voice_takes_less_time(synthesiser: Synthesiser, kept: Path) -> None:
    slow, fast = [
        await spoken(TEXT, Voice(words_per_minute=rate), synthesiser, kept) for rate in (120, 200)
    ]
    assert fast.ends_ns < 0.75 * slow.ends_ns


@pytest.mark.parametrize("text", ["", "…", "—", "🚗"])
async def test_a_text_without_words_is_silent_or_named(
    synthesiser: Synthesiser, text: str, tmp_path: Path
) -> None:
    sound = await spoken(text, Voice(), synthesiser, tmp_path)
    assert bool(sound.words) == bool(audible(sound.samples))


async def test_an_unknown_voice_is_refused_and_not_kept(
    synthesiser: Synthesiser, tmp_path: Path
) -> None:
    with pytest.raises(BadSound, match="no voice 'nobody'"):
        await spoken(TEXT, Voice(name="nobody"), synthesiser, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("lead_in_ms", [0, 120, 123, 480])
async def test_a_known_lead_in_is_measured(
    synthesiser: Synthesiser, lead_in_ms: int, kept: Path
) -> None:
    errors_ms = []
    for text in ("Yes.", "Opening it now.", "Okay, done.", "The fan is at three.", "Here we go."):
        for voice in (Voice(), BREATHY):
            sound = await spoken(text, voice, synthesiser, kept)
            begins = next(n for n, sample in enumerate(sound.samples) if abs(sample) > 60)
            whole = silence(24 * lead_in_ms) + sound.samples[begins:]
            measured = audible(whole)[0].begins_ns / MS
            errors_ms.append(abs(measured - lead_in_ms))
    errors_ms.sort()
    assert errors_ms[len(errors_ms) // 2] <= 10
    assert errors_ms[-1] <= 20


def wav_command(content: bytes, folder: Path) -> str:
    file = folder / "spoken"
    file.write_bytes(content)
    return f"cat '{file}'"


@pytest.mark.parametrize("rate", [16_000, 22_050])
async def test_a_command_speaks_raw_samples_or_wav(rate: int, tmp_path: Path) -> None:
    samples = burst(400)[: rate * 2 // 5]
    for content in (to_bytes(samples), to_wav(samples, rate)):
        command = by_command(wav_command(content, tmp_path), rate)
        sound = await spoken("two words", Voice(), command, tmp_path / str(len(content)))
        assert len(sound.samples) == len(resampled(samples, rate))
        assert [each.word for each in sound.words] == ["two", "words"]
        assert sound.ends_ns == audible(sound.samples)[-1].ends_ns


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("sh -c 'echo no model >&2; exit 3'", "exit 3'` ended with code 3: no model"),
        ("false", "`false` ended with code 1: it printed no reason"),
        ("true", "`true` printed nothing"),
        ("there-is-no-such-program", "there-is-no-such-program"),
        ("cat", "`cat` printed text; expected WAV or raw PCM16"),
        (r"printf '\001\002\377'", "an odd number of bytes"),
        (r"printf '\001\002\377\001'", "0 ms of sound, too short for speech"),
        ("head -c 44100 /dev/zero", "said nothing that can be heard"),
        ("printf RIFF", "a WAV file that cannot be read: not a WAV file: it is empty or ends"),
    ],
)
async def test_a_command_that_cannot_speak_says_why_in_a_line(
    command: str, why: str, tmp_path: Path
) -> None:
    with pytest.raises(BadSound, match=why) as caught:
        await spoken("word", Voice(), by_command(command), tmp_path)
    assert str(caught.value).startswith("--voice-command: ")
    assert "\n" not in str(caught.value)


def ends(file: Path) -> bool:
    """Whether the process ends whose number is in the file, if it has begun at all."""
    try:
        process = os.pidfd_open(int(file.read_text()))
    except (FileNotFoundError, ValueError, ProcessLookupError):  # killed before, or since
        return True
    return bool(select.select([process], [], [], 20)[0])


async def test_a_command_that_does_not_end_is_ended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("assistant_gateway.sound.voice.LONGEST_S", 0.5)
    file = tmp_path / "pid"
    command = f"sh -c 'echo $$ >{file}; exec tail -f /dev/null'"
    with pytest.raises(BadSound, match=r"longer than 0\.5 s"):
        await spoken("word", Voice(), by_command(command), tmp_path)
    assert ends(file)


async def test_what_was_spoken_once_is_not_spoken_again(tmp_path: Path) -> None:
    file = tmp_path / "tone"
    file.write_bytes(to_bytes(tone(440, 22_050)))
    command = by_command(f"cat '{file}'")
    first = await spoken("a", Voice(), command, tmp_path / "kept")
    file.write_bytes(b"")
    assert await spoken("a", Voice(), command, tmp_path / "kept") == first
    with pytest.raises(BadSound):
        await spoken("b", Voice(), command, tmp_path / "kept")


async def test_each_voice_and_text_is_kept_apart() -> None:
    one = Synthesiser("espeak-ng 1", ("espeak", "lib", ""))
    keys = {
        one.key("a", Voice()),
        one.key("b", Voice()),
        one.key("a", Voice(pitch=51)),
        one.key("a", Voice(words_per_minute=170)),
        one.key("a", BREATHY),
        Synthesiser("espeak-ng 2", one.arguments).key("a", Voice()),
        by_command("piper").key("a", Voice()),
        by_command("piper", 16_000).key("a", Voice()),
    }
    assert len(keys) == 8
    assert Synthesiser("espeak-ng 1", ("espeak", "elsewhere", "")).key("a", Voice()) in keys


async def test_without_a_synthesiser_a_line_says_what_to_install() -> None:
    with pytest.raises(NoSynthesiser, match=r"apt install espeak-ng.*pip install espeakng-loader"):
        await espeak([("/no/library.so", "")])


def test_a_program_of_its_own_holds_the_library() -> None:
    """Nothing that imports the voice has loaded a library under the GPL."""
    code = "import assistant_gateway.sound.voice, sys; print('espeakng_loader' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT) == b"False\n"


def test_a_wav_file_of_a_sound_can_be_read_again() -> None:
    assert from_wav(to_wav(burst(20))) == (burst(20), 24_000)


async def test_what_others_have_spoken_meanwhile_is_not_spoken_again(tmp_path: Path) -> None:
    (tmp_path / "said.wav").write_bytes(to_wav(burst(300)))
    command = f"sh -c 'echo once >> {tmp_path}/times; sleep 0.2; cat {tmp_path}/said.wav'"
    synthesiser = replace(by_command(command), free=asyncio.Semaphore(1))
    async with asyncio.TaskGroup() as tasks:
        for _ in range(8):
            tasks.create_task(spoken(TEXT, Voice(), synthesiser, tmp_path / "said"))
    assert (tmp_path / "times").read_text().split() == ["once"]
