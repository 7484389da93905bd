import asyncio
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from evaluator.run.units import bench
from tests.assistant_gateway.chat_server import chat_server, said
from tests.evaluator.command_line import INFRA, USAGE, Here, started
from tests.evaluator.runs import BY_ID, WORLD, play_units, settings

KEY = "canary-7f3"
NOWHERE = "ws://127.0.0.1:9"


@pytest.fixture
def whole() -> Iterator[ExitStack]:
    """For what outlives a part of the test."""
    with ExitStack() as stack:
        yield stack


async def test_an_agent_serves_a_gateway_that_runs_elsewhere(tmp_path: Path) -> None:
    async with bench(settings(agent="ws", pace="fast"), WORLD) as up:
        options = ("agent", "refuse", "--gateway", up.gateway.url, "--sockets", 2)
        token = {"CODRIVER_TOKEN": up.gateway.tokens.agent}
        with started(*options, folder=tmp_path, **token) as running:
            (played,) = await play_units(up, [BY_ID["limit_no_trunk"]])
            assert played.score.outcome == "failure"
            running.process.send_signal(signal.SIGTERM)
            assert (await asyncio.to_thread(running.finish)).code == 0


async def test_its_model_is_asked_as_the_options_say(tmp_path: Path) -> None:
    options = ("--temperature", 0.3, "--reasoning-effort", "low", "--extra-body", '{"top_p": 0.9}')
    async with (
        chat_server(said("Hello."), said("Bye."), said("Bye.")) as model,
        bench(settings(agent="ws", pace="fast"), WORLD) as up,
    ):
        at = ("--gateway", up.gateway.url, "--base-url", model.url)
        keys = {"CODRIVER_TOKEN": up.gateway.tokens.agent, "OPENAI_API_KEY": KEY}
        with started("agent", "openai:any", *at, *options, folder=tmp_path, **keys):
            await play_units(up, [BY_ID["limit_no_trunk"]])
    asked = model.requests[0]
    sent = {name: asked[name] for name in ("temperature", "reasoning_effort", "top_p")}
    assert sent == {"temperature": 0.3, "reasoning_effort": "low", "top_p": 0.9}


async def test_it_ends_when_the_gateway_does(tmp_path: Path, whole: ExitStack) -> None:
    async with bench(settings(agent="ws", pace="fast"), WORLD) as up:
        options = ("agent", "refuse", "--gateway", f"{up.gateway.url}/agent")
        token = {"CODRIVER_TOKEN": up.gateway.tokens.agent}
        running = whole.enter_context(started(*options, folder=tmp_path, **token))
        await up.gateway.agents_connected()
    done = await asyncio.to_thread(running.finish)
    assert (done.code, done.stderr.splitlines()[-1]) == (0, "the gateway closed the connection")


async def test_a_wrong_token_is_reported_and_never_shown(tmp_path: Path) -> None:
    async with bench(settings(agent="ws", pace="fast"), WORLD) as up:
        options = ("agent", "null", "--gateway", up.gateway.url)
        with started(*options, folder=tmp_path, CODRIVER_TOKEN=KEY) as running:
            done = await asyncio.to_thread(running.finish)
    assert done.code == INFRA
    assert "refused the token" in done.stderr.splitlines()[-1]
    assert KEY not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("null", "--gateway", NOWHERE), INFRA, "no gateway answers"),
        (("openai:any", "--gateway", NOWHERE), INFRA, "no gateway answers"),
        (("null", "--gateway", "127.0.0.1"), USAGE, "ws://HOST:PORT"),
        (("reference", "--gateway", NOWHERE), USAGE, "follows the plan of a task"),
        (("ws", "--gateway", NOWHERE), USAGE, "a program of your own"),
        (("replay:mine", "--gateway", NOWHERE), USAGE, "replay:mine#TASK"),
        (("somebody", "--gateway", NOWHERE), USAGE, "--agent is one of"),
        (("null", "--gateway", NOWHERE, "--temperature", 1), USAGE, "not for null"),
        (
            ("a2a:http://h:1", "--gateway", NOWHERE, "--latency-profile", "cloud_fast"),
            USAGE,
            "a2a:http://h:1 takes its own time",
        ),
    ],
)
def test_what_keeps_it_from_serving_is_one_line(
    arguments: tuple[str, ...], code: int, message: str, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODRIVER_TOKEN", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    done = here("agent", *arguments)
    assert done.code == code
    assert message in done.stderr.splitlines()[-1]
    assert KEY not in done.stdout + done.stderr


def test_without_a_token_it_says_where_one_belongs(here: Here) -> None:
    done = here("agent", "null", "--gateway", NOWHERE)
    assert (done.code, "CODRIVER_TOKEN" in done.stderr) == (USAGE, True)
