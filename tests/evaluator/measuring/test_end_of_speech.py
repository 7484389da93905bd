"""Ends of speech that a server finds are compared with the true ones."""

import subprocess
import sys
from array import array
from pathlib import Path
from random import Random

import pytest
from openai import AsyncOpenAI

from assistant_gateway.mock_llm.script import as_script
from assistant_gateway.mock_llm.server import mock_llm
from assistant_gateway.sound.gate import MS, Interval
from assistant_gateway.sound.pcm import RATE
from assistant_gateway.sound.sound import Sound
from assistant_gateway.sound.word_times import spread
from evaluator.measuring.end_of_speech import (
    Placed,
    end_of_speech,
    judged,
    one_after_the_other,
)
from tests.assistant_gateway.sound.test_gate import quiet
from tests.evaluator.command_line import LIMIT_S, ROOT, USAGE, environment

LASTS_MS = 1200


def utterance(number: int, pause_ms: int = 0) -> Sound:
    """Two stretches of speech around a pause, and a silence behind them."""
    chance = Random(number)
    half = array("h", (chance.randint(-3000, 3000) for _ in range(RATE * LASTS_MS // 2000)))
    ends_ms = LASTS_MS + pause_ms
    words = tuple(spread(["Open", "it."], Interval(0, ends_ms * MS)))
    return Sound(half + quiet(pause_ms) + half + quiet(200), words)


def test_the_first_end_of_each_utterance_counts() -> None:
    placed = [Placed(1000 * n, 1000 * n + 400, 1000 * n + 900) for n in range(5)]
    found = judged("car", 10, placed, [500, 700, 1200, 1600, 3950, 4410])
    assert (found.cut_early, found.never) == (1 / 5, 2 / 5)
    assert (found.delay_p50_ms, found.delay_p95_ms) == (10, 100)
    assert str(found) == "| car, 10 dB | 20 % | 40 % | 10 / 100 |"


def test_the_true_end_is_that_of_the_last_word() -> None:
    _, (first, second) = one_after_the_other([utterance(1), utterance(2)])
    assert first.ends_ms - first.begins_ms == pytest.approx(LASTS_MS)
    assert second.begins_ms == pytest.approx(first.ends_ms + 200 + 4000, abs=1)


async def measured(*sounds: Sound, silence_ms: int) -> tuple[list[float], list[float | None]]:
    """Without noise, and with speech 20 dB above that of a closed car: cut early, and delays."""
    async with (
        mock_llm(as_script({"rules": []})) as model,
        AsyncOpenAI(api_key="k", base_url=model.url) as client,
    ):
        found = await end_of_speech(client, "mock", sounds, [20], silence_ms=silence_ms)
    return [each.cut_early for each in found], [each.delay_p50_ms for each in found]


async def test_a_gate_is_as_late_as_the_silence_that_it_waits_for() -> None:
    early, delays_ms = await measured(utterance(1), utterance(2), silence_ms=400)
    assert early == [0, 0, 0]
    assert delays_ms == pytest.approx([400] * 3, abs=60)


async def test_a_pause_in_what_is_said_is_taken_for_its_end() -> None:
    early, _ = await measured(utterance(1, pause_ms=500), utterance(2), silence_ms=400)
    assert early == [0.5, 0.5, 0.5]


def test_without_a_synthesiser_the_script_ends_as_commands_do(tmp_path: Path) -> None:
    (tmp_path / "espeakng_loader").mkdir()
    (tmp_path / "espeakng_loader" / "__init__.py").touch()  # without a library
    nothing_speaks = {"PATH": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "end_of_speech"],
        env=environment(**nothing_speaks),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.returncode == USAGE
    assert "end_of_speech: no speech synthesiser is installed" in done.stderr
