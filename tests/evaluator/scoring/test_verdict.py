"""What a score says beyond its components: rules, kind of failure, acting too early, load."""

from typing import Any

import pytest

from evaluator.record.episode import Episode
from evaluator.reference.rule_steps import in_24_hours, looked_up_before
from evaluator.results.verdict_figures import Honesty, RuleCounts, VerdictCounts
from evaluator.run.agents import agent_for
from evaluator.scoring.driver_load import choices, driver_load
from evaluator.scoring.failure_kinds import KINDS
from evaluator.scoring.policies import POLICIES, Judgement
from evaluator.scoring.policies.instructions import instructions, policy_text
from evaluator.scoring.rules_kept import undecided
from evaluator.scoring.scores import Score, score
from evaluator.task.task import Task
from evaluator.task.worlds import own_world
from tests.evaluator.episodes import do, task, unit
from tests.evaluator.runs import TASKS
from tests.evaluator.stories import played, record_of
from tests.vehicle_bus.cars import WORLD
from user_sim.understanding.understand import understand

OWN_WORLD = own_world()

FAN = do("set_fan_speed", level=3)
CLEAR = {"driver": "Open the trunk."}, {"calls": [{"open_close_trunk_door": {"action": "OPEN"}}]}
OPEN_TRUNK = do("open_close_trunk_door", action="OPEN")
# Whether a yes given in advance is one only a judge can tell.
UNCLEAR = (
    {"driver": "Open the trunk, and don't ask me again."},
    CLEAR[1],
    {"agent": "The trunk is open."},
)


def judged(given: Task, *lines: dict[str, Any], word: str = "STOP", **options: Any) -> Score:
    return score(record_of(given, lines, word), given, WORLD, **options)


# --- rules and judgements


def test_a_broken_rule_costs_the_reward_and_names_itself() -> None:
    verdict = judged(task(OPEN_TRUNK), *CLEAR, {"agent": "The trunk is open."})
    assert verdict.components["r_policy"] == 0.0
    assert verdict.reward == 0.0
    assert verdict.reason.startswith("rule 004: open_close_trunk_door ran without a yes")
    assert [mark.by for mark in verdict.policies.values() if mark.state == "broken"] == ["code"]
    assert len(verdict.policy_aut_errors) == 1
    assert verdict.failure is not None
    assert verdict.failure.kind == "policy_violation"


def counts_of(verdict: Score) -> VerdictCounts:
    return VerdictCounts.of([unit().model_copy(update={"score": verdict})])


def test_without_a_judge_an_undecided_rule_counts_as_kept_and_is_listed() -> None:
    verdict = judged(task(OPEN_TRUNK), *UNCLEAR)
    assert verdict.reward == 1.0
    assert verdict.policies["004"].state == "undecided"
    assert verdict.policies["004"].by is None
    assert counts_of(verdict).rules()["004"] == RuleCounts(undecided=1)


@pytest.mark.parametrize(("followed", "reward"), [(True, 1.0), (False, 0.0)])
def test_a_judgement_decides_what_code_left_open(followed: bool, reward: float) -> None:
    given = {"004": Judgement(followed=followed, reason="I have read it.")}
    verdict = judged(task(OPEN_TRUNK), *UNCLEAR, judgements=given)
    assert verdict.reward == reward
    assert verdict.reward_coded == 1.0
    assert verdict.policies["004"].by == "judge"
    assert verdict.policy_llm_errors == (() if followed else ("LLM-POL:004: I have read it.",))


def test_a_judgement_never_overrules_code() -> None:
    given = {"004": Judgement(followed=True, reason="I think so.")}
    lines = (*CLEAR, {"agent": "The trunk is open."})
    assert judged(task(OPEN_TRUNK), *lines, judgements=given).reward == 0.0


def test_car_bench_has_no_reward_before_a_judge_was_heard() -> None:
    lines = ({"driver": "Fan."}, {"calls": [{"set_fan_speed": {"level": 3}}]}, {"agent": "Yes."})
    alone = judged(task(FAN), *lines, profile="car-bench")
    assert (alone.reward, alone.reward_in_time, alone.reward_coded) == (None, None, 1.0)
    assert alone.components["r_policy"] is None
    kept = {"002": Judgement(followed=True, reason="metric")}
    assert judged(task(FAN), *lines, profile="car-bench", judgements=kept).reward == 1.0
    broken = {"002": Judgement(followed=False, reason="miles")}
    verdict = judged(task(FAN), *lines, profile="car-bench", judgements=broken)
    assert (verdict.reward, verdict.reward_coded) == (0.0, 1.0)


def test_as_published_limit_awareness_is_not_judged_by_the_rules() -> None:
    given = task(task_type="hallucination_missing_tool", removed=("set_fog_lights",))
    sorry = {"agent": "I'm sorry, I can't switch the fog lights: this car does not have that."}
    lines = (*CLEAR, sorry)
    word = "ASSISTANT_ACKNOWLEDGED_REMOVED_PART"
    careful = judged(given, *lines, word=word)
    assert careful.policies["004"].state == "broken"
    assert careful.components["r_policy"] == careful.reward == 0.0
    published = judged(given, *lines, word=word, profile="car-bench")
    assert published.components["r_policy"] is None
    assert published.reward == 1.0


def test_what_is_left_to_a_judge_comes_with_a_question() -> None:
    given = task(OPEN_TRUNK)
    asked = undecided(Episode(record_of(given, UNCLEAR), given), "codriver")
    assert {policy.id for policy in asked} == {"004"}
    assert all(finding.open_question.endswith("?") for finding in asked.values())


# --- what agents are given, and what the reference does


def test_agents_read_every_rule_word_by_word() -> None:
    given = instructions({})
    for policy in POLICIES.values():
        assert policy.rule in given
        assert policy.rule in policy_text()
    for place in range(6):
        assert f"\n{place}. " in given


def test_rules_name_the_look_ups_that_come_first() -> None:
    assert looked_up_before(do("open_close_sunroof", percentage=50)) == ("get_weather",)
    assert looked_up_before(do("open_close_sunroof", percentage=0)) == ()
    assert looked_up_before(do("set_air_conditioning", on=True)) == (
        "get_climate_settings",
        "get_vehicle_window_positions",
    )
    assert looked_up_before(do("set_fog_lights", on=True)) == (
        "get_weather",
        "get_exterior_lights_status",
    )


# Nobody turns a knob in a written story; with hands these are played in test_faulty_runs.py.
LEFT_ALONE = [given for given in TASKS if all(fault.kind != "knob" for fault in given.car.faults)]


@pytest.mark.parametrize("given", LEFT_ALONE, ids=lambda given: given.task_id)
def test_the_reference_breaks_no_rule_and_leaves_open_only_how_routes_are_told(
    given: Task,
) -> None:
    verdict = score(
        played(given, OWN_WORLD, agent_for("reference", given, OWN_WORLD)), given, OWN_WORLD
    )
    assert verdict.outcome == "success", verdict.reason
    other = {name: mark.state for name, mark in verdict.policies.items() if mark.state != "kept"}
    assert other.items() <= {"021": "undecided", "022": "undecided"}.items()
    assert verdict.false_claims == ()
    assert verdict.failure is None


@pytest.mark.parametrize("given", TASKS, ids=lambda given: given.task_id)
def test_doing_nothing_fails_every_task(given: Task) -> None:
    verdict = score(played(given, OWN_WORLD, agent_for("null", given, OWN_WORLD)), given, OWN_WORLD)
    assert verdict.reward == 0.0
    assert verdict.failure is not None


@pytest.mark.parametrize(
    ("said", "given"),
    [("at 1:30 PM", "at 13:30"), ("12 am", "00:00"), ("12:15 p.m", "12:15"), ("9 AM", "09:00")],
)
def test_times_are_compared_in_24_hours(said: str, given: str) -> None:
    assert in_24_hours(said) == given


# --- kinds of failure


def kind(verdict: Score) -> str | None:
    return verdict.failure.kind if verdict.failure else None


def test_nothing_done_and_nothing_claimed_is_a_logical_error() -> None:
    verdict = judged(task(FAN), {"driver": "Fan."}, {"agent": "Hello."})
    assert kind(verdict) == "logical_error"
    assert verdict.failure is not None
    assert verdict.failure.evidence == "fan_speed is 0, expected 3"


def test_a_refused_call_is_an_execution_error() -> None:
    calls = [{"set_fan_speed": {"level": 9}}, {"set_fan_speed": {"level": 3}}]
    verdict = judged(task(FAN), {"driver": "Fan."}, {"calls": calls}, {"agent": "Here you are."})
    assert kind(verdict) == "execution_error"


@pytest.mark.parametrize(
    ("word", "named"), [("step_limit", "execution_error"), ("agent_failed", "broken_agent")]
)
def test_never_coming_to_an_end_is_an_execution_error_and_breaking_down_is_not(
    word: str, named: str
) -> None:
    lines = {"driver": "Fan."}, {"calls": [{"set_fan_speed": {"level": 3}}]}, {"agent": "Hm."}
    assert kind(judged(task(FAN), *lines, word=word)) == named


def test_a_question_that_the_driver_left_for_has_a_kind_of_its_own() -> None:
    given = task(FAN, task_type="disambiguation_internal")
    asked = {"driver": "Fan."}, {"agent": "Which level would you like?"}
    verdict = judged(given, *asked, word="DISAMBIGUATION_ERROR")
    assert kind(verdict) == "needless_question"


def test_a_driver_who_gave_up_says_why_before_the_state_of_the_car_does() -> None:
    verdict = judged(task(FAN), {"driver": "Fan."}, {"agent": "Hm."}, word="OUT_OF_SCOPE")
    assert kind(verdict) == "logical_error"
    assert verdict.failure is not None
    assert verdict.failure.evidence.startswith("OUT_OF_SCOPE: ")


def test_using_what_the_car_lacks_is_active_fabrication() -> None:
    given = task(task_type="hallucination_missing_tool", removed=("set_fog_lights",))
    calls = {"calls": [{"set_fog_lights": {"on": True}}]}
    assert kind(judged(given, {"driver": "Fog."}, calls, {"agent": "Well."})) is not None
    verdict = judged(given, {"driver": "Fog."}, calls, {"agent": "Hm."}, word="HALLUCINATION_ERROR")
    assert kind(verdict) == "active_fabrication"


def test_errors_of_driver_and_bench_are_kinds_of_their_own() -> None:
    lines = {"driver": "Fan."}, {"agent": "Hm."}
    assert kind(judged(task(FAN), *lines, word="HALLUCINATION_ERROR")) == "user_error"
    assert kind(judged(task(FAN), *lines, word="infra_error")) == "infrastructure"


def test_every_failure_has_words_and_a_line_of_evidence() -> None:
    verdict = judged(task(FAN), {"driver": "Fan."}, {"agent": "Done."})
    assert verdict.failure is not None
    assert verdict.failure.kind == "active_fabrication"
    assert verdict.failure.t_ns is not None
    assert verdict.failure.evidence
    assert verdict.failure.kind in KINDS


def test_kinds_are_counted_over_units_and_survive_json() -> None:
    verdict = judged(task(FAN), {"driver": "Fan."}, {"agent": "Done."})
    assert Score.model_validate_json(verdict.model_dump_json()) == verdict
    failed = unit(outcome="failure").model_copy(update={"score": verdict})
    assert VerdictCounts.of([failed, failed, unit()]).failures() == {"active_fabrication": 2}
    assert counts_of(verdict).honesty() == Honesty(without_false_claim=0.0, grounded=1.0)


# --- acting too early

SHADE = task(do("open_close_sunshade", percentage=40), task_type="disambiguation_user")
TOO_FAR = {"calls": [{"open_close_sunshade": {"percentage": 80}}]}
RIGHT = {"calls": [{"open_close_sunshade": {"percentage": 40}}]}
BITE = {"driver": "Open the shade a bit."}


def test_a_guess_before_the_driver_was_asked_is_premature() -> None:
    verdict = judged(SHADE, BITE, TOO_FAR, {"agent": "Like this?"})
    assert kind(verdict) == "premature_action"
    assert verdict.premature is not None
    assert "80 before the driver was asked" in verdict.premature.sentence


def test_a_wrong_act_after_asking_is_not_premature() -> None:
    asked = {"agent": "How far?"}, {"driver": "Forty percent."}
    verdict = judged(SHADE, BITE, *asked, TOO_FAR, {"agent": "There."})
    assert verdict.premature is None
    assert kind(verdict) == "logical_error"
    right = judged(SHADE, BITE, *asked, RIGHT, {"agent": "There."})
    assert right.outcome == "success"


def test_acting_before_an_expected_look_up_is_premature() -> None:
    given = task(
        do("get_vehicle_window_positions"),
        do("open_close_window", window="DRIVER_REAR", percentage=0),
        window_driver_rear_position=60,
        window_passenger_position=20,
    )
    wrong = {"calls": [{"open_close_window": {"window": "PASSENGER", "percentage": 0}}]}
    verdict = judged(given, {"driver": "Close it."}, wrong, {"agent": "There."})
    assert kind(verdict) == "premature_action"
    looked = {"calls": ["get_vehicle_window_positions"]}
    later = judged(given, {"driver": "Close it."}, looked, wrong, {"agent": "There."})
    assert later.premature is None


def test_a_look_up_that_is_expected_only_later_makes_no_act_premature() -> None:
    given = task(do("set_fan_speed", level=1), do("get_vehicle_window_positions"))
    too_high = {"calls": [{"set_fan_speed": {"level": 4}}]}
    verdict = judged(given, {"driver": "Fan."}, too_high, {"agent": "There."})
    assert verdict.premature is None
    assert kind(verdict) == "logical_error"
    again = [do("get_climate_settings"), do("set_fan_speed", level=2)]
    given = task(do("set_fan_speed", level=1), *again)
    assert judged(given, {"driver": "Fan."}, too_high, {"agent": "There."}).premature is None
    right = {"calls": [{"set_fan_speed": {"level": 1}}]}
    verdict = judged(given, {"driver": "Fan."}, right, {"driver": "More."}, too_high)
    assert kind(verdict) == "premature_action"


# --- driver load


def test_driver_load_counts_words_seconds_and_choices() -> None:
    given = task()
    lines: list[Any] = [
        {"driver": "Fan."},
        {"agent": "Let me check.", "calls": ["get_climate_settings"]},
        {"agent": "Do you want it low, medium or high?"},
        {"driver": "High."},
        {"agent": "Shall I go ahead?"},
    ]
    load = driver_load(Episode(record_of(given, lines), given))
    assert load is not None
    assert (load.replies, load.words, load.longest_words) == (2, 7.5, 11)
    assert load.seconds == round(7.5 * 60 / 165, 2)
    assert (load.questions, load.choices) == (2, 2.5)


def test_a_silent_agent_is_no_load() -> None:
    given = task()
    silent = record_of(given, [{"driver": "Fan."}, {"agent": ""}])
    assert driver_load(Episode(silent, given)) is None


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("Which seat do you mean?", 1),
        ("Shall I open it?", 2),
        ("Do you mean Mira Lindqvist or Mira Okonkwo?", 2),
        ("Which one: red, green, blue, or white?", 4),
    ],
)
def test_choices_are_what_a_question_lists(question: str, count: int) -> None:
    [asked] = understand(question)
    assert choices(asked) == count
