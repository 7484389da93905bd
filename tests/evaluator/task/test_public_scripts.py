import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from evaluator.task.marked_yaml import read
from evaluator.task.public_scripts import checksum, folder, reviews
from evaluator.task.public_tasks import public_tasks
from evaluator.task.task import Task
from tests.evaluator.task.test_public_tasks import lay_out, row
from user_sim.script import Script
from user_sim.script_problems import script_problems

PROSE = "You want to set the fan speed to level 3."
FILES = sorted(folder().glob("*.yaml"))
REVIEW = {"reviewed": checksum(PROSE), "why": "dull", "opening": "Fan to three, please."}
FOLDER = os.environ.get("CODRIVER_CAR_BENCH", "")
published = pytest.mark.skipif(
    not FOLDER, reason="CODRIVER_CAR_BENCH names no folder with the public tasks"
)


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Script]:
    """Reads a public task with this prose while these reviews are the ones that ship."""

    def script(prose: str, **written: object) -> Script:
        monkeypatch.setattr("evaluator.task.public_scripts.folder", lambda: tmp_path / "reviews")
        (tmp_path / "reviews").mkdir()
        (tmp_path / "reviews" / "base.yaml").write_text(yaml.safe_dump(written))
        [task] = public_tasks(lay_out(tmp_path, row(instruction=prose), splits={}))
        assert task.driver.script is not None
        return task.driver.script

    return script


def test_a_review_replaces_fields_of_the_derived_script(script: Callable[..., Script]) -> None:
    found = script(f"{PROSE} If the assistant asks for a level, you want 3.", **{})
    assert (found.origin, len(found.answers)) == ("derived", 1)


def test_a_reviewed_script_says_so(script: Callable[..., Script]) -> None:
    found = script(PROSE, base_0=REVIEW)
    assert (found.origin, found.opening) == ("reviewed", "Fan to three, please.")


def test_a_review_without_changes_keeps_the_derived_script(script: Callable[..., Script]) -> None:
    found = script(PROSE, base_0={"reviewed": checksum(PROSE)})
    assert (found.origin, found.opening) == ("reviewed", "I want to set the fan speed to level 3.")


def test_a_review_holds_only_for_the_prose_that_was_read(script: Callable[..., Script]) -> None:
    assert script("You want to open the trunk.", base_0=REVIEW).origin == "derived"


def test_a_review_can_repeat_what_another_one_replaces(script: Callable[..., Script]) -> None:
    other = REVIEW | {"confirm": "Sure."}
    mine = {"reviewed": checksum(PROSE), "like": "base_1", "why": "shorter", "confirm": "Yes."}
    found = script(PROSE, base_0=mine, base_1=other)
    assert (found.opening, found.confirm) == ("Fan to three, please.", "Yes.")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"openning": "Hello."}, "openning: Extra inputs are not permitted"),
        ({"answers": [{"when": ["fan"]}]}, "answers.0.say: Field required"),
        ({"origin": "written"}, "origin: expected nothing here, this is filled in"),
        ({"why": ""}, "why: expected where fields are replaced, and only there"),
        ({"reviewed": None}, "reviewed: Input should be a valid string"),
    ],
)
def test_what_is_wrong_with_a_review_is_named(
    script: Callable[..., Script], changes: dict[str, object], problem: str
) -> None:
    with pytest.raises(ValueError, match=r"base\.yaml: base_0: ") as raised:
        script(PROSE, base_0=REVIEW | changes)
    assert str(raised.value).endswith(f"base_0: {problem}")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_reviews_that_ship_have_the_right_form(file: Path) -> None:
    found = reviews(file)
    assert len(found) == len(read(file.read_text(encoding="utf-8")).value) > 0
    likened = {review.like for review in found.values() if review.like}
    assert likened <= {name for name, other in reviews(folder() / "base.yaml").items() if other.why}


@published
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_reviews_that_ship_are_of_published_tasks(file: Path) -> None:
    lines = (Path(FOLDER) / f"tasks_{file.stem}.jsonl").read_text("utf-8").splitlines()
    known = {task["task_id"]: checksum(task["instruction"]) for task in map(json.loads, lines)}
    wrong = {
        task_id for task_id, one in reviews(file).items() if known.get(task_id) != one.reviewed
    }
    assert wrong == set()


@published
def test_reviewed_scripts_are_sound() -> None:
    problems: dict[str, list[str]] = {}
    for task in _reviewed():
        if task.driver.script is not None:
            found = script_problems(task.driver.script, task_type=task.task_type)
            problems |= {task.task_id: found} if found else {}
    assert problems == {}


@published
def test_reviewed_scripts_speak_in_sentences() -> None:
    """A comma in a list without quotes cuts a sentence in two."""
    for task in _reviewed():
        script = task.driver.script
        assert script is not None
        said = [script.opening, *script.followups, *(answer.say for answer in script.answers)]
        assert [text for text in said if text[0] != text[0].upper()] == [], task.task_id


@published
def test_requests_of_reviewed_scripts_take_all_expected_actions() -> None:
    for task in _reviewed():
        requests, script = task.expect.requests, task.driver.script
        assert script is not None
        assert len(requests) == (1 + len(script.followups) if script.followups else 0), task.task_id
        taken = sum(request.actions for request in requests)
        assert taken == (len(task.expect.actions) if requests else 0), task.task_id


@published
def test_reviewed_scripts_are_in_our_own_words() -> None:
    """Eight words in a row are a sentence of the prose."""
    copied = set()
    for task in _reviewed():
        prose = f" {' '.join(_words(task.driver.instruction))} "
        review = reviews(folder() / f"{task.main_type}.yaml")[task.task_id]
        said = _words(json.dumps(review.fields, ensure_ascii=False))
        copied |= {
            (task.task_id, " ".join(eight))
            for eight in zip(*(said[at:] for at in range(8)), strict=False)
            if f" {' '.join(eight)} " in prose
        }
    assert copied == set()


def _reviewed() -> list[Task]:
    tasks = public_tasks(Path(FOLDER))
    reviewed = [
        task for task in tasks if task.driver.script and task.driver.script.origin == "reviewed"
    ]
    assert reviewed
    return reviewed


def _words(text: str) -> list[str]:
    return "".join(c.lower() if c.isalnum() else " " for c in text).split()
