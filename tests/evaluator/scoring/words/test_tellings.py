"""What is told in words of the test's own, where the look-ups are those of the reference."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant_gateway.agents.reference import ReferenceAgent, Say
from evaluator.reference.plan import reference_plan
from evaluator.scoring.scores import Profile, Score, score
from evaluator.task.marked_yaml import read
from evaluator.task.task import Task, Telling
from evaluator.task.worlds import own_world
from tests.evaluator.runs import BY_ID
from tests.evaluator.stories import played

WORLD = own_world()
REPLIES: dict[str, Any] = read(
    Path(__file__).with_name("replies.yaml").read_text(encoding="utf-8")
).value


def cases(kind: str) -> list[tuple[str, list[str | None]]]:
    return [
        (task_id, [turns] if isinstance(turns, str) else turns)
        for task_id, both in REPLIES.items()
        for turns in both[kind]
    ]


def judged(task: Task, turns: Sequence[str | None], profile: Profile = "codriver") -> Score:
    """The score of the reference's course with other sentences at the ends of its turns."""
    left = [*turns, *[None] * len(task.expect.actions)]
    steps = [
        replace(step, text=told) if isinstance(step, Say) and (told := left.pop(0)) else step
        for step in reference_plan(task, WORLD)
    ]
    return score(played(task, WORLD, ReferenceAgent(tuple(steps))), task, WORLD, profile)


@pytest.mark.parametrize(("task_id", "turns"), cases("right"))
def test_the_answer_may_be_told_in_any_words(task_id: str, turns: list[str | None]) -> None:
    verdict = judged(BY_ID[task_id], turns)
    assert verdict.components["r_says"] == 1.0, verdict.why


@pytest.mark.parametrize(("task_id", "turns"), cases("wrong"))
def test_no_answer_and_a_wrong_one_cost_the_reward(task_id: str, turns: list[str | None]) -> None:
    verdict = judged(BY_ID[task_id], turns)
    assert verdict.components["r_says"] == 0.0
    assert verdict.reward == 0.0


def test_the_reason_shows_what_was_expected_and_the_nearest_sentence() -> None:
    verdict = judged(BY_ID["base_how_long"], ["It takes half an hour. The charge limit is at 80."])
    assert verdict.why["r_says"] == 'never told: 12 min; nearest: "It takes half an hour."'
    verdict = judged(BY_ID["fault_slow_forecast"], ["It's partly cloudy and 60 degrees."])
    assert verdict.why["r_says"] == (
        'told 60 °C, which no result says: "It\'s partly cloudy and 60 degrees."'
    )


def test_a_value_that_is_told_only_after_the_next_request_was_not_told_when_asked_for() -> None:
    vague = "We get there in the afternoon, at 15 degrees."
    late = [None, vague, vague, "With the stop it is 15:58. The mail would say 13:40. Shall I?"]
    verdict = judged(BY_ID["base_no_stop_after_all"], late)
    assert verdict.why["r_says"].startswith("not told when it was asked for: 15:58; nearest: ")


def test_what_counts_is_told_after_its_request_also_if_that_stands_behind_a_no() -> None:
    tolls = [
        "2 hours and 14 minutes, with tolls. Would you like the fan on two?",
        None,
        "The light is blue. It's toll-free, you're there at 12:58, and it rains.",
    ]
    verdict = judged(BY_ID["base_rain_where_we_end_now"], tolls)
    assert verdict.components["r_says"] == 1.0, verdict.why
    tolls[0] = "2 hours and 14 minutes, toll-free. Would you like the fan on two?"
    why = judged(BY_ID["base_rain_where_we_end_now"], tolls).why["r_says"]
    assert why.startswith("never told: toll;")


def test_the_published_profiles_do_not_look_at_words() -> None:
    task = BY_ID["base_todays_meetings"]
    verdict = judged(task, ["Ich weiß es leider nicht."], "car-bench")
    assert verdict.components["r_says"] is verdict.components["r_language"] is None
    assert verdict.reward_coded == 1.0


def test_an_answer_in_another_language_costs_the_reward() -> None:
    verdict = judged(BY_ID["fault_silent_seat"], ["Deine Sitzheizung ist jetzt auf Stufe zwei."])
    assert verdict.components["r_language"] == 0.0
    assert verdict.reason.startswith("turn 1 is not English but German:")


def test_amounts_and_patterns_may_be_expected_as_well() -> None:
    task = BY_ID["fault_slow_forecast"]
    says = (Telling(any_of=("12 min", r"soon\b")),)
    asked = task.model_copy(update={"expect": task.expect.model_copy(update={"says": says})})
    for reply, value in (("Twelve minutes.", 1), ("Soon.", 1), ("Some day.", 0)):
        assert judged(asked, [reply]).components["r_says"] == value


@pytest.mark.parametrize(
    ("any_of", "called", "why"),
    [
        ((r"\b(1|one)\b",), "", "never told: 1 or one;"),
        ((r"\bopen\b",), "", "never told: open;"),
        ((r"\bno (?:car|seat)s? .*heat\b",), "", r"never told: \bno (?:car|seat)s? .*heat\b;"),
        ((r"n['`]t\b",), "that it is not heated", "never told: that it is not heated;"),
    ],
)
def test_a_verdict_names_what_was_not_told_in_words(
    any_of: tuple[str, ...], called: str, why: str
) -> None:
    task = BY_ID["fault_slow_forecast"]
    says = (Telling(any_of=any_of, called=called),)
    asked = task.model_copy(update={"expect": task.expect.model_copy(update={"says": says})})
    assert judged(asked, ["Some day."]).why["r_says"].startswith(why)
