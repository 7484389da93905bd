"""`codriver mock-llm` as people start it, and a run beside it: processes of their own."""

import asyncio
import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from openai import OpenAI

from evaluator.commands.mock_llm import serve, voice_of_model
from evaluator.options import MockOptions
from evaluator.problems import UsageProblem
from tests.evaluator.command_line import INFRA, ROOT, Running, codriver, started

EXAMPLE = ROOT / "examples" / "mock_driver.yaml"


@contextmanager
def mock_llm(*options: object, folder: Path) -> Iterator[tuple[Running, str]]:
    """The command and the base URL it printed."""
    with started("mock-llm", *options, folder=folder) as running:
        assert running.process.stdout is not None
        yield running, running.process.stdout.readline().strip()


def test_it_prints_its_address_answers_and_ends_with_an_interrupt(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("otherwise: {say: Good morning.}\n")
    with mock_llm("--script", script, folder=tmp_path) as (running, url):
        with OpenAI(base_url=url, api_key="k", max_retries=0, timeout=10) as client:
            answer = client.chat.completions.create(
                model="any", messages=[{"role": "user", "content": "Hello"}]
            )
        running.process.send_signal(signal.SIGINT)
        ended = running.finish()
    assert answer.choices[0].message.content == "Good morning."
    assert "Traceback" not in ended.stderr


def test_without_a_synthesiser_it_says_that_it_is_in_text_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for place in ("of_program", "of_extra"):
        monkeypatch.setattr(f"assistant_gateway.sound.voice.{place}", lambda: iter(()))
    assert asyncio.run(voice_of_model(MockOptions(agent="rules"))) is None
    assert capsys.readouterr().err.startswith("in text only: no speech synthesiser is installed")
    with pytest.raises(UsageProblem, match="--lead-in-ms: no speech synthesiser"):
        asyncio.run(voice_of_model(MockOptions(agent="rules", lead_in_ms=120)))


def test_the_example_works_as_its_first_lines_say(tmp_path: Path) -> None:
    with mock_llm("--script", EXAMPLE, folder=tmp_path) as (_, url):
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


def test_a_port_nobody_can_listen_at_is_reported_in_one_line(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("otherwise: {say: Good morning.}\n")
    with mock_llm("--script", script, folder=tmp_path) as (_, url):
        port = url.split(":")[2].partition("/")[0]
        taken = codriver("mock-llm", "--agent", "rules", "--port", port, folder=tmp_path)
    nowhere = codriver("mock-llm", "--agent", "rules", "--host", "no.invalid", folder=tmp_path)
    for done, why in ((taken, "address already in use"), (nowhere, "no.invalid cannot be used")):
        assert (done.code, done.stdout, done.stderr.count("\n")) == (INFRA, "", 1)
        assert why in done.stderr
        assert "while attempting" not in done.stderr


def test_a_script_with_a_mistake_says_where(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("rules: [{say: x, wen: {}}]\n")
    with pytest.raises(UsageProblem, match=r"--script: .*rules\.0\.wen"):
        serve(MockOptions(script=script))


def test_an_assistant_can_play_the_model_as_slow_as_a_profile(tmp_path: Path) -> None:
    options = ("--agent", "rules", "--latency-profile", "lpu_fast", "--seed", 3)
    with (
        mock_llm(*options, folder=tmp_path) as (_, url),
        OpenAI(base_url=url, api_key="k", max_retries=0, timeout=10) as client,
    ):
        answer = client.chat.completions.create(
            model="any", messages=[{"role": "user", "content": "Hello"}]
        )
        assert [model.id for model in client.models.list()] == ["rules"]
    assert answer.choices[0].message.content


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (MockOptions(), "either --script FILE or --agent rules"),
        (MockOptions(script=EXAMPLE, agent="rules"), "either --script FILE or --agent rules"),
        (MockOptions(agent="claims"), "--agent is rules, not 'claims'"),
        (MockOptions(script=Path("nowhere.yaml")), "--script: nowhere.yaml cannot be read"),
        (MockOptions(script=EXAMPLE, latency_profile="slowish"), "--latency-profile: expected one"),
        (
            MockOptions(script=EXAMPLE, latency_profile="cloud_fast", first_token_ms=500),
            "either --latency-profile or --first-token-ms",
        ),
    ],
)
def test_options_that_make_no_sense_say_so(options: MockOptions, problem: str) -> None:
    with pytest.raises(UsageProblem, match=problem):
        serve(options)
