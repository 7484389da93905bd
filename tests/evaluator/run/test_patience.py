"""`--patience`: whoever is slow is waited for, and how long it took is not judged."""

from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from assistant_gateway.mock_llm.script import as_script
from assistant_gateway.models.model import RetryPolicy
from assistant_gateway.timing.timeline import SECOND
from evaluator.commands.compare import compare_runs
from evaluator.commands.run import run_and_print, run_to_end
from evaluator.options import RunOptions
from evaluator.problems import UsageProblem
from evaluator.report.report import report
from evaluator.results.store import UnitResult
from evaluator.run.drivers import patient
from tests.evaluator.model_server import model_server
from user_sim.script import DriverBrief, Script

PLAYED = ("base_fog_lights", "limit_no_trunk")
NOT_JUDGED = "not judged, because this run used --patience"
SLOW = """\
source: somebody who thinks for two minutes before each answer
shift_ms: 120000
median_ms: 1
sigma: 0.1
session_sigma: 0
cap_ms: 130000
tokens_per_s: 0
"""


@pytest.fixture
def slow(tmp_path: Path) -> str:
    """The latency profile of an agent that needs two minutes for each answer."""
    profile = tmp_path / "slow.yaml"
    profile.write_text(SLOW)
    return str(profile)


def options(slow: str, folder: Path, **more: Any) -> RunOptions:
    asked: dict[str, Any] = {
        "pace": "virtual",
        "latency_profile": slow,
        "task_ids": PLAYED,
        "broker": "embedded",
        "out": folder,
    }
    return RunOptions(**{**asked, **more})


def played(asked: RunOptions) -> list[UnitResult]:
    return run_to_end(asked, quiet=True).units


def test_an_agent_that_answers_after_two_minutes_is_given_up_unless_there_is_patience(
    slow: str, tmp_path: Path
) -> None:
    assert {unit.score.outcome for unit in played(options(slow, tmp_path / "a"))} == {"failure"}
    patient_run = played(options(slow, tmp_path / "b", patience_s=600))
    assert {unit.score.outcome for unit in patient_run} == {"success"}
    for unit in patient_run:
        assert (unit.score.components["r_realtime"], unit.score.reward_in_time) == (None, None)
        for turn in unit.score.turns:
            assert turn.spans["upl"] is not None
            assert turn.spans["upl"] > 100 * SECOND
            assert not turn.judged
            assert not turn.hard_miss


def test_a_patient_run_says_everywhere_that_latencies_are_not_judged(
    slow: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = options(slow, tmp_path / "a", patience_s=600)
    run_and_print(asked, as_json=False)
    table = capsys.readouterr().out
    assert f"latencies {NOT_JUDGED}" in " ".join(table.split())
    assert "in time 0" not in table
    assert "too late;" not in table
    run_and_print(options(slow, tmp_path / "b", patience_s=600), as_json=True)
    figures = orjson.loads(capsys.readouterr().out)
    assert (figures["patience_s"], figures["in_time_mean"]) == (600, None)
    assert (figures["pass_hat_k_in_time"], figures["budget"]["turns"]) == ({}, 0)
    assert any(NOT_JUDGED in note for note in figures["notes"])
    report(tmp_path / "a", tmp_path / "page.html", as_json=False)
    page = (tmp_path / "page.html").read_text()
    assert NOT_JUDGED in page
    assert "Solved in time" not in page
    capsys.readouterr()
    runs = (tmp_path / "a", tmp_path / "b")
    compare_runs(*runs, force=False, gate=False, as_json=True)
    found = orjson.loads(capsys.readouterr().out)
    assert (found["in_time"], len(found["latencies_not_judged"])) == (None, 2)
    compare_runs(*runs, force=False, gate=False, as_json=False)
    assert NOT_JUDGED in " ".join(capsys.readouterr().out.split())


def test_patience_is_in_the_manifest_and_a_run_is_resumed_with_the_same(
    slow: str, tmp_path: Path
) -> None:
    outcome = run_to_end(options(slow, tmp_path / "a", patience_s=600), quiet=True)
    assert outcome.manifest.conditions["patience_s"] == 600
    with pytest.raises(UsageProblem, match="patience_s"):
        run_to_end(options(slow, tmp_path / "a", resume=True), quiet=True)


@pytest.mark.parametrize("reaction", ["nudge", "end"])
def test_patience_and_a_hard_limit_that_ends_turns_exclude_each_other(
    reaction: str, slow: str, tmp_path: Path
) -> None:
    asked = options(slow, tmp_path, patience_s=600, on_hard_limit=reaction)
    with pytest.raises(UsageProblem, match=f"--on-hard-limit {reaction}"):
        run_to_end(asked, quiet=True)


def test_an_impatient_driver_asks_no_earlier_than_patience_ends() -> None:
    brief = DriverBrief(instruction="", script=Script(opening="Hi.", impatient_after_s=6))
    for patience_s, expected_s in ((None, 6), (2, 6), (600, 600)):
        script = patient(brief, patience_s).script
        assert script is not None
        assert script.impatient_after_s == expected_s


def test_a_driver_behind_a_slow_model_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers take longer than the usual limits, which are made short here."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-51c0ffee")
    hasty = RetryPolicy(timeout_s=0.05, attempts=1)
    monkeypatch.setattr("evaluator.run.drivers.RETRY", hasty)
    monkeypatch.setattr("evaluator.run.drivers.DEADLINE_S", 0.05)
    rules = yaml.safe_load(Path("examples/mock_driver.yaml").read_text())["rules"]
    rules = [{**rule, "after_s": 0.3, "fault": "slow"} for rule in rules]
    with model_server(as_script({"rules": rules})) as model:
        outcome = run_to_end(
            RunOptions(
                user="llm:mock",
                user_base_url=model.url,
                task_ids=PLAYED,
                broker="embedded",
                patience_s=20,
                out=tmp_path,
            ),
            quiet=True,
        )
    assert [unit.score.outcome for unit in outcome.units] == ["success", "success"]
