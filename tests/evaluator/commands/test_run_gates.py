from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.evaluator.command_line import ONE_TASK, USAGE, Here

PLAYED = ("run", *ONE_TASK, "--pace", "virtual")


def test_an_agent_that_solves_too_little_fails_the_run_and_ci_files_say_why(
    tmp_path: Path, here: Here
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("an earlier step\n", encoding="utf-8")
    files = ("--junit", tmp_path / "run.xml", "--summary", summary)
    done = here(*PLAYED, "--agent", "null", "--fail-under", "solved=0.5,in_time=0.5", *files)
    assert done.code == 1
    assert done.stderr.endswith(
        "codriver: --fail-under: 0.0 % solved, less than 50.0 %; "
        "0.0 % solved in time, less than 50.0 %\n"
    )
    assert ElementTree.parse(tmp_path / "run.xml").find(".//failure") is not None
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("an earlier step\n## codriver")
    assert "not reached" in text


def test_an_agent_that_reaches_its_limits_passes(here: Here) -> None:
    assert here(*PLAYED, "--fail-under", "solved=1,in_time=1").code == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--fail-under", "solved=90"], "share from 0 to 1"),
        (["--fail-under", "in_time=0.5", "--patience", "60", "--pace", "fast"], "--patience"),
        (["--junit", "nowhere/run.xml"], "there is no folder nowhere"),
        (["--summary", "."], "is a folder"),
    ],
)
def test_limits_and_files_that_cannot_work_are_refused_before_anything_is_played(
    given: list[str], said: str, here: Here
) -> None:
    done = here(*PLAYED, *given)
    assert (done.code, done.stderr.count("\n")) == (USAGE, 1)
    assert said in done.stderr
