"""Runs in which drivers are heard: the same rewards, and a record of how well they were heard."""

import asyncio
import queue
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from assistant_gateway.agents.rules.agent import respond
from assistant_gateway.agents.speaking_front import FrontVoice
from assistant_gateway.mock_llm.player import AssistantPlayer
from assistant_gateway.mock_llm.server import mock_llm
from assistant_gateway.sound.gate import MS
from assistant_gateway.sound.pcm import to_wav
from assistant_gateway.sound.voice import Synthesiser, by_command
from evaluator.commands.run import Outcome, run_to_end
from evaluator.event_loop import run_async
from evaluator.options import RunOptions
from evaluator.problems import UsageProblem
from evaluator.record.episode import Episode
from evaluator.record.record import Record
from evaluator.report.conversations import compact
from evaluator.results.store import open_store
from evaluator.run.settings import check
from evaluator.task.selection import load_task
from evaluator.task.worlds import own_world
from evaluator.views.sentences import driver_sentences
from evaluator.views.transcript import transcript
from evaluator.views.unit_timeline import story
from tests.assistant_gateway.sound.test_gate import burst

TASK = "limit_other_way_round_no_phone"


@pytest.fixture
def voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A command that says the same whatever it is asked to say."""
    monkeypatch.setattr("evaluator.run.sound.said_folder", lambda: tmp_path / "said")
    (tmp_path / "voice.wav").write_bytes(to_wav(burst(600)))
    return f"cat '{tmp_path / 'voice.wav'}'"


SPEAKS = """
import random, struct, sys
chance = random.Random(sys.stdin.read())
samples = (chance.randint(-9000, 9000) for _ in range(14400))
sys.stdout.buffer.write(struct.pack("<14400h", *samples))
"""


def own_voice(folder: Path) -> str:
    """A command that says 600 ms, other ones for each text."""
    (folder / "speaks.py").write_text(SPEAKS)
    return f"{sys.executable} '{folder / 'speaks.py'}'"


@contextmanager
def mock_model(player: AssistantPlayer, voice: FrontVoice) -> Iterator[str]:
    """A model in a thread with a loop of its own."""
    up, done = queue.SimpleQueue[str](), asyncio.Event()

    async def serve() -> None:
        async with mock_llm(player, voice=voice) as model:
            up.put(model.url)
            await done.wait()

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_until_complete, args=[serve()])
    thread.start()
    try:
        yield up.get(timeout=20)
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join()
        loop.close()


def played(folder: Path, agent: str = "rules", **options: Any) -> tuple[Outcome, Record]:
    asked = RunOptions(
        agent=agent, task_ids=(TASK,), broker="embedded", out=folder, speech="audio", **options
    )
    outcome = run_to_end(asked, quiet=True)

    async def record() -> Record:
        async with open_store(folder) as store:
            return await store.record(TASK)

    return outcome, run_async(record())


def test_a_driver_that_is_heard_gets_the_same_done(tmp_path: Path, voice: str) -> None:
    outcome, record = played(tmp_path / "run", voice_command=voice, noise="car")
    assert outcome.figures.reward_mean == 1
    assert outcome.manifest.conditions["synthesiser"] == f"{voice} at 22050"
    assert outcome.figures.snr_db is not None
    assert outcome.figures.snr_db.n == len(record.turns)
    turns = [turn.sound for turn in record.turns]
    assert all(turn and len(turn["driver_sha256"]) == 64 for turn in turns)
    shown = Console(width=200, record=True, file=StringIO())
    for part in story(transcript(record), outcome.units[0]):
        shown.print(part)
    assert re.search(r"driver \d+(\.\d)? dB above the noise", shown.export_text())


def test_an_agent_behind_a_front_is_heard_and_does_the_same(
    tmp_path: Path, voice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    synthesiser = by_command(voice)

    async def synthesiser_of(*_: object) -> Synthesiser:
        return synthesiser

    monkeypatch.setattr("evaluator.run.agents.synthesiser_of", synthesiser_of)
    outcome, record = played(
        tmp_path / "run", voice_command=voice, agent="voice:rules", lead_in_ms=120
    )
    assert outcome.figures.reward_mean == 1
    assert outcome.manifest.agent_options == {"lead_in_ms": 120}
    for spans in (turn.spans for turn in record.turns):
        assert spans["lead_in"] == pytest.approx(120 * MS, abs=10 * MS)
        assert spans["first_sound"] == spans["upl"]
        assert spans["first_delta"] is not None


def test_a_recogniser_in_noise_errs_and_the_record_tells_both(tmp_path: Path, voice: str) -> None:
    own = tmp_path / "deaf.yaml"
    own.write_text("source: test\nword_error_rate: {0: 1}\ndeleted: 0\ninserted: 0\n")
    outcome, record = played(
        tmp_path / "run", voice_command=voice, noise="car", recogniser=str(own)
    )
    assert outcome.figures.reward_mean == 0
    recognition = outcome.figures.recognition
    assert recognition is not None
    assert recognition.word_error_rate > 0.5
    assert recognition.turns_changed == len(record.turns)
    (told,) = (each for each in driver_sentences(outcome.figures) if "recognised" in each)
    assert re.fullmatch(r"\d+\.\d % of \d+ words were recognised wrong", told)
    assert outcome.manifest.conditions["recogniser"] == str(own)
    assert str(own) in outcome.manifest.conditions["own_profiles"]
    first = record.turns[0]
    assert first.sound is not None
    said = next(line for line in transcript(record) if line.who == "driver")
    assert said.text == first.heard_user
    assert said.detail == {"recognised": first.sound["recognised"]}
    episode = Episode(record, load_task(TASK, None, own_world()))
    assert episode.driver[0].text == first.heard_user
    assert episode.driver[0].known == f"{first.heard_user}\n{first.sound['recognised']}"
    shown = Console(width=200, record=True, file=StringIO())
    for part in story(transcript(record), outcome.units[0]):
        shown.print(part)
    assert f"recognised as: {first.sound['recognised']}"[:60] in shown.export_text()
    assert any("recognised" in row[5] for row in compact(outcome.units[0], record) if row[5])


def test_a_model_that_hears_and_speaks_does_the_same(
    tmp_path: Path, voice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It knows the words by the samples, and each sentence has its own here."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    speaks = own_voice(tmp_path)
    front = FrontVoice(by_command(speaks), tmp_path / "said", lead_in_ms=120)
    with mock_model(AssistantPlayer("rules", respond), front) as url:
        outcome, record = played(
            tmp_path / "run",
            "realtime:mock",
            pace="live",
            base_url=url,
            voice_command=speaks,
            sample_rate=24_000,
            allow_slow_bench=True,
        )
    assert outcome.figures.reward_mean == 1
    assert outcome.manifest.agent_options == {"turn_detection": "truth"}
    for spans in (turn.spans for turn in record.turns):
        assert spans["eou_delay"] == 0
        assert spans["lead_in"] == pytest.approx(120 * MS, abs=10 * MS)


def test_a_run_in_text_keeps_its_form(tmp_path: Path) -> None:
    options = RunOptions(task_ids=(TASK,), pace="virtual", broker="embedded", out=tmp_path / "run")
    outcome = run_to_end(options, quiet=True)
    assert outcome.figures.snr_db is None
    assert outcome.figures.recognition is None
    assert {"speech", "synthesiser", "noise"}.isdisjoint(outcome.manifest.conditions)


@pytest.mark.parametrize("agent", ["openai:m", "a2a:http://127.0.0.1:1", "voice:realtime:m"])
def test_an_agent_that_reads_is_played_in_fast_pace(
    agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    check(RunOptions(agent=agent, speech="audio", pace="fast"))


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"speech": "audio", "pace": "virtual"}, "use --pace fast or live"),
        ({"speech": "audio", "pace": "virtual", "agent": "ws"}, "use --pace live"),
        ({"speech": "audio", "agent": "ws"}, "silence cannot be skipped"),
        ({"speech": "audio", "agent": "live:m", "backend_model": "b"}, "cannot be skipped"),
        ({"snr": 5.0}, "--snr is for --speech audio"),
        ({"sample_rate": 24_000}, "--sample-rate is for --speech audio"),
        ({"speech": "audio", "sample_rate": 24_000}, "is that of --voice-command"),
        ({"speech": "audio", "snr": 5.0}, "add --noise FILE.wav"),
        ({"speech": "audio", "given": {"snr": 15.0}}, "add --noise FILE.wav"),
        ({"speech": "audio", "snr": 5.0, "noise": "car"}, "leave --snr out"),
        ({"lead_in_ms": 100}, "--lead-in-ms is for --agent voice:AGENT"),
        ({"speech": "audio", "lead_in_ms": 100, "agent": "rules"}, "not for rules; leave it out"),
        ({"speech": "audio", "pace": "live", "echo": -30.0, "agent": "rules"}, "and rules reads"),
        ({"speech": "audio", "user": "human"}, "a person types"),
        ({"noise": "car"}, "for --speech audio"),
        ({"recogniser": "good"}, "--recogniser is for --speech audio"),
        ({"echo": -30.0}, "--echo is for --speech audio"),
        (
            {"speech": "audio", "echo": -30.0, "agent": "rules"},
            "--echo is for an agent that listens",
        ),
        ({"speech": "audio", "recogniser": "deaf"}, "--recogniser: expected one of off, good"),
        ({"speech": "audio", "recogniser": "junk.wav"}, "not 'junk.wav'"),
        ({"agent": "voice:rules"}, "is for --speech audio"),
        ({"speech": "audio", "agent": "voice:ws"}, "voice:ws: ws connects by itself"),
        ({"speech": "audio", "agent": "voice:"}, "name the agent that it speaks for"),
        ({"speech": "audio", "agent": "voice:voice:rules"}, "voice:voice:rules: an agent has one"),
        ({"speech": "audio", "agent": "voice:live:m"}, "voice:live:m: live:MODEL speaks by itself"),
        ({"speech": "audio", "agent": "voice:nobody"}, "--agent is one of .* not 'voice:nobody'"),
        ({"agent": "realtime:m", "turn_detection": "server_vad"}, "realtime:MODEL --speech audio"),
        ({"speech": "audio", "agent": "rules", "turn_detection": "server_vad"}, "--turn-detection"),
        ({"speech": "audio", "agent": "realtime:m", "turn_detection": "mine"}, "--turn-detection"),
        ({"speech": "audio", "agent": "realtime:m"}, "use --pace live"),
        ({"agent": "live:m", "backend_model": "b"}, "add --speech audio"),
        ({"agent": "live:m", "speech": "audio", "pace": "live"}, "--backend-model"),
        ({"speech": "loud"}, "--speech"),
        ({"speech": "audio", "noise": "no.wav", "agent": "rules"}, "no.wav cannot be read"),
    ],
)
def test_what_cannot_be_heard_is_refused_with_the_reason(
    tmp_path: Path, options: dict[str, Any], why: str
) -> None:
    asked = RunOptions(**{"out": tmp_path / "run", **options})
    with pytest.raises(UsageProblem, match=why):
        run_to_end(asked, quiet=True)


def test_without_a_synthesiser_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("of_program", "of_extra"):
        monkeypatch.setattr(f"assistant_gateway.sound.voice.{place}", lambda: iter(()))
    asked = RunOptions(agent="rules", speech="audio", out=tmp_path / "run")
    with pytest.raises(UsageProblem, match=r"^[^\n]*apt install espeak-ng[^\n]*$"):
        run_to_end(asked, quiet=True)
