"""Whole runs with an agent behind a model API: a mock model over real sockets."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant_gateway.agents.rules.agent import respond
from assistant_gateway.mock_llm.player import AssistantPlayer
from assistant_gateway.mock_llm.script import as_script
from assistant_gateway.mock_llm.server import MockModel
from evaluator.commands.run import Outcome, run_to_end
from evaluator.commands.view import show as view
from evaluator.options import RunOptions
from evaluator.problems import InfraProblem, UsageProblem
from tests.evaluator.command_line import INFRA, codriver
from tests.evaluator.model_server import model_server
from tests.evaluator.runs import TASKS

KEY = "sk-canary-0ddba11"
# What a moving car tells depends on the moment it is asked, and so does what the model reads.
STANDING = sorted(task.task_id for task in TASKS if not task.car.motion)
SOME = tuple(STANDING[::24])
ONE = ("base_fog_lights",)
APIS = ("openai", "realtime")
CONNECTING = {"when": {"connecting": True}}


@pytest.fixture(autouse=True)
def _only_our_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture(scope="module")
def rules_model() -> Iterator[MockModel]:
    """A model that is played by the rules agent."""
    with model_server(AssistantPlayer("rules", respond)) as model:
        yield model


def run(folder: Path, agent: str, model: MockModel | None = None, **more: Any) -> Outcome:
    asked: dict[str, Any] = {
        "agent": agent,
        "broker": "embedded",
        "max_concurrency": 16,
        "task_ids": SOME,
        "out": folder,
        "base_url": model.url if model else None,
    }
    return run_to_end(RunOptions(**{**asked, **more}), quiet=True)


def scripted(api: str, folder: Path, *rules: Any, **more: Any) -> Outcome:
    """One task with an agent whose model plays these rules."""
    with model_server(as_script({"rules": list(rules)})) as model:
        return run(folder, f"{api}:mock", model, task_ids=ONE, **more)


def earned(outcome: Outcome) -> dict[str, tuple[float | None, str]]:
    """Rewards and why they were lost; whether a success was in time differs from run to run."""
    scores = {unit.task_id: unit.score for unit in outcome.units}
    return {name: (it.reward, "" if it.reward else it.reason) for name, it in scores.items()}


def test_rules_behind_an_api_earn_what_rules_earn(rules_model: MockModel, tmp_path: Path) -> None:
    directly = run(tmp_path / "rules", "rules")
    behind = [run(tmp_path / api, f"{api}:mock", rules_model) for api in APIS]
    assert len(directly.units) == len(SOME) >= 9
    assert [earned(outcome) for outcome in behind] == [earned(directly)] * 2
    chat, realtime = (outcome.figures.usage["agent"] for outcome in behind)
    assert chat == realtime
    assert chat is not None
    assert chat.requests > len(SOME)
    assert chat.retries == 0


@pytest.mark.parametrize(("api", "when"), [("openai", {}), ("realtime", CONNECTING)])
def test_a_key_that_is_refused_ends_the_run_with_advice(
    api: str, when: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(InfraProblem, match="check the key") as caught:
        scripted(api, tmp_path / "run", {**when, "fault": 401})
    assert KEY not in str(caught.value)


def test_a_run_that_ends_on_the_way_says_what_is_stored_and_how_to_go_on(tmp_path: Path) -> None:
    played = [{"when": {which: "fog light"}, "say": "No."} for which in ("last", "any")]
    with model_server(as_script({"rules": [*played, {"fault": 401}]})) as model:
        options = (
            *("run", "--agent", "openai:mock", "--base-url", model.url, "--max-concurrency", 1),
            *("--task-ids", "base_fog_lights,settle_fan", "--broker", "embedded", "--out", "mine"),
        )
        done = codriver(*options, folder=tmp_path)
    assert done.code == INFRA
    last = done.stderr.splitlines()[-1]
    assert "check the key" in last
    assert last.endswith("; stored: 1 unit; go on with codriver run --out mine --resume")


@pytest.mark.parametrize(("api", "when"), [("openai", {}), ("realtime", CONNECTING)])
def test_a_model_that_is_away_is_an_infrastructure_error(
    api: str, when: dict[str, Any], tmp_path: Path
) -> None:
    down = {**when, "fault": 503, "say": "Come back later."}
    outcome = scripted(api, tmp_path / "run", down)
    [unit] = outcome.units
    assert (unit.score.outcome, unit.attempt) == ("infra_error", 2)
    assert "HTTP 503: Come back later." in unit.score.reason
    assert outcome.figures.evaluated == 0


def test_a_rate_limit_that_passes_costs_an_attempt(tmp_path: Path) -> None:
    outcome = scripted("realtime", tmp_path / "run", {"fault": 429, "at_most": 1}, {"say": "No."})
    [unit] = outcome.units
    assert (unit.score.outcome, unit.attempt) == ("failure", 1)


@pytest.mark.parametrize("api", APIS)
def test_a_request_that_is_refused_is_the_agents_failure(api: str, tmp_path: Path) -> None:
    outcome = scripted(api, tmp_path / "run", {"fault": 400, "say": "Too long."})
    [unit] = outcome.units
    assert unit.score.outcome == "failure"
    assert "agent_failed" in unit.score.reason


def test_address_and_options_of_the_model_are_in_the_manifest(tmp_path: Path) -> None:
    fields = {"reasoning_effort": "low", "extra_body": '{"top_p": 0.5}'}
    with model_server(as_script({"otherwise": {"say": "No."}})) as model:
        manifest = run(tmp_path / "run", "openai:mock", model, task_ids=ONE, **fields).manifest
        assert manifest.options["models_at"] == {"agent": model.url}
        assert manifest.agent_options == {"reasoning_effort": "low", "top_p": 0.5}
        with pytest.raises(UsageProblem, match="agent_options"):
            run(tmp_path / "run", "openai:mock", model, task_ids=ONE, resume=True)


def test_options_of_a_model_are_refused_for_an_agent_without_one(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="not for reference"):
        run(tmp_path / "run", "reference", temperature=0.0)


@pytest.mark.parametrize("api", APIS)
def test_the_key_is_nowhere(
    api: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    leaky = (
        {"fault": 500, "say": f"upstream refused {KEY}", "at_most": 1},
        {"fault": 429, "say": f"{KEY} is too fast", "at_most": 1},
        {"tool_calls": [{"name": "get_weather", "arguments": {"place": KEY}}], "at_most": 1},
        {"fault": "malformed", "tool_calls": [{"name": KEY}], "at_most": 1},
        {"say": f"My key is {KEY}."},
    )
    scripted(api, tmp_path / "run", *leaky)
    view(tmp_path / "run", None, digest=False, as_json=True)
    files = [file for file in (tmp_path / "run").iterdir() if file.is_file()]
    assert files
    printed = capfd.readouterr()
    for text in (printed.out, printed.err, caplog.text):
        assert KEY not in text
    for file in files:
        assert KEY.encode() not in file.read_bytes()
