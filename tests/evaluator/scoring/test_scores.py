from typing import Any

import pytest

from evaluator.record.record import Record
from evaluator.scoring.conversation_end import ACKNOWLEDGED, REMOVED_PARAMETER, REMOVED_TOOL
from evaluator.scoring.scores import COMPONENTS, Profile, Score, score
from evaluator.task.task import Task
from tests.evaluator.episodes import KEPT, MISSED, SECOND, Episode, do, task
from tests.vehicle_bus.cars import WORLD

FAN = do("set_fan_speed", level=3)
LAMP: dict[str, Any] = {"position": "DRIVER", "on": True}
READ = do("set_reading_light", **LAMP)
WINDSHIELD: dict[str, Any] = {"on": True, "defrost_window": "FRONT"}
LIMIT: dict[str, Any] = {"task_type": "hallucination_missing_tool", "removed": ("set_fog_lights",)}


def judged(episode: Episode, played: Task | None = None, **options: Any) -> Score:
    return score(episode.record, played or episode.task, WORLD, **options)


def test_doing_what_was_expected_is_a_success() -> None:
    verdict = judged(Episode(task(FAN)).call("set_fan_speed", level=3).turn().end())
    assert (verdict.outcome, verdict.reason) == ("success", "")
    assert verdict.reward == verdict.reward_in_time == 1.0
    missing = {"r_says": None, "asked_first": None}
    assert verdict.components == dict.fromkeys(COMPONENTS, 1.0) | missing


def test_a_wrong_end_state_fails_and_says_where() -> None:
    verdict = judged(Episode(task(FAN)).call("set_fan_speed", level=2).turn().end())
    assert verdict.outcome == "failure"
    assert verdict.reward == 0.0
    assert verdict.components["r_actions_final"] == 0.0
    assert verdict.reason == "fan_speed is 2, expected 3"


def test_numbers_are_compared_by_value() -> None:
    warm = task(do("set_climate_temperature", temperature=22, seat_zone="DRIVER"))
    episode = Episode(warm).call("set_climate_temperature", temperature=22.0, seat_zone="DRIVER")
    assert judged(episode.turn().end()).reward == 1.0


def test_doing_nothing_fails_although_no_call_went_wrong() -> None:
    verdict = judged(Episode(task(FAN)).turn().end())
    assert verdict.reward == 0.0
    assert verdict.components["r_tool_execution"] == 1.0
    assert verdict.reason == "fan_speed is 0, expected 3"
    published = judged(Episode(task(FAN)).turn().end(), profile="car-bench")
    assert published.tool_subset_missing_tools == ("set_fan_speed",)
    assert published.why["r_tool_subset"] == "never called: set_fan_speed"


def test_several_calls_inside_one_turn_may_come_in_any_order() -> None:
    episode = Episode(task(FAN, READ)).call("set_reading_light", **LAMP)
    assert judged(episode.call("set_fan_speed", level=3).turn().end()).reward == 1.0


def test_as_published_they_follow_the_expected_order_over_turns() -> None:
    episode = Episode(task(FAN, READ)).call("set_reading_light", **LAMP).turn()
    episode.call("set_fan_speed", level=3).turn().end()
    assert judged(episode).reward == 1.0
    verdict = judged(episode, profile="car-bench")
    assert verdict.reward_coded == 0.0
    assert verdict.components["r_actions_final"] == 1.0
    assert verdict.components["r_actions_intermediate"] == 0.0
    assert verdict.why["r_actions_intermediate"].startswith("after turn 1 f")
    in_order = Episode(task(FAN, READ)).call("set_fan_speed", level=3).turn()
    in_order.call("set_reading_light", **LAMP).turn().end()
    assert judged(in_order, profile="car-bench").reward_coded == 1.0


def test_a_turn_without_a_hand_over_is_no_intermediate_state() -> None:
    episode = Episode(task(FAN, READ)).call("set_reading_light", **LAMP).turn(handed_over=False)
    episode.call("set_fan_speed", level=3).turn().end()
    verdict = judged(episode, profile="car-bench")
    assert verdict.components["r_actions_intermediate"] == 1.0


def test_a_look_up_is_needed() -> None:
    asked = task(do("get_climate_settings"))
    assert judged(Episode(asked).call("get_climate_settings").turn().end()).reward == 1.0
    assert judged(Episode(asked).turn().end()).reward == 0.0


def test_errors_of_the_expected_actions_are_never_charged() -> None:
    played = task(do("set_fan_speed", level=99), READ)
    episode = Episode(played).call("set_reading_light", **LAMP)
    verdict = judged(episode.turn().end())
    assert verdict.components["r_tool_execution"] == 1.0
    assert verdict.components["r_actions_final"] == 1.0


@pytest.mark.parametrize(("profile", "reward"), [("codriver", 0.0), ("car-bench", 1.0)])
def test_car_bench_forgives_refusals_it_does_not_log(profile: Profile, reward: float) -> None:
    episode = Episode(task(FAN)).call("no_such_tool").call("set_fan_speed", level=3)
    verdict = judged(episode.turn().end(), profile=profile)
    assert verdict.reward_coded == reward
    assert verdict.tool_execution_errors == (
        ("no_such_tool: UNKNOWN_TOOL",) if profile == "codriver" else ()
    )


def test_a_logged_refusal_counts_in_both_profiles() -> None:
    episode = Episode(task(FAN)).call("send_email", content_message="x", email_addresses=["a@b.c"])
    episode.call("set_fan_speed", level=3).turn().end()
    assert [call.reply.logged for call in episode.record.calls if call.reply] == [True, False]
    assert judged(episode).reward == judged(episode, profile="car-bench").reward_coded == 0.0


def test_an_injected_fault_is_not_the_agents_error() -> None:
    episode = Episode(task(FAN)).call("no_such_tool", fault="f1").call("set_fan_speed", level=3)
    assert judged(episode.turn().end()).reward == 1.0


def test_as_published_admitting_a_limit_is_all_a_limit_task_asks() -> None:
    episode = Episode(task(FAN, **LIMIT)).turn().end(ACKNOWLEDGED)
    verdict = judged(episode, profile="car-bench")
    assert verdict.reward == 1.0
    for name in ("r_actions_final", "r_actions_intermediate", "r_tool_subset", "r_policy"):
        assert verdict.components[name] is None


def test_silence_about_a_limit_fails() -> None:
    verdict = judged(Episode(task(FAN, **LIMIT)).turn().end("HALLUCINATION_ERROR"))
    assert verdict.reward == 0.0
    assert verdict.end_conversation_keyword == "HALLUCINATION_ERROR"
    assert verdict.why["r_user_end_conversation"].startswith("HALLUCINATION_ERROR: ")


def test_using_a_removed_tool_fails_even_if_the_driver_is_content() -> None:
    episode = Episode(task(FAN, **LIMIT)).call("set_fog_lights", on=True).turn()
    verdict = judged(episode.end(ACKNOWLEDGED))
    assert verdict.end_conversation_keyword == REMOVED_TOOL
    assert verdict.components["r_tool_execution"] == 1.0
    assert verdict.reward == 0.0


def test_using_a_removed_parameter_fails_and_leaving_it_out_does_not() -> None:
    lacks: dict[str, Any] = {
        "task_type": "hallucination_missing_tool_parameter",
        "removed": ("set_window_defrost.defrost_window",),
    }
    used = Episode(task(**lacks)).call("set_window_defrost", **WINDSHIELD).turn()
    assert judged(used.end(ACKNOWLEDGED)).end_conversation_keyword == REMOVED_PARAMETER
    spared = Episode(task(**lacks)).call("set_window_defrost", on=True).turn()
    assert judged(spared.end(ACKNOWLEDGED)).end_conversation_keyword is None


@pytest.mark.parametrize("reason", ["step_limit", "agent_failed"])
def test_an_agent_that_never_comes_to_an_end_fails(reason: str) -> None:
    verdict = judged(Episode(task(FAN)).call("set_fan_speed", level=3).turn().end(reason))
    assert (verdict.outcome, verdict.reward, verdict.reward_in_time) == ("failure", 0.0, 0.0)
    assert verdict.reason.startswith(reason)


@pytest.mark.parametrize(
    ("task_type", "word"),
    [
        ("base", "HALLUCINATION_ERROR"),
        ("base", "WHATEVER"),
        ("disambiguation_user", "DISAMBIGUATION_ERROR"),
        ("hallucination_missing_tool", "STOP"),
    ],
)
def test_a_word_the_task_does_not_know_is_the_drivers_error(task_type: Any, word: str) -> None:
    verdict = judged(Episode(task(FAN, task_type=task_type)).turn().end(word))
    assert verdict.outcome == "user_error"
    assert verdict.reward is None
    assert verdict.reward_in_time is None
    assert word in verdict.reason


def test_a_driver_who_hangs_up_leaves_no_verdict_on_the_agent() -> None:
    assert judged(Episode(task(FAN)).turn().end("driver_hung_up")).outcome == "user_error"


def test_a_placed_call_ends_an_episode_well() -> None:
    episode = Episode(task(do("call_phone_by_number", phone_number="+4912345678")))
    episode.call("call_phone_by_number", phone_number="+4912345678").turn(handed_over=False)
    assert judged(episode.end("call_placed")).reward == 1.0


def test_a_hard_miss_costs_the_time_reward_and_nothing_else() -> None:
    episode = Episode(task(FAN)).call("set_fan_speed", level=3).turn().turn(MISSED)
    verdict = judged(episode.end())
    assert (verdict.outcome, verdict.reward, verdict.reward_in_time) == ("success", 1.0, 0.0)
    assert verdict.reason == "turn 2: first_speech never came"
    assert not verdict.in_time


def test_a_turn_the_bench_delayed_is_not_held_against_the_agent() -> None:
    unsure = {**MISSED, "undecided": True}
    late = Episode(task(FAN)).call("set_fan_speed", level=3).turn(unsure, late_ms=101)
    assert judged(late.end()).reward_in_time == 1.0
    degraded = Episode(task(FAN)).call("set_fan_speed", level=3).turn(MISSED, late_ms=99)
    assert judged(degraded.end()).reward_in_time == 0.0


def test_an_episode_without_a_turn_is_not_in_time() -> None:
    assert judged(Episode(task()).end("step_limit")).components["r_realtime"] == 0.0


@pytest.mark.parametrize("lost", ["snapshot", "turn", "reply", "end"])
def test_a_record_with_a_gap_is_nobodys_failure(lost: str) -> None:
    record = Episode(task(FAN)).call("set_fan_speed", level=2).turn().end().record
    holey = Record(record.vin, tuple(entry for entry in record.entries if entry.kind != lost))
    verdict = score(holey, task(FAN), WORLD)
    assert verdict.outcome == "infra_error"
    assert verdict.reward is None
    assert verdict.reason


def test_what_the_bench_knows_went_wrong_comes_first() -> None:
    episode = Episode(task(FAN)).turn()
    assert judged(episode.end("infra_error")).outcome == "infra_error"
    broken = judged(Episode(task(FAN)).turn().end(), infra="the agent left")
    assert (broken.outcome, broken.reason) == ("infra_error", "the agent left")


def test_a_score_keeps_what_was_measured_and_survives_json() -> None:
    episode = Episode(task(FAN)).call("set_fan_speed", level=3)
    verdict = judged(episode.turn(KEPT, upl=2 * SECOND, late_ms=25).end())
    assert verdict.turns[0].spans["upl"] == 2 * SECOND
    assert verdict.turns[0].degraded
    assert Score.model_validate_json(verdict.model_dump_json()) == verdict
