"""codriver.toml: what it sets, who wins over it, and how its mistakes are named."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from evaluator.cli import completion
from tests.evaluator.command_line import Here

FILE = """\
seed = 3
[run]
agent = "null"
num-tasks = 2
pace = "virtual"
broker = "embedded"
json = true
fail-under = ["solved=0"]
[tasks.validate]
courses = ["none"]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "codriver.toml"
    made.write_text(FILE)
    return made


@pytest.mark.usefixtures("file")
def test_the_command_line_wins_over_the_environment_and_that_over_the_file(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODRIVER_NUM_TASKS", "3")
    monkeypatch.setenv("CODRIVER_OUT", "there")
    figures = json.loads(here("run", "--out", "here").stdout)
    assert (figures["pace"], figures["planned"], figures["out"]) == ("virtual", 3, "here")
    assert figures["reward_mean"] == 0


def test_a_run_is_resumed_as_it_was_begun_whatever_the_file_says_now(
    here: Here, file: Path
) -> None:
    assert here("run", "--out", "mine").code == 0
    file.write_text(FILE.replace('"null"', '"claims"').replace("3", "4"))
    resumed = here("run", "--out", "mine", "--resume", "--num-trials", "2")
    assert resumed.code == 0, resumed.stderr
    assert json.loads(resumed.stdout)["evaluated"] == 4


def test_config_shows_no_secret(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODRIVER_BROKER", "mqtts://me:secret@broker.example:8883")
    monkeypatch.setenv("CODRIVER_EXPORT_HEADER", "Authorization: Bearer secret")
    (tmp_path / "codriver.toml").write_text('agent-token = "secret"\n')
    for options in ((), ("--json",)):
        shown = here("config", *options).stdout
        assert "secret" not in shown
        assert all(name in shown for name in ("--broker", "--header", "--agent-token"))


@pytest.mark.usefixtures("file")
def test_config_shows_what_is_in_force_and_why(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODRIVER_PACE", "live")
    monkeypatch.setenv("CODRIVER_AGENT_TOKEN", "secret")
    shown = here("config", "run", "--json")
    assert "secret" not in shown.stdout
    found = json.loads(shown.stdout)
    assert found["file"] == "codriver.toml"
    assert {(each["option"], each["source"]) for each in found["settings"]} >= {
        ("--seed", "codriver.toml"),
        ("--agent", "codriver.toml"),
        ("--pace", "CODRIVER_PACE"),
    }
    assert "--courses" in here("config").stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[run]\nnum_task = 3", "[run] there is no option num_task; did you mean num-tasks?"),
        ("sed = 3", "there is no option sed; did you mean seed?"),
        ("[rum]\nseed = 3", "there is no command rum; did you mean run?"),
        ("[tasks.lists]\njson = true", "there is no command tasks lists; did you mean list?"),
        ("[run]\nnum-tasks = 'x'", "num-tasks: Input should be a valid integer"),
        ("[run]\nnum-trials = 0", "num-trials: Input should be greater than or equal to 1"),
        ("[run]\nmotion = 1", "motion is true or false, not 1"),
        ("[run]\nagent = ['a', 'b']", "agent takes one value, not a list"),
        ("tasks = 1", "there is no option tasks; did you mean task?"),
        ("run = 1", "there is no option run; did you mean runs?"),
        ("[tasks]\nlist = 1", "list is a command: write its options below [tasks.list]"),
        ("[run", "is no TOML"),
    ],
)
def test_a_mistake_is_named_with_the_file(here: Here, file: Path, text: str, said: str) -> None:
    file.write_text(text)
    done = here("runs")
    assert (done.code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"codriver: codriver.toml: {said}")


def test_another_file_is_named_in_the_environment(
    here: Here, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = file.rename(file.with_name("other.toml"))
    monkeypatch.setenv("CODRIVER_CONFIG", str(other))
    assert json.loads(here("config", "--json").stdout)["file"] == str(other)
    monkeypatch.setenv("CODRIVER_CONFIG", "missing.toml")
    assert here("runs").stderr == (
        "codriver: missing.toml: cannot be read: No such file or directory\n"
    )


# --- completion

TRIES = {
    "codriver r": {"run", "runs", "report", "replay"},
    "codriver tasks v": {"validate"},
    "codriver run --pa": {"--pace", "--page-port", "--patience"},
    "codriver run --pace v": {"virtual"},
    "codriver tasks validate --one": {"--one-in"},
}
BASH = """
source %s
COMP_WORDS=(%s)
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_codriver
printf '%%s\\n' "${COMPREPLY[@]}"
"""
ZSH = """
compdef() { :; }
_describe() { for each in ${(P)2}; do [[ $each == $PREFIX* ]] && print -r -- ${each%%%%:*}; done; }
compadd() { shift; for each in $@; do [[ $each == $PREFIX* ]] && print -r -- $each; done; }
source %s
words=(%s)
CURRENT=${#words}
PREFIX=${words[-1]}
_codriver
true
"""
FISH = "source %s; complete -C '%s' | string split -f 1 \\t"


@pytest.mark.parametrize(("shell", "script"), [("bash", BASH), ("zsh", ZSH), ("fish", FISH)])
def test_shells_complete_commands_options_and_values(
    here: Here, tmp_path: Path, shell: str, script: str
) -> None:
    assert set(completion.SCRIPTS) == {"bash", "zsh", "fish"}
    made = here("completion", shell).stdout
    assert "typer" not in made.lower()
    if shutil.which(shell) is None:
        assert made.count("--latency-profile") >= 1, "this shell is not here: only its text is seen"
        return
    (tmp_path / "script").write_text(made)
    for typed, offered in TRIES.items():
        done = subprocess.run(
            [shell, "-c", script % (tmp_path / "script", typed)],
            capture_output=True,
            text=True,
            check=True,
        )
        assert set(done.stdout.split()) == offered, (typed, done.stderr)
