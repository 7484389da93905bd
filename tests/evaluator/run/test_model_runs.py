"""Whole runs with a driver and a judge behind a model API: a mock model over real sockets."""

import asyncio
import io
import logging
import shutil
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import orjson
import pytest

from assistant_gateway.mock_llm.script import as_script, read_script
from assistant_gateway.mock_llm.server import MockModel
from evaluator.commands.run import Outcome, run_to_end
from evaluator.commands.score import rescore
from evaluator.commands.view import show as view
from evaluator.options import RunOptions
from evaluator.problems import InfraProblem, UsageProblem
from evaluator.results.store import open_store
from evaluator.run.models import judging
from evaluator.scoring.judgements import Judged
from tests.evaluator.model_server import model_server

EXAMPLE = Path("examples/mock_driver.yaml")
KEY = "sk-canary-51c0ffee"
PLAYED = ("ask_seat_heating", "base_fog_lights", "limit_no_trunk")
JUDGE = {"when": {"schema": "policy_verdict"}}
FOLLOWED = {**JUDGE, "json": {"reason": "As it should be.", "followed": True}}


def served(*rules: Any) -> AbstractContextManager[MockModel]:
    """Serve rules, or the example."""
    return model_server(as_script({"rules": list(rules)}) if rules else read_script(EXAMPLE))


@pytest.fixture(autouse=True)
def _only_our_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def options(model: MockModel, folder: Path, **more: Any) -> RunOptions:
    asked: dict[str, Any] = {
        "user": "llm:mock",
        "task_ids": PLAYED,
        "broker": "embedded",
        "out": folder,
        "user_base_url": model.url,
        "judge_base_url": model.url,
    }
    return RunOptions(**{**asked, **more})


def reasons(outcome: Outcome) -> dict[str, str]:
    return {unit.task_id: f"{unit.score.outcome}: {unit.score.reason}" for unit in outcome.units}


def stored_judgements(folder: Path, profile: str = "codriver") -> list[Judged]:
    async def read() -> list[Judged]:
        async with open_store(folder) as store:
            return await store.judged(profile)

    return asyncio.run(read())


def test_the_example_plays_whole_episodes_with_driver_and_judge(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("mock: {input: 1.0, output: 2.0}\n")
    with served() as model:
        outcome = run_to_end(
            options(model, tmp_path / "run", judge="mock", prices=prices, profile="car-bench"),
            quiet=True,
        )
    assert {unit.task_id: unit.score.outcome for unit in outcome.units} == dict.fromkeys(
        PLAYED, "success"
    ), reasons(outcome)
    assert outcome.manifest.user == "llm:mock"
    assert {"driver/driver.md", "driver/endings.yaml", "judge"} <= set(outcome.manifest.prompts)
    assert all(unit.script is None for unit in outcome.units)
    figures = outcome.figures.model_dump()
    assert figures["judge"]["judge"].startswith("mock@")
    assert figures["judge"]["judged"] == figures["judge"]["asked"] > 0
    assert figures["policy_coverage"]["decided"] == figures["policy_coverage"]["applicable"]
    assert figures["reward_mean"] == 1.0
    assert figures["cost"]["agent"] == 0.0
    assert figures["cost"]["user"] > 0
    assert figures["cost"]["judge"] > 0
    assert figures["usage"]["user"]["requests"] >= 2 * len(PLAYED)


def test_an_unknown_price_leaves_the_cost_open_and_counts_the_tokens(tmp_path: Path) -> None:
    with served() as model:
        outcome = run_to_end(options(model, tmp_path / "run"), quiet=True)
    assert outcome.figures.cost["user"] is None
    usage = outcome.figures.usage["user"]
    assert usage is not None
    assert usage.input_tokens
    assert outcome.figures.judge is None


def test_a_driver_that_breaks_its_script_is_nobody_elses_fault(tmp_path: Path) -> None:
    nonsense = {"reason": "why not", "word": "CONTINUE", "say": "Drive me to Atlantis at 25."}
    with served({"json": nonsense}) as model:
        outcome = run_to_end(options(model, tmp_path / "run", task_ids=PLAYED[:1]), quiet=True)
    [unit] = outcome.units
    assert unit.score.outcome == "user_error"
    assert "the driver broke its script twice: 25 was never mentioned" in unit.score.reason
    assert outcome.figures.evaluated == 0


def test_a_driver_that_ends_too_early_is_repaired(tmp_path: Path) -> None:
    leaves = {"reason": "bored", "word": "STOP", "say": ""}
    hasty = {"when": {"system": "seat heating", "turn": 2}, "json": leaves, "at_most": 1}
    with served(hasty, *example_rules()) as model:
        outcome = run_to_end(options(model, tmp_path / "run", task_ids=PLAYED[:1]), quiet=True)
        assert model.player.used[0] == 1
    assert outcome.units[0].score.outcome == "success", reasons(outcome)


def test_a_key_that_is_refused_ends_the_run_with_advice(tmp_path: Path) -> None:
    with (
        served({"fault": 401}) as model,
        pytest.raises(InfraProblem, match="check the key") as caught,
    ):
        run_to_end(options(model, tmp_path / "run", task_ids=PLAYED[:1]), quiet=True)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pace": "virtual"}, "needs a driver that keeps lockstep"),
        ({"user": "llm:"}, "--user is one of scripted, human, llm:MODEL"),
        ({"prices": Path("nowhere.yaml")}, "--prices"),
    ],
)
def test_what_cannot_work_is_reported_before_anything_is_played(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    asked = RunOptions(**{"user": "llm:mock", "out": tmp_path / "run", **change})
    with pytest.raises(UsageProblem, match=message):
        run_to_end(asked, quiet=True)


def test_without_a_key_nothing_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageProblem, match="set OPENAI_API_KEY"):
        run_to_end(RunOptions(user="llm:mock", out=tmp_path / "run"), quiet=True)


# --- the judge, over a stored run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the reference agent, played without a judge."""
    folder = tmp_path_factory.mktemp("judged") / "run"
    run_to_end(
        RunOptions(task_ids=PLAYED, pace="virtual", broker="embedded", out=folder), quiet=True
    )
    return folder


def judge(folder: Path, model: MockModel, concurrency: int = 4) -> dict[str, Any]:
    """`codriver score FOLDER --profile car-bench --judge mock --json`, with its output."""
    judges = judging("mock", model.url, None, concurrency, quiet=True)
    with pytest.MonkeyPatch.context() as patched:
        out = io.StringIO()
        patched.setattr("sys.stdout", out)
        rescore(folder, "car-bench", None, None, None, judges, as_json=True)
    figures: dict[str, Any] = orjson.loads(out.getvalue())
    return figures


def copied(run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(run, tmp_path / "copy"))


def test_a_stored_run_is_judged_without_playing_it_again(run: Path, tmp_path: Path) -> None:
    folder = copied(run, tmp_path)
    with served(FOLLOWED) as model:
        figures = judge(folder, model)
        asked = model.requests
        again = judge(folder, model)
        assert model.requests == asked, "what is judged is not asked for again"
    assert figures["judge"]["judged"] == asked > 0
    assert again["reward_mean"] == figures["reward_mean"] == 1.0


def test_a_verdict_of_the_judge_costs_the_reward(run: Path, tmp_path: Path) -> None:
    folder = copied(run, tmp_path)
    broken = {**JUDGE, "json": {"reason": "Twelve-hour times.", "followed": False}}
    with served(broken) as model:
        figures = judge(folder, model)
    assert figures["by_type"]["base"]["reward_mean"] == 0.0
    assert figures["by_type"]["hallucination"]["reward_mean"] == 1.0, "rules do not count there"


@pytest.mark.parametrize("fault", ["malformed", "refusal", 422])
def test_a_judge_without_a_verdict_is_counted_and_changes_nothing(
    fault: Any, run: Path, tmp_path: Path
) -> None:
    folder = copied(run, tmp_path)
    with served({**JUDGE, "fault": fault}) as model:
        figures = judge(folder, model)
    assert figures["judge"]["judged"] == 0
    assert figures["judge"]["not_judged"] == figures["judge"]["asked"] > 0
    assert figures["by_type"]["base"]["reward_mean"] is None
    assert figures["by_type"]["base"]["reward_coded_mean"] == 1.0
    with served(FOLLOWED) as model:
        assert judge(folder, model)["judge"]["not_judged"] == 0, "what failed is asked for again"


def test_judging_goes_on_where_it_was_broken_off(run: Path, tmp_path: Path) -> None:
    folder = copied(run, tmp_path)
    with served({**FOLLOWED, "at_most": 1}, {"fault": 401}) as model:
        with pytest.raises(InfraProblem, match="check the key"):
            judge(folder, model, concurrency=1)
        assert len(stored_judgements(folder, "car-bench")) == 1
    with served(FOLLOWED) as model:
        figures = judge(folder, model)
        assert model.requests == figures["judge"]["asked"] - 1


def test_scoring_again_hears_the_judge_that_was_heard_last(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(run, tmp_path)
    with served(FOLLOWED) as model:
        judged = judge(folder, model)
    rescore(folder, "car-bench", None, None, None, as_json=True)
    assert orjson.loads(capsys.readouterr().out)["judge"] == judged["judge"]
    off = judging("off", None, None, 4)
    rescore(folder, "car-bench", None, None, None, off, as_json=True)
    without = orjson.loads(capsys.readouterr().out)
    assert without["judge"] is None
    assert without["by_type"]["base"]["reward_mean"] is None


# --- secrets


def test_the_key_is_nowhere(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    leaky = (
        {"when": {"schema": "policy_verdict"}, "json": {"reason": f"{KEY}!", "followed": True}},
        {"fault": 500, "say": f"upstream refused {KEY}", "at_most": 1},
    )
    with served(*leaky, *example_rules()) as model:
        asked = options(model, tmp_path / "run", judge="mock", profile="car-bench")
        run_to_end(asked, quiet=False)
        view(tmp_path / "run", None, digest=False, as_json=True)
    files = [file for file in (tmp_path / "run").iterdir() if file.is_file()]
    assert files
    printed = capfd.readouterr()
    for text in (printed.out, printed.err, caplog.text):
        assert KEY not in text
    for file in files:
        assert KEY.encode() not in file.read_bytes()
    reasons_kept = [word.reason for word in stored_judgements(tmp_path / "run", "car-bench")]
    assert set(reasons_kept) == {"[key]!"}


def example_rules() -> list[dict[str, Any]]:
    """The rules of the example, to put others in front."""
    import yaml

    rules: list[dict[str, Any]] = yaml.safe_load(EXAMPLE.read_text("utf-8"))["rules"]
    return rules
