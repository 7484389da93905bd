"""The action and the GitLab template tell three reasons apart, with steps that are run here."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.ci.steps import Runner, gitlab
from tests.evaluator.command_line import environment

IDS = ("base_fog_lights", "base_clear_view", "limit_no_trunk", "settle_fan", "base_call_priya")
TASKS = f"--task-ids {','.join(IDS)}"
GOOD = f"--agent reference --pace virtual {TASKS}"
BAD = f"--agent null --pace virtual {TASKS}"


@pytest.fixture(autouse=True)
def on_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODRIVER_ALLOW_SLOW_BENCH", "1")


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that a good run left behind."""
    folder = tmp_path_factory.mktemp("good")
    runner = Runner(folder, {"options": GOOD, "fail-under": "solved=1"})
    assert (runner.run("Play"), runner.run("Gates")) == (0, 0), runner.printed
    assert runner.outputs == {"floor": "passed", "regression": "unchecked", "bench": "passed"}
    out = folder / "codriver-run"
    assert {file.name for file in out.iterdir()} >= {"report.html", "units.xml", "run.sqlite"}
    assert "| floor | passed |" in runner.summary
    return out / "codriver-baseline.json"


def test_a_weak_agent_fails_by_the_floor_and_by_the_baseline(
    tmp_path: Path, baseline: Path
) -> None:
    given = {"options": BAD, "fail-under": "solved=0.5", "baseline": str(baseline)}
    runner = Runner(tmp_path, given)
    assert (runner.run("Play"), runner.run("Gates")) == (0, 1), runner.printed
    assert runner.outputs == {"floor": "failed", "regression": "failed", "bench": "passed"}
    assert "::error title=codriver: below the floor::codriver: --fail-under" in runner.printed
    assert "::error title=codriver: worse than the baseline::codriver: " in runner.printed
    assert "- **worse**: solved 100.0 %, now 0.0 %" in runner.summary


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"options": f"{GOOD} --broker mqtt://127.0.0.1:9"},
            "no result: the agent crashed, or the bench failed",
        ),
        ({"options": "--agent 'no such'"}, "the options or a file cannot be used"),
        ({"options": f"{GOOD} --label 'x"}, "the options or a file cannot be used"),
    ],
)
def test_a_bench_that_fails_says_nothing_about_the_agent(
    tmp_path: Path, given: dict[str, str], said: str
) -> None:
    runner = Runner(tmp_path, {**given, "fail-under": "solved=1"})
    assert (runner.run("Play"), runner.run("Gates")) == (0, 3), runner.printed
    assert runner.outputs == {"floor": "unchecked", "regression": "unchecked", "bench": "failed"}
    assert f"::error title=codriver: {said}" in runner.printed


def test_the_action_can_be_used_twice_in_a_job(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nmkdir -p "$3/bin"; ln -sf /bin/true "$3/bin/python"\n')
    python.chmod(0o755)
    stale = tmp_path / "temporary" / "codriver" / "files" / "units.xml"
    stale.parent.mkdir(parents=True)
    stale.touch()
    (tmp_path / "codriver-run").mkdir()
    runner = Runner(tmp_path, {"options": "--no-such-option"})
    runner.outputs["python-path"] = str(python)
    assert [runner.run("Install codriver") for _ in range(2)] == [0, 0], runner.printed
    assert runner.run("Play") == 0
    assert not stale.exists()


def test_the_template_for_gitlab_has_the_same_gates(tmp_path: Path, baseline: Path) -> None:
    job = gitlab()
    ends = {
        (GOOD, "solved=1", str(baseline)): 0,
        (BAD, "solved=0", str(baseline)): 1,
        (f"{GOOD} --broker mqtt://127.0.0.1:9", "", ""): 3,
    }
    found = {given: _job(job, tmp_path / str(number), given) for number, given in enumerate(ends)}
    assert found == ends
    assert (tmp_path / "1" / "files" / "units.xml").is_file()
    assert (tmp_path / "1" / "files" / "report.html").is_file()


def _job(job: dict[str, Any], folder: Path, given: tuple[str, str, str]) -> int:
    folder.mkdir()
    variables = job["variables"] | dict(
        zip(("OPTIONS", "FAIL_UNDER", "BASELINE"), given, strict=True)
    )
    runner = Runner(folder, {})
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join(job["script"])],
        cwd=folder,
        env=environment(**variables, PATH=f"{runner.path}:/usr/bin:/bin"),
        capture_output=True,
        check=False,
        timeout=180,
    )
    return done.returncode
