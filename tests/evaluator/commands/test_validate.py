import json
from pathlib import Path

import pytest

from evaluator.adversaries.courses import COURSES
from evaluator.commands.tasks.validate import AgentResult, Disagreement
from evaluator.results.store import UnitResult
from evaluator.scoring.scores import Outcome, Score
from evaluator.task.files import shipped_tasks, task_files
from tests.evaluator.command_line import INTERRUPTED, USAGE, Here, started

ONE = ("--task-ids", "fault_silent_seat")


def unit(outcome: Outcome) -> UnitResult:
    score = Score(outcome=outcome, reason="the fan is off", profile="codriver")
    return UnitResult(
        task_id="base_x", trial=0, attempt=0, task_type="base", title="x", score=score,
        started_at="", finished_at="",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("agent", "outcome", "reason"),
    [
        ("foolish:guess", "success", "passes"),
        ("foolish:guess", "infra_error", "cannot be judged, infra_error: the fan is off"),
        ("foolish:guess", "failure", None),
        ("claims", "success", "passes"),
        ("sensible:terse", "failure", "does not pass, failure: the fan is off"),
        ("sensible:terse", "success", None),
        ("reference", "failure", "does not pass, failure: the fan is off"),
    ],
)
def test_foolish_courses_have_to_fail_and_sensible_ones_to_pass(
    agent: str, outcome: Outcome, reason: str | None
) -> None:
    expected = [] if reason is None else [Disagreement(agent, "base_x", reason)]
    assert list(AgentResult(agent, [unit(outcome)]).wrong) == expected


def test_a_sound_task_is_passed_by_sensible_courses_alone(here: Here) -> None:
    chosen = "foolish:refuse,foolish:vandal,sensible:asks_first"
    done = here("tasks", "validate", *ONE, "--courses", chosen, "--json")
    printed = json.loads(done.stdout)
    assert (done.code, printed["errors"]) == (0, [])
    assert (printed["foolish_pass"], printed["sensible_fail"]) == ([], [])
    assert printed["courses"] == {
        "reference": {"played": 1, "passed": 1},
        "null": {"played": 1, "passed": 0},
        "claims": {"played": 1, "passed": 0},
        "foolish:refuse": {"played": 1, "passed": 0},
        "foolish:vandal": {"played": 1, "passed": 0},
        "sensible:asks_first": {"played": 1, "passed": 1},
    }


def test_a_course_is_not_played_where_it_is_as_good_as_the_reference(here: Here) -> None:
    done = here("tasks", "validate", *ONE, "--courses", "foolish:guess")
    assert done.code == 0
    row = next(line.split() for line in done.stdout.splitlines() if line.startswith("foolish:"))
    assert row[:4] == ["foolish:guess", "0", "0", "none"]


def test_a_sample_is_the_same_every_time_and_smaller(here: Here) -> None:
    options = ("tasks", "validate", *ONE, "--courses", "foolish:refuse", "--one-in", "1000000")
    played = json.loads(here(*options, "--json").stdout)["courses"]
    assert played["foolish:refuse"]["played"] == 0
    assert played["reference"]["played"] == 1


def test_a_course_nobody_knows_is_named(here: Here) -> None:
    done = here("tasks", "validate", "--courses", "foolish:gess")
    assert (done.code, done.stderr.count("\n")) == (USAGE, 1)
    assert "--courses is one of none, foolish, sensible, foolish:refuse, " in done.stderr
    done = here("run", "--agent", "foolish:gess")
    assert done.code == USAGE
    assert all(name in done.stderr for name in COURSES if name.startswith("foolish"))


def test_a_course_is_played_by_its_name(here: Here) -> None:
    ids = ("--task-ids", "ask_seat_heating", "--pace", "virtual", "--json")
    printed = json.loads(here("run", "--agent", "foolish:refuse", *ids).stdout)
    assert printed["latency_profile"] == "zero"
    assert (printed["evaluated"], printed["infra_error"]) == (1, 0)


def test_what_plays_in_other_processes_ends_with_the_command(tmp_path: Path) -> None:
    some = ",".join(sorted(file.stem for file in task_files(shipped_tasks()))[:40])
    with started("tasks", "validate", "--task-ids", some, folder=tmp_path) as validating:
        validating.until("[1/")
        children = Path(f"/proc/{validating.process.pid}/task/{validating.process.pid}/children")
        begun = [Path("/proc") / pid for pid in children.read_text().split()]
        playing = [each for each in begun if b"spawn_main" in (each / "cmdline").read_bytes()]
        assert len(playing) == 2
        validating.process.terminate()
        assert validating.finish().code == INTERRUPTED
    assert [each for each in playing if each.exists()] == []
