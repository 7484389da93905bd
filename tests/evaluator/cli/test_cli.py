"""The command line from outside: data on stdout, the rest on stderr, options, interruption."""

import json
import os
import re
import shlex
import signal
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer

from evaluator.cli.main import app
from evaluator.options import SECTIONS
from evaluator.results.store import FILE
from tests.conftest import BrokerKind
from tests.evaluator.command_line import INTERRUPTED, Here, codriver, started
from tests.evaluator.runs import SOME, TASKS

RUN_KEYS = {
    "run_id", "pace", "profile", "compat", "planned", "evaluated", "unsupported", "user_error",
    "infra_error", "reward_mean", "in_time_mean", "pass_hat_k", "pass_at_k", "flip_rate", "by_type",
    "latency_ms", "budget", "policy_coverage", "harness", "cost", "wall_s", "episodes_per_s", "out",
}  # fmt: skip
NESTED_KEYS = {
    "budget": {"hard_miss_rate", "soft_miss_rate"},
    "policy_coverage": {"decided", "applicable"},
    "harness": {
        "error_ms_p50",
        "error_ms_p99",
        "degraded",
        "excluded",
        "undecided",
        "trusted",
    },
    "cost": {"agent", "user", "judge"},
}


STORED = sorted({*(task.task_id for task in SOME.tasks), "base_fog_lights"})


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], str]:
    """A run folder, what the run printed and what it said."""
    folder = tmp_path_factory.mktemp("stored")
    options = ("--task-ids", ",".join(STORED), "--pace", "virtual", "--out", "mine", "--json")
    done = codriver("run", *options, folder=folder)
    assert done.code == 0, done.stderr
    return folder / "mine", json.loads(done.stdout), done.stderr


# --- what goes where


def test_json_is_one_object_with_every_key(stored: tuple[Path, dict[str, Any], str]) -> None:
    folder, figures, _ = stored
    assert figures.keys() >= RUN_KEYS
    for name, keys in NESTED_KEYS.items():
        assert figures[name].keys() >= keys
    assert figures["planned"] == figures["evaluated"] == len(STORED)
    assert figures["reward_mean"] == 1.0
    assert figures["pass_hat_k"]["1"].keys() >= {"value", "lo", "hi"}
    assert figures["latency_ms"]["ttft_text"].keys() >= {"p50", "p95", "p99", "n"}
    assert set(figures["by_type"]) == {"base", "disambiguation", "hallucination"}
    assert (folder.parent / figures["out"]).samefile(folder)


def test_progress_with_time_left_goes_to_stderr(
    stored: tuple[Path, dict[str, Any], str],
) -> None:
    *_, stderr = stored
    lines, units = stderr.splitlines(), len(STORED)
    assert len(lines) == 20 < units
    assert lines[-1].startswith(f"[{units}/{units}] ")
    assert "left)" in lines[0]


def test_a_stored_run_is_shown_and_scored_again(
    stored: tuple[Path, dict[str, Any], str], here: Here
) -> None:
    folder, figures, _ = stored
    again = here("score", folder, "--json")
    for name in ("planned", "evaluated", "reward_mean", "in_time_mean", "pass_hat_k", "by_type"):
        assert json.loads(again.stdout)[name] == figures[name], name
    unit = here("view", folder, "--unit", "base_fog_lights")
    assert "fog" in unit.stdout
    assert "reward 1" in unit.stdout
    digests = here("view", folder, "--digest", "--json")
    assert len(json.loads(digests.stdout)) == len(STORED)
    assert (again.code, unit.code, digests.code) == (0, 0, 0)


@pytest.mark.timeout(300)
def test_tasks_are_sound_in_all_their_wordings(here: Here) -> None:
    some = TASKS[:: len(TASKS) // 12]
    ids = ",".join(task.task_id for task in some)
    done = here("tasks", "validate", "--task-ids", ids, "--courses", "none", "--json")
    figures = json.loads(done.stdout)
    tasks = len(some)
    assert figures["errors"] == []
    assert (figures["tasks"], figures["reference_pass"]) == (tasks, tasks)
    assert (figures["null_pass"], figures["claims_pass"]) == (0, 0)
    assert sum(figures["by_type"].values()) == tasks
    assert done.code == 0


def test_the_demo_shows_a_table_and_where_the_run_is(tmp_path: Path, here: Here) -> None:
    done = here("demo", "--latency-profile", "zero")
    assert done.code == 0, done.stderr
    for shown in ("reward", "in time", "first", "too late", "base_windshield", "judge off"):
        assert shown in done.stdout
    [run] = (tmp_path / "runs").iterdir()
    assert f"stored in runs/{run.name}" in done.stdout


# --- options from the environment


@dataclass(frozen=True)
class Option:
    command: str
    name: str
    variable: str
    help: str

    @property
    def meaning(self) -> str:
        """What it says before it lists values or names a default."""
        return re.split(r"[;:] ", self.help)[0].rstrip(".")

    @property
    def variables(self) -> list[str]:
        """The option's own name, or that of the command before it where others mean another."""
        named = re.sub(r"[- ]", "_", f"{self.command} {self.name[2:]}").upper()
        return [f"CODRIVER_{self.name[2:].replace('-', '_').upper()}", f"CODRIVER_{named}"]


def options_of(command: Any, name: str = "") -> Iterator[Option]:
    for parameter in command.params:
        if parameter.param_type_name == "option" and name:
            yield Option(name, parameter.opts[0], parameter.envvar, parameter.help)
    for sub in getattr(command, "commands", {}).values():
        yield from options_of(sub, f"{name} {sub.name}".strip())


OPTIONS = tuple(options_of(typer.main.get_command(app)))


def test_every_option_has_an_environment_variable_of_its_name() -> None:
    assert ("tasks validate", "--json") in {(option.command, option.name) for option in OPTIONS}
    assert [option for option in OPTIONS if option.variable not in option.variables] == []


def test_no_environment_variable_means_two_things() -> None:
    meanings = defaultdict(set)
    for option in OPTIONS:
        meanings[option.variable].add((option.name, option.meaning))
    assert {name: found for name, found in meanings.items() if len(found) > 1} == {}


def test_options_come_from_the_environment(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {
        "TASK_IDS": "base_fog_lights,limit_no_trunk", "PACE": "virtual", "BROKER": "embedded",
        "AGENT": "null", "NUM_TRIALS": "2", "OUT": "there", "JSON": "1",
    }  # fmt: skip
    for name, value in given.items():
        monkeypatch.setenv(f"CODRIVER_{name}", value)
    figures = json.loads(here("run").stdout)
    assert (figures["pace"], figures["planned"], figures["reward_mean"]) == ("virtual", 4, 0.0)
    assert (tmp_path / "there" / FILE).is_file()


def test_no_help_text_stands_at_two_options() -> None:
    names = defaultdict(set)
    for option in OPTIONS:
        names[option.help].add(option.variable)
    assert {text: found for text, found in names.items() if len(found) > 1} == {}


# --- help


def test_the_help_of_a_run_has_headings_and_shows_only_what_cannot_be_inferred(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "150")
    text = here("run", "--help").stdout
    headings = [line for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    assert headings == [f"{section}:" for section in (*SECTIONS, "Options")]
    assert max(map(len, text.splitlines())) > 120
    assert ("--no-motion" in text, "env var" in text) == (False, False)
    assert "--agent as CODRIVER_AGENT" in text.splitlines()[-1]


def test_the_version_is_that_of_the_package(here: Here) -> None:
    assert here("--version").stdout == f"codriver {version('codriver')}\n"


def test_a_switch_from_the_environment_can_be_taken_back(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODRIVER_JSON", "1")
    assert not here("tasks", "list", "--no-json").stdout.startswith("[")


# --- interrupted


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_validation_ends_with_all_its_processes(
    tmp_path: Path, number: signal.Signals
) -> None:
    few = ",".join(task.task_id for task in TASKS[:80])
    options = ("--courses", "none", "--task-ids", few)
    with started("tasks", "validate", *options, folder=tmp_path) as run:
        run.until("[")
        os.killpg(run.process.pid, number)
        done = run.finish()
    assert (done.code, done.stdout) == (INTERRUPTED, "")
    assert "Traceback" not in done.stderr


def test_an_interrupted_run_says_how_to_go_on_and_does(
    broker_kind: BrokerKind, tmp_path: Path
) -> None:
    options = ("--pace", "virtual", "--num-tasks", 12, "--num-trials", 4, "--broker", broker_kind)
    with started("run", *options, folder=tmp_path) as run:
        run.until("[3/")
        os.killpg(run.process.pid, signal.SIGINT)  # as a terminal does: all that run hear it
        done = run.finish()
    assert (done.code, done.stdout) == (INTERRUPTED, "")
    *played, _, advice = done.stderr.splitlines()
    assert all(line.startswith("[") for line in played), done.stderr
    assert advice.startswith("interrupted; go on with codriver run ")
    command = shlex.split(advice.partition("go on with ")[2])
    resumed = codriver(*command[1:], "--json", folder=tmp_path)
    figures = json.loads(resumed.stdout)
    assert figures["evaluated"] == figures["planned"] == 4 * 12
    assert resumed.stderr.count("\n") < figures["planned"]
