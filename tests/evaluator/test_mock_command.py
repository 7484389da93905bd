"""`codriver mock-llm` as people start it, and a run beside it: processes of their own."""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from openai import OpenAI

from evaluator.mock_command import MockOptions, serve
from evaluator.problems import UsageProblem
from tests.evaluator.command_line import ROOT, Running, codriver, started

EXAMPLE = ROOT / "examples" / "mock_driver.yaml"


@contextmanager
def mock_llm(script: Path) -> Iterator[tuple[Running, str]]:
    """The command and the base URL it printed."""
    with started("mock-llm", "--script", script, folder=script.parent) as running:
        assert running.process.stdout is not None
        yield running, running.process.stdout.readline().strip()


def test_it_prints_its_address_answers_and_ends_with_an_interrupt(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("otherwise: {say: Good morning.}\n")
    with mock_llm(script) as (running, url):
        with OpenAI(base_url=url, api_key="k", max_retries=0, timeout=10) as client:
            answer = client.chat.completions.create(
                model="any", messages=[{"role": "user", "content": "Hello"}]
            )
        running.process.send_signal(signal.SIGINT)
        ended = running.finish()
    assert answer.choices[0].message.content == "Good morning."
    assert "Traceback" not in ended.stderr


def test_the_example_works_as_its_first_lines_say(tmp_path: Path) -> None:
    with mock_llm(EXAMPLE) as (_, url):
        played = codriver(
            *("run", "--user", "llm:mock", "--judge", "mock", "--broker", "embedded", "--json"),
            *("--task-ids", "ask_seat_heating,base_fog_lights,limit_no_trunk"),
            folder=tmp_path,
            OPENAI_BASE_URL=url,
        )
    assert played.code == 0, played.stderr
    figures = json.loads(played.stdout)
    assert (figures["evaluated"], figures["reward_mean"]) == (3, 1.0)
    assert figures["usage"]["user"]["requests"] >= 6


def test_a_script_with_a_mistake_says_where(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("rules: [{say: x, wen: {}}]\n")
    with pytest.raises(UsageProblem, match=r"--script: .*rules\.0\.wen"):
        serve(MockOptions(script))
