import pytest

from evaluator.reference.difficulty import (
    AXES,
    BANDS,
    band,
    difficulty,
    domains,
    facts_of,
    kept_back,
    manner_class,
    rules_met,
)
from evaluator.task.task import Task
from tests.evaluator.runs import BY_ID, TASKS
from user_sim.script import Answer, Script


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        ("calls", ["1", "1", "2-3", "2-3", "4-5", "4-5", "6+"]),
        ("domains", ["1", "1", "2", "3+", "3+", "3+", "3+"]),
        ("rules", ["0", "1-2", "1-2", "3+", "3+", "3+", "3+"]),
        ("kept_back", ["0", "1", "2+", "2+", "2+", "2+", "2+"]),
        ("conditions", ["0", "1+", "1+", "1+", "1+", "1+", "1+"]),
    ],
)
def test_each_axis_has_a_few_bands(axis: str, expected: list[str]) -> None:
    assert [band(number, BANDS[axis]) for number in range(7)] == expected


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.task_id)
def test_every_task_has_a_place_on_every_axis(task: Task) -> None:
    found = difficulty(task)
    assert tuple(found.bands()) == AXES
    assert found.domains
    assert found.manner != "other"


def test_what_is_looked_at_for_a_rule_alone_is_no_domain() -> None:
    task = BY_ID["base_sunroof_in_rain"]
    assert "get_weather" in {action.name for action in task.expect.actions}
    assert domains(task) == {"vehicle"}
    assert rules_met(task) == {"005", "008", "009", "024"}


def says(opening: str, *answers: str) -> Script:
    return Script(
        opening=opening, answers=tuple(Answer(when=("which",), say=say) for say in answers)
    )


@pytest.mark.parametrize(
    ("opening", "answer", "number"),
    [
        ("Take me to Graz.", "The fastest route, please.", 1),
        ("Take me to Graz, the fastest route.", "The fastest one.", 0),
        ("Heat my seat.", "To level three.", 1),
        ("Heat my seat on three.", "Level 3, please.", 0),
        ("Mail Wenger.", "Clara Wenger.", 1),
        ("A stop, if it isn't too far.", "Eight minutes at most.", 1),
        ("Close the window.", "The one behind me.", 1),
        ("Close the window.", "No, thanks.", 0),
        ("Open it all the way.", "All the way.", 0),
    ],
)
def test_a_detail_is_kept_back_if_no_request_tells_it(
    opening: str, answer: str, number: int
) -> None:
    assert kept_back(says(opening, answer)) == number


@pytest.mark.parametrize(
    ("opening", "conditions"),
    [
        ("If it's dry there, take me there. If not, stay.", 1),
        ("Unless it's raining, open the roof.", 1),
        ("Open the roof, if you can.", 0),
        ("If I leave now, when am I there?", 0),
    ],
)
def test_conditions_are_counted(opening: str, conditions: int) -> None:
    task = BY_ID["base_fog_lights"]
    driver = task.driver.model_copy(update={"script": says(opening)})
    found = difficulty(task.model_copy(update={"driver": driver}))
    assert found.conditions == conditions


@pytest.mark.parametrize(
    ("manner", "expected"),
    [
        ("commanding", "brisk"), ("conversational", "talkative"), ("questioning", "questioning"),
        ("apologetic and talkative", "polite"), ("a little forgetful", "vague"),
        ("relaxed", "calm"), ("orange", "other"), (None, "other"),
    ],
)  # fmt: skip
def test_manners_are_of_a_few_kinds(manner: str | None, expected: str) -> None:
    assert manner_class(manner) == expected


def test_a_result_repeats_what_it_is_grouped_by() -> None:
    facts = facts_of(BY_ID["ask_which_mira"])
    assert (facts["family"], facts["twin"]) == ("ask_which_mira", None)
    assert facts["difficulty"].kept_back == 1
