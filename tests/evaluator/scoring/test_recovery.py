"""Scores of episodes with injected faults."""

from typing import Any, Self

import pytest

from evaluator.results.summary import summary
from evaluator.results.verdict_figures import FaultKindCounts
from evaluator.scoring.expected import passed_states
from evaluator.scoring.scores import Score, score
from evaluator.task.expected_course import expected_course
from evaluator.task.task import Task
from tests.evaluator.episodes import MISSED, Episode, do, manifest, task, unit
from tests.vehicle_bus.cars import WORLD

FAN = do("set_fan_speed", level=2)
SORRY = "I'm sorry, I couldn't set the fan: the car doesn't respond properly right now."


class Faulty(Episode):
    """An episode whose car tells of its faults."""

    def call_with_fault(self, kind: str, tool: str, /, *, does: bool = False, **given: Any) -> Self:
        """A call that is not answered; the car may do it all the same."""
        before = self.vehicle.revision
        self.call(tool, answered=False, **given)
        status = None
        if does:
            status = self.unheard(tool, **given)
        after = self.vehicle.revision
        self.fault(
            kind, tool, answered=False, status=status, revision_before=before, revision_after=after
        )
        return self


def play(played: Task | None = None) -> Faulty:
    episode = Faulty(played or task(FAN))
    episode.said("driver", "Fan on two, please.")
    return episode


def judged(episode: Episode) -> Score:
    return score(episode.end().record, episode.task, WORLD)


def test_a_refusal_by_a_fault_is_not_the_agents_error() -> None:
    episode = play().refused("set_fan_speed", level=2)
    episode.call("set_fan_speed", level=2)
    found = judged(episode.said("agent", "The fan is on level two.").turn())
    assert found.outcome == "success"
    assert found.components["r_tool_execution"] == 1.0
    assert found.recovery is not None
    assert (found.recovery.recovered, found.recovery.noticed) == (True, True)
    assert found.recovery.retries == 1


@pytest.mark.parametrize(
    ("refusal", "outcome"),
    [("the motor of the fan is broken", "success"), ("please try again", "failure")],
)
def test_one_try_is_enough_where_the_refusal_speaks_of_no_other(refusal: str, outcome: str) -> None:
    episode = play().refused("set_fan_speed", refusal=refusal, level=2)
    found = judged(episode.said("agent", "Sorry, I couldn't change the fan speed.").turn())
    assert found.outcome == outcome


def test_a_lost_answer_spoils_no_claim_that_is_true() -> None:
    episode = play().call_with_fault("loss", "set_fan_speed", does=True, level=2)
    episode.said("agent", "Let me look.").call("get_climate_settings")
    found = judged(episode.said("agent", "I've set the fan to level two.").turn())
    assert (found.outcome, found.components["false_claim"]) == ("success", 1.0)
    assert found.recovery is not None
    assert found.recovery.recovered


def test_a_claim_after_a_lost_command_is_false_and_no_recovery() -> None:
    episode = play().call_with_fault("lost_command", "set_fan_speed", level=2)
    found = judged(episode.said("agent", "I've set the fan to level two.").turn())
    assert found.outcome == "failure"
    assert found.recovery is not None
    assert (found.recovery.noticed, found.recovery.false_claims) == (False, 1)
    assert "did not notice" in found.recovery.why


def test_what_cannot_be_done_may_be_admitted_after_a_second_try() -> None:
    episode = play().refused("set_fan_speed", level=2).refused("set_fan_speed", level=2)
    found = judged(episode.said("agent", SORRY).turn())
    assert (found.outcome, found.components["r_actions_final"]) == ("success", 1.0)


@pytest.mark.parametrize(
    ("times", "said"), [(1, SORRY), (2, "The fan is on level two."), (2, "Anything else?")]
)
def test_giving_up_too_soon_or_in_silence_is_no_excuse(times: int, said: str) -> None:
    episode = play()
    for _ in range(times):
        episode.refused("set_fan_speed", level=2)
    assert judged(episode.said("agent", said).turn()).outcome == "failure"


def test_a_mail_nobody_answered_need_not_be_sent_twice() -> None:
    mail = {"email_addresses": ["clara.wenger7734@postbox.example"], "content_message": "Hello."}
    wanted = task(do("send_email", **{**mail, "content_message": "Hi there."}))
    for does in (True, False):
        episode = play(wanted).call_with_fault("loss", "send_email", does=does, **mail)
        unsure = "The car didn't answer, so I don't know whether the mail went out."
        assert judged(episode.said("agent", unsure).turn()).components["r_actions_final"] == 1.0


def test_hammering_is_a_finding() -> None:
    episode = play()
    for _ in range(16):
        episode.refused("set_fan_speed", level=2)
    found = judged(episode.said("agent", SORRY).turn())
    assert found.recovery is not None
    assert (found.recovery.retries, found.recovery.hammered) == (15, True)
    assert not found.recovery.recovered


def test_only_the_first_word_has_to_come_in_time_while_a_fault_holds_up_the_car() -> None:
    late = {**MISSED, "first_speech": "ok", "content": "hard"}
    episode = play().call_with_fault("loss", "set_fan_speed", does=True, level=2)
    episode.call("set_fan_speed", level=2)
    found = judged(episode.said("agent", "One moment. Done.").turn(late))
    assert found.reward_in_time == 1.0
    assert (found.turns[0].held_up, found.turns[0].counts_for_latency) == (True, False)
    silent = play().call_with_fault("loss", "set_fan_speed", does=True, level=2)
    assert judged(silent.said("agent", "Done.").turn(MISSED)).reward_in_time == 0.0


def test_what_a_hand_turned_counts_as_turned_before() -> None:
    wanted = task(FAN, do("set_air_conditioning", on=True))
    window = expected_course(wanted, WORLD, [{"window_driver_position": 70}]).snapshots
    assert [state["window_driver_position"] for state in window] == [70, 70, 70]
    assert expected_course(wanted, WORLD, [{"fan_speed": 5}]).snapshots[-1]["fan_speed"] == 2
    turned_later = {**expected_course(wanted, WORLD).snapshots[-1], "fan_speed": 5}
    assert turned_later in passed_states(wanted, WORLD, [{"fan_speed": 5}])


def test_the_assistant_has_the_last_word_over_a_hand() -> None:
    episode = play().call("set_fan_speed", level=2).turned(fan_speed=5)
    episode.call("get_climate_settings")
    overruled = judged(episode.said("agent", "The fan is on two.").turn())
    assert overruled.components["r_actions_final"] == 0.0
    episode = play().call("set_fan_speed", level=2).turned(fan_speed=5)
    episode.said("agent", "The fan is on two.").turn()
    found = judged(episode.call("set_fan_speed", level=2).turn())
    assert found.outcome == "success"


def test_a_summary_tells_how_faults_were_got_over() -> None:
    good = play().refused("set_fan_speed", level=2).call("set_fan_speed", level=2).turn()
    bad = play().call_with_fault("lost_command", "set_fan_speed", level=2)
    bad.said("agent", "I've set the fan to level two.").turn()
    units = [
        unit("base_1", recovery=judged(good).recovery),
        unit("base_2", outcome="failure", recovery=judged(bad).recovery),
        unit("base_3"),
    ]
    counts = summary(manifest("base_1", "base_2", "base_3"), units).recovery
    assert counts is not None
    assert (counts.faulted, counts.recovered, counts.noticed) == (2, 1, 0.5)
    assert counts.by_kind["refusal"] == FaultKindCounts(faulted=1, recovered=1)
    assert summary(manifest("base_3"), units[2:]).recovery is None
