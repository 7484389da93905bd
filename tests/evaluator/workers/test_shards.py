"""Parts of a run, and the run they make."""

import json
from pathlib import Path

import pytest

from tests.evaluator.command_line import USAGE, Here
from tests.evaluator.workers.test_processes import invocations, results

TASKS = "base_fog_lights,settle_fan,limit_no_trunk"
RUN = ("run", "--agent", "reference", "--pace", "virtual", "--broker", "embedded")
WHOLE = (*RUN, "--task-ids", TASKS, "--num-trials", 2)


def test_shards_become_the_run_that_one_process_plays(here: Here, tmp_path: Path) -> None:
    assert here(*WHOLE, "--out", "alone").code == 0
    for number in (1, 2, 3):
        played = here(*WHOLE, "--out", f"shard-{number}", "--shard", f"{number}/3")
        assert played.code == 0
        assert "[2/2]" in played.stderr
        assert "2 of 6 episodes evaluated" in played.stdout
    merged = here("merge", "shard-1", "shard-2", "shard-3", "--out", "whole", "--json")
    assert json.loads(merged.stdout) == {"out": "whole", "planned": 6, "units": 6, "twice": 0}
    assert results(tmp_path / "whole") == results(tmp_path / "alone")
    assert "6 of 6 episodes evaluated" in here("score", "whole").stdout


def test_what_no_shard_has_is_played_by_a_resume(here: Here, tmp_path: Path) -> None:
    assert here(*WHOLE, "--out", "alone").code == 0
    assert here(*WHOLE, "--out", "shard-1", "--shard", "1/3").code == 0
    assert here("run", "--out", "shard-1", "--resume").code == 0
    assert len(results(tmp_path / "shard-1")) == 2
    merged = here("merge", "shard-1", "--out", "whole")
    assert merged.stdout == (
        "whole holds 2 of 6 units\nplay the others with: codriver run --out whole --resume\n"
    )
    assert here("run", "--out", "whole", "--resume").code == 0
    assert results(tmp_path / "whole") == results(tmp_path / "alone")
    played = [(call.units, call.workers) for call in invocations(tmp_path / "whole")]
    assert played == [(2, 1), (4, 1)]
    assert here("report", "whole").code == 0
    assert "resumed" in (tmp_path / "whole" / "report.html").read_text()


def test_a_unit_in_two_shards_is_kept_once_if_its_results_are_the_same(
    here: Here, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        assert here(*WHOLE, "--out", name, "--shard", "1/2").code == 0
    merged = here("merge", "a", "b", "--out", "whole")
    assert "3 units came twice, with the same result" in merged.stdout
    assert results(tmp_path / "whole") == results(tmp_path / "a")


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (("--agent", "null"), "it differs in agent (reference, now null)"),
        (("--seed", "11"), "it differs in seed (10, now 11)"),
    ],
)
def test_parts_of_another_run_are_refused(
    here: Here, tmp_path: Path, other: tuple[str, ...], why: str
) -> None:
    assert here(*WHOLE, "--out", "a", "--shard", "1/6").code == 0
    here(*WHOLE, *other, "--out", "b", "--shard", "2/6")
    refused = here("merge", "a", "b", "--out", "whole")
    assert (refused.code, refused.stderr.count("\n")) == (USAGE, 1)
    assert f"b is no part of the same run as a: {why}" in refused.stderr
    assert not (tmp_path / "whole").exists()


def test_two_different_results_of_one_unit_are_refused(here: Here, tmp_path: Path) -> None:
    live = ("run", "--agent", "reference", "--broker", "embedded", "--task-ids", TASKS)
    for name in ("a", "b"):
        assert here(*live, "--allow-slow-bench", "--out", name, "--shard", "1/3").code == 0
    refused = here("merge", "a", "b", "--out", "whole")
    assert (refused.code, refused.stderr.count("\n")) == (USAGE, 1)
    assert "a and b have different results of base_fog_lights:0" in refused.stderr
    assert not (tmp_path / "whole").exists()


@pytest.mark.parametrize("shard", ["0/2", "3/2", "2", "a/b", "-1/2"])
def test_a_shard_is_a_number_of_parts(here: Here, shard: str) -> None:
    refused = here("run", f"--shard={shard}")
    assert (refused.code, refused.stderr.count("\n")) == (USAGE, 1)
    assert "--shard is a number of parts such as 2/8" in refused.stderr
