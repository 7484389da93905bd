import re
import signal
import subprocess
from pathlib import Path

from tests.evaluator.command_line import (
    INTERRUPTED,
    LIMIT_S,
    PROGRAM,
    USAGE,
    Finished,
    Here,
    environment,
)

QUICK = ("--latency-profile", "zero", "--broker", "embedded")


def play(said: str, *options: str, folder: Path) -> Finished:
    """Drive with what comes through a pipe."""
    done = subprocess.run(
        [*PROGRAM, "play", *QUICK, *options],
        cwd=folder,
        env=environment(),
        input=said,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    return Finished(done.returncode, done.stdout, done.stderr)


def test_a_drive_is_plain_lines_in_a_pipe(tmp_path: Path) -> None:
    done = play("Set my seat heating to level 2.\n\n/new\nThank you.\n", folder=tmp_path)
    assert (done.code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("rules is in the car.")
    assert lines[1] == "you  Set my seat heating to level 2."
    assert any("✓ set_seat_heating level=2" in line for line in lines)
    assert "       driver seat heating: off → level 2" in lines
    assert any(line.startswith("car  ") for line in lines)
    assert re.search(r"first speech \d+\.\d.* effect in the car \d+\.\d", done.stdout)
    assert lines.count("you  Thank you.") == 1
    assert "\x1b" not in done.stdout


def test_commands_are_listed_and_are_never_said(tmp_path: Path) -> None:
    done = play("/help\n/halp\n/quit\nNobody hears this.\n", folder=tmp_path)
    assert (done.code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[2].startswith("     /new    hang up")
    assert "     unknown command /halp; known are" in lines
    assert lines[-1] == "you  /quit"


def test_an_interrupt_ends_it_with_a_line_and_130(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "play", *QUICK],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as driving:
        assert driving.stdout is not None
        assert "is in the car" in driving.stdout.readline()
        driving.send_signal(signal.SIGINT)
        _, printed = driving.communicate(timeout=LIMIT_S)
    assert (driving.returncode, printed) == (INTERRUPTED, "\ninterrupted\n")


def test_a_drive_may_start_as_a_task_does_and_read_a_file(tmp_path: Path) -> None:
    script = tmp_path / "said.txt"
    script.write_text("Close the window, please.\n")
    with script.open() as said:
        done = subprocess.run(
            [*PROGRAM, "play", *QUICK, "--agent", "reference", "--task", "settle_open_window"],
            cwd=tmp_path,
            env=environment(),
            stdin=said,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert "→ closed" in done.stdout


def test_what_comes_through_a_pipe_may_be_no_text_but_has_an_end(tmp_path: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "play", *QUICK],
        cwd=tmp_path,
        env=environment(),
        input=b"\xff\xfe?\n" + b"x" * 100_000,
        capture_output=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.stderr == b"codriver: a line is longer than 64 KiB\n"
    assert done.returncode == USAGE


def test_what_goes_wrong_in_the_car_and_the_applied_budget_are_shown(tmp_path: Path) -> None:
    faults = tmp_path / "faults.yaml"
    faults.write_text("- {kind: refusal, tool: set_fan_speed, text: no power}\n")
    budgets = tmp_path / "budgets.yaml"
    budgets.write_text("source: a test\nlimits: {first_speech: {soft_s: 0.001, hard_s: 0.002}}\n")
    options = ("--faults", faults.name, "--budget-profile", budgets.name)
    done = play("Set the fan speed to 3.\n", *options, folder=tmp_path)
    assert (done.code, done.stderr) == (0, "")
    assert "✗ set_fan_speed level=3" in done.stdout
    assert "no power" in done.stdout
    assert "━" * 20 in done.stdout  # far beyond these limits


def test_a_stored_unit_can_be_talked_to_again(tmp_path: Path, here: Here) -> None:
    options = ("--task-ids", "settle_fan", "--pace", "virtual", "--broker", "embedded")
    assert here("run", *options, "--out", "mine").code == 0
    agent = ("--agent", "replay:mine#settle_fan", "--task", "settle_fan")
    done = play("Whatever.\nAnd more.\n", *agent, folder=tmp_path)
    assert done.code == 0
    assert "✓ set_fan_speed" in done.stdout
    assert "the recorded conversation ended after turn 1" in done.stdout


def test_what_nobody_can_drive_with_is_one_line(here: Here) -> None:
    for options, printed in (
        (("--agent", "reference"), "follows the plan of a task; name one with --task"),
        (("--agent", "nobody"), "--agent is one of"),
        (("--task", "nothing_like_it"), "there is no task"),
        (("--latency-profile", "slow"), "--latency-profile"),
        (("--broker", "rabbit"), "--broker is one of auto"),
        (("--faults", "many"), "--faults is one of none"),
        (("--speech-profile", "mumbled"), "--speech-profile"),
        (("--budget-profile", "endless"), "--budget-profile"),
        (("--on-hard-limit", "shout"), "--on-hard-limit is one of record"),
        (("--temperature", "0.5"), "for --agent openai:MODEL, not for rules"),
    ):
        done = here("play", *options)
        assert (done.code, done.stderr.count("\n")) == (USAGE, 1), done.stderr
        assert printed in done.stderr
        assert here("serve", *options).code == USAGE
