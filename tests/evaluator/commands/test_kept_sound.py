"""What was said in a run is kept, told, written and played."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from assistant_gateway.sound.gate import MS, audible
from assistant_gateway.sound.pcm import RATE, Samples, from_bytes, from_wav, to_bytes
from assistant_gateway.sound.voice import Synthesiser, by_command
from evaluator.commands.run import Outcome
from evaluator.measuring.rig.browser import browser_page
from evaluator.record.record import Record
from evaluator.results.store import UnitResult
from evaluator.run.keeping import size_ahead
from tests.conftest import need_chromium
from tests.evaluator.command_line import USAGE, Here
from tests.evaluator.commands.test_sound_runs import TASK, played, voice

__all__ = ["voice"]


@pytest.fixture
def kept(
    tmp_path: Path,
    voice: str,
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[Outcome, Record]:
    synthesiser = by_command(voice)

    async def synthesiser_of(*_: object) -> Synthesiser:
        return synthesiser

    monkeypatch.setattr("evaluator.run.agents.synthesiser_of", synthesiser_of)
    return played(tmp_path / "run", voice_command=voice, agent="voice:rules", keep_audio="all")


def unit_of(outcome: Outcome) -> UnitResult:
    (unit,) = outcome.units
    return unit


def channels(wav: bytes) -> tuple[Samples, Samples]:
    both = from_bytes(wav[44:])
    assert from_wav(wav) == (both[0::2], RATE)
    return both[0::2], both[1::2]


def test_both_voices_are_kept_where_they_were_heard(
    tmp_path: Path, kept: tuple[Outcome, Record], here: Here
) -> None:
    outcome, record = kept
    sound, figures = unit_of(outcome).sound, outcome.figures.kept_audio
    assert sound is not None
    assert figures is not None
    assert (figures.units, figures.size_bytes) == (1, sound.size_bytes)
    wav, run = tmp_path / "said.wav", str(tmp_path / "run")
    assert here("view", run, "--unit", TASK, "--audio", str(wav)).code == 0
    driver, agent = channels(wav.read_bytes())
    heard = [each for turn in record.turns for each in (turn.sound or {})["agent_audible_ns"]]
    found = audible(agent)
    assert len(found) == len(heard)
    for there, (begins_ns, ends_ns) in zip(found, heard, strict=True):
        assert there.begins_ns == pytest.approx(begins_ns, abs=10 * MS)
        assert there.ends_ns == pytest.approx(ends_ns, abs=20 * MS)
    first = driver[: RATE * 600 // 1000]
    assert sha256(to_bytes(first)).hexdigest() == (record.turns[0].sound or {})["driver_sha256"]
    assert sound.file in here("view", run, "--unit", TASK).stdout


def test_only_what_failed_is_kept_if_only_that_is_asked_for(
    tmp_path: Path,
    voice: str,
) -> None:
    outcome, _ = played(tmp_path / "run", voice_command=voice, keep_audio="failed")
    assert unit_of(outcome).sound is None
    assert outcome.figures.kept_audio is None
    assert not (tmp_path / "run" / "audio").exists()
    outcome, _ = played(tmp_path / "again", agent="null", voice_command=voice, keep_audio="failed")
    sound = unit_of(outcome).sound
    assert sound is not None
    assert (tmp_path / "again" / sound.file).stat().st_size == sound.size_bytes


def test_a_file_that_is_gone_or_damaged_is_one_clear_line(
    tmp_path: Path, kept: tuple[Outcome, Record], here: Here
) -> None:
    sound = unit_of(kept[0]).sound
    assert sound is not None
    run, file = tmp_path / "run", tmp_path / "run" / sound.file
    asked = ("view", str(run), "--unit", TASK)
    file.write_bytes(file.read_bytes()[:-7])
    for why in ("is damaged, it is not what was kept", "No such file"):
        refused = here(*asked, "--audio", str(tmp_path / "said.wav"))
        assert refused.code == USAGE
        assert refused.stderr.count("\n") == 1
        assert f"{file} " in refused.stderr
        assert why in refused.stderr
        page = tmp_path / "unit.html"
        assert here(*asked, "--html", str(page)).code == 0
        assert why in page.read_text(encoding="utf-8")
        reported = here("report", str(run))
        assert reported.code == 0
        assert reported.stderr.startswith(f"without sound: {file} ")
        assert why in reported.stderr
        (unheard,) = json.loads(here("report", str(run), "--json").stdout)["unheard"]
        assert why in unheard
        file.unlink(missing_ok=True)


def test_what_was_not_kept_can_be_kept_next_time(
    tmp_path: Path,
    voice: str,
    here: Here,
) -> None:
    played(tmp_path / "run", voice_command=voice)
    asked = ("--unit", TASK, "--audio", str(tmp_path / "said.wav"))
    assert "--keep-audio all" in here("view", str(tmp_path / "run"), *asked).stderr
    assert "add --speech audio" in here("run", "--keep-audio", "all").stderr


def test_a_replay_sounds_where_a_program_plays_files(
    tmp_path: Path,
    kept: tuple[Outcome, Record],
    here: Here,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = ("replay", str(tmp_path / "run"), "--unit", TASK, "--sound")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "one of pw-play, paplay, aplay" in here(*asked).stderr
    player = tmp_path / "aplay"
    player.write_text(f'#!/bin/sh\n/bin/cp "$2" "{tmp_path / "played.wav"}"\n')
    player.chmod(0o755)
    monkeypatch.setattr("evaluator.commands.replay.play", _at_once)
    assert here(*asked).code == 0
    sound = unit_of(kept[0]).sound
    assert sound is not None
    assert (tmp_path / "played.wav").read_bytes() == sound.wav(tmp_path / "run")
    assert "leave --speed out" in here(*asked, "--speed", "2").stderr


def test_how_much_may_be_kept_is_a_range_for_each_unit() -> None:
    assert size_ahead("none", 3) == ""
    assert "0.1 to 5 MB in each unit of 3 (" in size_ahead("all", 3)
    assert "0.1 to 5 MB in each unit that fails of 3 (" in size_ahead("failed", 3)


def test_a_name_says_what_is_in_the_file(
    tmp_path: Path, kept: tuple[Outcome, Record], here: Here
) -> None:
    refused = here("view", str(tmp_path / "run"), "--unit", TASK, "--audio", "said.mp3")
    assert refused.code == USAGE
    assert "--audio writes .wav or .flac: said.mp3 ends otherwise" in refused.stderr


@pytest.fixture
def without_sound(tmp_path: Path, kept: tuple[Outcome, Record], here: Here) -> tuple[Path, str]:
    """A report, and the file that is missing."""
    sound, page = unit_of(kept[0]).sound, tmp_path / "report.html"
    assert sound is not None
    (tmp_path / "run" / sound.file).unlink()
    assert here("report", str(tmp_path / "run"), "--out", str(page)).code == 0
    return page, sound.file


async def test_a_report_says_in_the_conversation_that_its_sound_is_gone(
    tmp_path: Path, without_sound: tuple[Path, str]
) -> None:
    need_chromium()
    page, file = without_sound
    async with browser_page(tmp_path / "profile") as tab:
        await tab.open(f"{page.as_uri()}#unit={TASK}:0")
        shown = "document.querySelector('.unheard-why')?.innerText ?? ''"
        await tab.until(f"({shown}).includes({json.dumps(file)})")


async def _at_once(*_: object) -> None:
    pass


@pytest.fixture
def written(tmp_path: Path, kept: tuple[Outcome, Record], here: Here) -> Path:
    file = tmp_path / "report.html"
    assert here("report", str(tmp_path / "run"), "--out", str(file)).code == 0
    return file


async def test_a_page_plays_both_voices_on_one_axis(tmp_path: Path, written: Path) -> None:
    need_chromium()
    async with browser_page(tmp_path / "profile", wide=420) as tab:
        await tab.open(f"{written.as_uri()}#unit={TASK}:0")
        await tab.until("document.querySelectorAll('.timeline .wave').length === 2")
        await tab.evaluate(
            "AudioBufferSourceNode.prototype.start = function (...at) { globalThis.from = at; }"
        )
        play = "document.querySelector('.player .play').click()"
        await tab.command("Runtime.evaluate", expression=play, userGesture=True)
        assert await tab.evaluate("globalThis.from") == [0, 0]
        assert await tab.evaluate("document.querySelector('.loud').innerText") == "Sound on"
        overflow = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not await tab.evaluate(overflow)
        assert tab.complaints == []
