import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.evaluator.command_line import USAGE, Here

DONE = {"task": "base_fog_lights", "reply": "Fog lights and low beams are on.", "done": "all"}
REFUSED = {
    "task": "limit_no_trunk", "reply": "I can't open the trunk in this car.", "done": "all",
}  # fmt: skip
CLAIMED = {"task": "base_fog_lights", "reply": "I've switched on the fog lights.", "done": 0}


def written(folder: Path, *rows: Any) -> Path:
    file = folder / "replies.jsonl"
    file.write_text("\n\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


def test_every_line_gets_a_line_with_what_the_driver_does(here: Here, tmp_path: Path) -> None:
    done = here("tasks", "hear", written(tmp_path, DONE, REFUSED))
    first, second = done.stdout.splitlines()
    assert first.split()[:2] == ["base_fog_lights", "STOP"]
    assert second.split()[:2] == ["limit_no_trunk", "ASSISTANT_ACKNOWLEDGED_REMOVED_PART"]


def test_json_is_one_object_a_line_with_what_the_scoring_notes(here: Here, tmp_path: Path) -> None:
    printed = here("tasks", "hear", written(tmp_path, REFUSED, CLAIMED), "--json").stdout
    refused, claimed = map(json.loads, printed.splitlines())
    assert refused["admits"] == [REFUSED["reply"]]
    assert refused["claims"] == refused["denies"] == []
    assert claimed["claims"] == [CLAIMED["reply"]]
    assert refused.keys() == {"task", "word", "say", "reason", "admits", "claims", "denies"}


def test_earlier_turns_and_calls_change_what_the_driver_does(here: Here, tmp_path: Path) -> None:
    asked = {"task": "base_fog_lights", "reply": "Shall I switch the fog lights on?"}
    file = written(tmp_path, asked, {**asked, "done": "all"})
    before, after = map(json.loads, here("tasks", "hear", file, "--json").stdout.splitlines())
    assert (before["word"], after["word"]) == ("CONTINUE", "CONTINUE")
    assert before["say"] != after["say"]


def test_other_keys_of_a_line_are_ignored(here: Here, tmp_path: Path) -> None:
    plain = here("tasks", "hear", written(tmp_path, DONE)).stdout
    more = {**DONE, "id": "mine-1", "writer": ["stop"], "comment": None}
    assert here("tasks", "hear", written(tmp_path, more)).stdout == plain


def test_lines_come_from_standard_input_too(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_file = here("tasks", "hear", written(tmp_path, DONE, REFUSED)).stdout
    monkeypatch.setattr("sys.stdin", StringIO(f"{json.dumps(DONE)}\n{json.dumps(REFUSED)}\n"))
    assert here("tasks", "hear", "-").stdout == from_file


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("fog lights on", "line 2: expected JSON"),
        ('{"task": "base_fog_lights"}', "line 2: reply"),
        ('{"task": "base_fog", "reply": "On."}', "line 2: there is no task 'base_fog'"),
        ('{"task": "base_fog_lights", "reply": "On.", "done": "some"}', "line 2: done"),
        ('{"task": "base_fog_lights", "reply": "On.", "done": -1}', "line 2: done"),
        ("[]", "line 2: "),
    ],
)
def test_a_line_that_does_not_fit_is_named(
    here: Here, tmp_path: Path, line: str, problem: str
) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text(f"{json.dumps(DONE)}\n{line}\n", encoding="utf-8")
    done = here("tasks", "hear", file)
    assert (done.code, done.stdout, done.stderr.count("\n")) == (USAGE, "", 1)
    assert problem in done.stderr


def test_a_file_that_is_not_there_is_named(here: Here, tmp_path: Path) -> None:
    done = here("tasks", "hear", tmp_path / "none.jsonl")
    assert done.code == USAGE
    assert "none.jsonl cannot be read" in done.stderr
