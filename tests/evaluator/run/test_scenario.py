import logging
from pathlib import Path
from typing import Any

import pytest

from evaluator.options import RunOptions
from evaluator.problems import UsageProblem
from evaluator.run.scenario import read_scenario, with_scenario
from evaluator.task.selection import Selection, TypeSelection
from tests.evaluator.command_line import ROOT, USAGE, Here
from tests.evaluator.runs import TASKS

WHOLE = """
[evaluator]
endpoint = "http://127.0.0.1:8081"
cmd = "python src/evaluator/server.py --port 8081"

[agent_under_test]
endpoint = "http://127.0.0.1:8080"
cmd = "python server.py --port 8080"

[config]
num_trials = 3
task_split = "train"
tasks_base_num_tasks = 1
tasks_hallucination_num_tasks = 0
tasks_disambiguation_num_tasks = -1
tasks_base_task_id_filter = ["base_0", "base_2"]
max_steps = 50
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    file = tmp_path / "scenario.toml"
    file.write_text(WHOLE)
    return file


def test_a_scenario_says_who_is_tested_how_and_with_what(scenario: Path) -> None:
    options = with_scenario(RunOptions(), scenario, ())
    assert options.agent == "a2a:http://127.0.0.1:8080"
    assert options.agent_command == "python server.py --port 8080"
    assert (options.num_trials, options.max_steps, options.task_split) == (3, 50, "train")
    assert options.shares == {
        "base": TypeSelection(1, ("base_0", "base_2")),
        "hallucination": TypeSelection(0),
    }
    assert options.max_concurrency == 1, "the public agents are asked one thing at a time"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"num_trials": 1, "task_split": "all"}, {"agent_command": "python server.py --port 8080"}),
        ({"agent": "rules"}, {"agent_command": ""}),
        ({"agent": "ws", "agent_command": "node my.mjs {url}"}, {"num_trials": 3}),
        ({"num_tasks": 5}, {"shares": {}}),
        ({"task_ids": ("base_1",)}, {"shares": {}}),
        ({"max_concurrency": 4}, {"num_trials": 3}),
    ],
)
def test_what_is_given_on_the_command_line_wins(
    given: dict[str, Any], kept: dict[str, Any], scenario: Path
) -> None:
    options = with_scenario(RunOptions(**given), scenario, given)
    assert {name: getattr(options, name) for name in given | kept} == {**given, **kept}


def test_keys_nobody_reads_are_named(scenario: Path, caplog: pytest.LogCaptureFixture) -> None:
    scenario.write_text(WHOLE + 'user_model = "m"\n[green_agent]\nendpoint = "x"\n')
    with caplog.at_level(logging.WARNING):
        with_scenario(RunOptions(), scenario, ())
    assert "codriver does not read green_agent, config.user_model" in caplog.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[config", "is no TOML"),
        ("[config]\n", "agent_under_test.endpoint: expected http://HOST:PORT"),
        (
            '[agent_under_test]\nimage = "ghcr.io/me/agent:1"\n',
            "codriver starts no containers; run ghcr.io/me/agent:1 yourself .* --agent a2a:http",
        ),
        ('[agent_under_test]\ncmd = "x"\n', "agent_under_test.endpoint: expected http://HOST:PORT"),
        (WHOLE.replace("num_trials = 3", "num_trials = 'many'"), "config.num_trials"),
        (WHOLE.replace("num_trials = 3", "num_trials = 0"), "greater than or equal to 1"),
        (WHOLE.replace("max_steps = 50", "max_steps = 0"), "greater than or equal to 1"),
    ],
)
def test_a_scenario_that_cannot_be_used_says_what_is_expected(
    text: str, message: str, scenario: Path
) -> None:
    scenario.write_text(text)
    with pytest.raises(UsageProblem, match=message):
        read_scenario(scenario)


@pytest.mark.parametrize(
    "agent", ['image = "ghcr.io/me/agent:1"', 'cmd = "x"', 'endpoint = "http://127.0.0.1:1"']
)
def test_an_agent_that_is_given_wins_whatever_the_file_names(
    agent: str, scenario: Path, caplog: pytest.LogCaptureFixture
) -> None:
    scenario.write_text(f"[agent_under_test]\n{agent}\n[config]\nnum_trials = 2\n")
    options = with_scenario(RunOptions(agent="a2a:http://h:1"), scenario, ("agent",))
    assert (options.agent, options.agent_command) == ("a2a:http://h:1", "")
    assert options.num_trials == 2
    assert caplog.text == ""


def test_a_blank_command_is_none(scenario: Path) -> None:
    scenario.write_text(WHOLE.replace("python server.py --port 8080", "  "))
    assert read_scenario(scenario).agent_command == ""


def test_there_has_to_be_a_file(here: Here) -> None:
    done = here("run", "--scenario", "nowhere.toml")
    assert (done.code, done.stdout) == (USAGE, "")
    [message] = done.stderr.splitlines()
    assert message == "codriver: nowhere.toml cannot be read: No such file or directory"


def test_the_example_can_be_read_and_its_agent_is_there() -> None:
    found = read_scenario(ROOT / "examples" / "scenario.toml")
    assert (ROOT / found.agent_command.split()[1]).is_file()
    assert found.unknown == ()


def test_types_are_counted_apart() -> None:
    numbers = {"base": 2, "hallucination": 0, "disambiguation": 1}
    shares = {main_type: TypeSelection(number) for main_type, number in numbers.items()}
    chosen = Selection(shares=shares).choose(TASKS)
    assert sorted(task.main_type for task in chosen) == ["base", "base", "disambiguation"]
    assert chosen == [task for task in TASKS if task in chosen], "planning order is kept"


def test_a_type_can_be_narrowed_to_ids() -> None:
    shares = {"base": TypeSelection(-1, ("base_fog_lights", "base_windshield"))}
    chosen = Selection(shares=shares, task_type="base").choose(TASKS)
    assert [task.task_id for task in chosen] == ["base_fog_lights", "base_windshield"]


def test_an_id_that_no_task_has_is_reported() -> None:
    shares = {"base": TypeSelection(-1, ("base_fog_lights", "base_fog_light"))}
    with pytest.raises(UsageProblem, match=r"no task 'base_fog_light'; did you mean base_fog_lig"):
        Selection(shares=shares).choose(TASKS)


def test_ids_of_public_tasks_are_none_of_our_own(here: Here, scenario: Path) -> None:
    done = here("run", "--scenario", scenario)
    assert done.code == USAGE
    assert "there is no task 'base_0'" in done.stderr
