"""`--agent wizard` and `--user human` in a terminal whose lines come from a file."""

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from tests.evaluator.command_line import INFRA, USAGE, Finished, Here

TASK = (
    *("run", "--tasks-from", Path(__file__).parents[1] / "simple_tasks", "--allow-slow-bench"),
    *("--task-ids", "base_hands_full", "--broker", "embedded"),
)
RUN = (
    *TASK,
    "--out",
    "mine",
    *("--person-at", "terminal"),
)
WIZARD = """\
/tools trunk
/tool open_close_trunk_door
/wait Let me see.
Shall I open the trunk?
open_close_trunk_door action=AJAR
open_close_trunk_door action=OPEN
/nothing
It's done: the trunk is open.
"""


@pytest.fixture
def played(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Finished]:
    """A command in which a person plays with the lines of a file."""

    def play(said: str, *arguments: object) -> Finished:
        file = tmp_path / "said.txt"
        file.write_text(said)
        with file.open() as lines:
            monkeypatch.setattr("sys.stdin", lines)
            return here(*arguments)

    return play


def test_a_wizard_plays_a_task_with_plain_lines(played: Callable[..., Finished]) -> None:
    done = played(WIZARD, *RUN, "--agent", "wizard")
    lines = done.stderr.splitlines()
    assert any(line.startswith("  open_close_trunk_door  ") for line in lines)
    assert any(line.startswith("  action=OPEN|CLOSE") for line in lines)
    assert any(line.startswith("driver     ") for line in lines)
    assert any(line.startswith("not sent: open_close_trunk_door: action must be") for line in lines)
    assert "unknown command /nothing; /help lists them" in lines
    assert '✓ open_close_trunk_door action="OPEN"' in lines
    assert any(line.startswith("base_hands_full: reward 1") for line in lines)
    assert done.code == 0
    assert "A person played the assistant" in " ".join(done.stdout.split())


def test_a_comparison_says_whose_latencies_are_those_of_a_person(
    played: Callable[..., Finished], here: Here
) -> None:
    assert played(WIZARD, *RUN, "--agent", "wizard").code == 0
    assert here(*TASK, "--out", "other").code == 0
    told = " ".join(here("compare", "mine", "other").stdout.split())
    assert "mine: a person played the assistant, so its latencies are those of a person" in told
    figures = orjson.loads(here("compare", "mine", "other", "--json").stdout)
    assert figures["latencies_of_persons"] == ["mine"]


def test_a_person_drives_a_task_with_plain_lines(played: Callable[..., Finished]) -> None:
    said = "/stop\n/1\n/halt\nYes, go ahead.\n/stop it is open\n"
    done = played(said, *RUN, "--user", "human")
    lines = done.stderr.splitlines()
    assert any(line.startswith("What you want: You stand behind the car") for line in lines)
    assert "nothing was said yet: say first what the driver wants" in lines
    assert '  the car did open_close_trunk_door action="OPEN"' in lines
    assert "unknown command /halt; /help and /goal list them" in lines
    assert any(line.startswith("base_hands_full: reward 1") for line in lines)
    assert done.code == 0


def test_input_that_ends_too_early_ends_the_run_with_a_line(
    played: Callable[..., Finished],
) -> None:
    for who in (("--agent", "wizard"), ("--agent", "rules", "--user", "human")):
        done = played("/help\n", *RUN, *who, "--out", who[-1])
        assert done.code == INFRA
        assert done.stderr.splitlines()[-1].startswith("codriver: the input of the terminal has")


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        (("--agent", "wizard", "--pace", "virtual"), "use --pace fast or live"),
        (("--user", "human", "--pace", "virtual"), "use --pace fast or live"),
        (("--agent", "wizard", "--max-concurrency", "2"), "leave --max-concurrency out"),
        (("--user", "human", "--agent", "wizard", "--person-at", "terminal"), "--person-at page"),
        (("--agent", "wizard", "--person-at", "home"), "--person-at is one of auto"),
        (("--agent", "wizard", "--latency-profile", "cloud_fast"), "takes its own time"),
        (("--agent", "wizard:tim"), "--agent is one of"),
        (("--user", "somebody"), "--user is one of scripted, human"),
    ],
)
def test_what_a_person_cannot_play_is_one_line(
    options: tuple[str, ...], printed: str, here: Here
) -> None:
    done = here("run", *options)
    assert (done.code, done.stderr.count("\n")) == (USAGE, 1), done.stderr
    assert printed in done.stderr


def test_a_wizard_has_no_place_where_only_the_driver_sits(played: Callable[..., Finished]) -> None:
    done = played("Hello.\n", "play", "--agent", "wizard", "--broker", "embedded")
    assert done.code == USAGE
    assert done.stderr == "codriver: --agent wizard is played with codriver run or codriver serve\n"
