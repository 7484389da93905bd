"""Whole runs with agents behind A2A: the example as a child, and others that misbehave."""

import json
import logging
import os
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.commands.run import Outcome, run_to_end
from evaluator.options import RunOptions
from evaluator.problems import InfraProblem, UsageProblem
from evaluator.report.overview import caveats
from evaluator.run.units import Played
from tests.assistant_gateway.a2a_peer import Json, answering, called, peer, said
from tests.conftest import free_port
from tests.evaluator.command_line import INFRA, INTERRUPTED, ROOT, codriver, started
from tests.evaluator.runs import BY_ID, WORLD, TaskSet, play

KEY = "sk-canary-0ddba11"
PLAYED = ("base_fog_lights", "settle_seat_heating", "limit_no_trunk", "ask_seat_heating")


def options(url: str, folder: Path, *task_ids: str) -> RunOptions:
    ids = task_ids or ("base_fog_lights",)
    return RunOptions(agent=f"a2a:{url}", task_ids=ids, broker="embedded", out=folder / "run")


def scenario(folder: Path, command: str, port: int) -> Path:
    file = folder / "scenario.toml"
    file.write_text(
        f'[agent_under_test]\nendpoint = "http://127.0.0.1:{port}"\ncmd = "{command}"\n'
        "[config]\ntasks_disambiguation_num_tasks = 1\n"
    )
    return file


async def rewards_of_the_rules() -> dict[str, float | None]:
    def figures(played: Played) -> tuple[str, float | None]:
        return played.unit.task.task_id, played.score.reward

    return dict(
        map(figures, await play(TaskSet([BY_ID[name] for name in PLAYED], WORLD), agent="rules"))
    )


async def test_the_example_agent_gets_the_rewards_of_the_rules(tmp_path: Path) -> None:
    port = free_port()
    agent = ROOT / "examples" / "a2a_agent.py"
    file = scenario(tmp_path, f"python {agent} --port {port}", port)
    options = ("--task-ids", ",".join(PLAYED), "--max-concurrency", 4, "--broker", "embedded")
    done = codriver("run", "--scenario", file, *options, "--json", folder=tmp_path)
    assert done.code == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["cost"]["agent"] == 0.0
    assert figures["usage"]["agent"]["requests"] == 0
    assert ["A2A" in note for note in figures["notes"]] == [True]
    socket.create_server(("127.0.0.1", port)).close()  # nobody is left there
    direct = await rewards_of_the_rules()
    assert figures["evaluated"] == len(PLAYED)
    assert figures["reward_mean"] == sum(direct[name] or 0 for name in PLAYED) / len(PLAYED)


def test_a_command_that_ends_too_early_ends_the_run(tmp_path: Path) -> None:
    port = free_port()
    file = scenario(tmp_path, f"{sys.executable} -c 'raise SystemExit(\\\"no key\\\")'", port)
    done = codriver("run", "--scenario", file, "--out", "mine", folder=tmp_path)
    assert (done.code, done.stdout) == (INFRA, "")
    assert "its command ended with code 1; it says why in mine/agent.log" in done.stderr
    assert (tmp_path / "mine" / "agent.log").read_text() == "no key\n"


def test_a_command_without_a_card_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    file = scenario(tmp_path, "sleep 30", free_port())
    done = codriver("run", "--scenario", file, "--agent-wait", 0.5, folder=tmp_path)
    assert done.code == INFRA
    assert "did not answer within 0.5 s" in done.stderr


def test_a_run_that_is_ended_takes_its_agent_along(tmp_path: Path) -> None:
    file = scenario(tmp_path, "sh -c 'echo $$ > pid; exec sleep 300'", free_port())
    pid = tmp_path / "pid"
    with started("run", "--scenario", file, folder=tmp_path) as run:
        while not pid.exists() or not pid.read_text().endswith("\n"):
            time.sleep(0.01)
        run.process.terminate()
        assert run.finish().code == INTERRUPTED
    assert_gone(int(pid.read_text()))


def assert_gone(pid: int) -> None:
    """A process that was killed is gone once the system has collected it, which may be later."""
    deadline = time.monotonic() + 20
    while is_there(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_without_an_agent_nothing_is_played(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(InfraProblem, match=f"no A2A agent answers at {url}"):
        run_to_end(options(url, tmp_path), quiet=True)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("127.0.0.1:8080", "is http://HOST:PORT"),
        ("ftp://host:1", "is http://HOST:PORT"),
        ("http://host:many", "is http://HOST:PORT"),
        (f"http://me:{KEY}@host:1", "carries a password"),
        (f"http://host:1/?key={KEY}", "carries a password or a query"),
    ],
)
def test_an_address_that_cannot_be_used_is_reported_at_once(
    url: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageProblem, match=problem) as caught:
        run_to_end(options(url, tmp_path), quiet=True)
    assert KEY not in str(caught.value)


def test_the_extra_is_named_when_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "a2a", None)
    with pytest.raises(UsageProblem, match=r"pip install '\.\[a2a\]'"):
        run_to_end(options("http://127.0.0.1:1", tmp_path), quiet=True)


# --- what it says


def outcome_of(answer: Json | int, folder: Path) -> Outcome:
    with peer(answer) as found:
        return run_to_end(options(found.url, folder), quiet=True)


def test_an_agent_that_breaks_down_has_failed_and_says_why(tmp_path: Path) -> None:
    error = {"error": {"code": -32603, "message": "out of tokens"}}
    outcome = outcome_of(error, tmp_path)
    [unit] = outcome.units
    assert unit.score.outcome == "failure"
    assert unit.score.reason == "agent_failed: the agent answered with an error: out of tokens"
    assert unit.score.failure is not None
    assert "out of tokens" in unit.score.failure.evidence
    assert outcome.figures.cost["agent"] is None


def test_an_agent_that_never_answers_has_failed_when_its_time_is_over(tmp_path: Path) -> None:
    with peer(None) as found:
        asked = replace(options(found.url, tmp_path), agent_timeout_s=0.3)
        [unit] = run_to_end(asked, quiet=True).units
    assert unit.score.outcome == "failure"
    assert unit.score.reason == "agent_failed: no answer within 0.3 s (--agent-timeout)"


def test_an_agent_that_refuses_us_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(InfraProblem, match="refuses messages: HTTP 401"):
        outcome_of(401, tmp_path)


def test_the_page_explains_how_to_read_the_figures(tmp_path: Path) -> None:
    outcome = outcome_of(said({"text": "No."}), tmp_path)
    [note] = outcome.figures.notes
    assert note in list(caveats(outcome.figures))
    assert outcome.figures.usage["agent"] is None, "it reported no usage"


def test_an_overloaded_agent_is_played_again_and_counted_apart(tmp_path: Path) -> None:
    outcome = outcome_of(503, tmp_path)
    [unit] = outcome.units
    assert (unit.score.outcome, unit.attempt) == ("infra_error", 2)
    assert "HTTP 503" in unit.score.reason


def test_words_beside_calls_are_recorded_and_not_spoken(tmp_path: Path) -> None:
    look = {"tool_name": "get_exterior_lights_status", "arguments": {}}

    def answer(asked: Json) -> Json:
        message = asked["params"]["message"]
        if message["metadata"]["source"] == "environment":
            return said({"text": "All done."}, context_id=message["contextId"])
        return said({"text": "Let me look."}, called(look), context_id=message["contextId"])

    with answering(answer) as found:
        run_to_end(options(found.url, tmp_path), quiet=True)
    unit = codriver(
        "view", tmp_path / "run", "--unit", "base_fog_lights", "--json", folder=tmp_path
    )
    lines = json.loads(unit.stdout)["timeline"]
    spoken = {
        line["text"]: line["detail"]["heard_ns"]
        for line in lines
        if line["who"] == "agent" and line["what"] == "said"
    }
    assert spoken["Let me look."] is None
    assert spoken["All done."] is not None


# --- secrets


def test_the_key_is_nowhere(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("CODRIVER_AGENT_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-agents")
    thought = {"data": {"reasoning_content": f"I was given {KEY}."}}
    called_it = called({"tool_name": "send_email", "arguments": {"content_message": KEY}})
    error = {"error": {"code": -32603, "message": f"bad key {KEY}"}}
    with peer(said({"text": f"{KEY}?"}, thought, called_it), error) as found:
        run_to_end(options(found.url, tmp_path), quiet=False)
        sent = {headers.get("authorization") for headers in found.headers}
    assert sent == {f"Bearer {KEY}"}
    printed = capfd.readouterr()
    for text in (printed.out, printed.err, caplog.text):
        assert KEY not in text
    files = [file for file in (tmp_path / "run").rglob("*") if file.is_file()]
    assert files
    for file in files:
        assert KEY.encode() not in file.read_bytes()
