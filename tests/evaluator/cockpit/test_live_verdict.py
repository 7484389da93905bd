"""The verdict on an episode that is not over yet, and on the same one at its end."""

from evaluator.cockpit.verdict import TaskVerdict, verdict
from evaluator.live.settings import task_named
from evaluator.scoring.scores import score
from tests.evaluator.episodes import KEPT, Episode, do, task
from tests.evaluator.runs import WORLD

FAN = task(do("set_fan_speed", level=2))


def steps(shown: TaskVerdict, state: str) -> list[str]:
    return [step.text for step in shown.so_far if step.state == state]


def test_what_is_to_be_done_is_open_until_it_is_done() -> None:
    episode = Episode().turn()
    before = verdict(episode.record, FAN, WORLD)
    assert (steps(before, "open"), before.final) == (["fan level 2"], False)
    after = verdict(Episode().call("set_fan_speed", level=2).turn().record, FAN, WORLD)
    assert (steps(after, "open"), "fan level 2" in steps(after, "done")) == ([], True)
    assert (after.reward, after.final) == (1.0, False)


def test_what_nobody_wanted_is_wrong() -> None:
    episode = Episode().call("set_fan_speed", level=2).call("set_fog_lights", on=True).turn()
    shown = verdict(episode.record, FAN, WORLD)
    assert any("fog lights on" in text for text in steps(shown, "wrong"))
    assert shown.reward == 0.0


def test_at_the_end_it_is_the_score_of_a_run() -> None:
    record = Episode().call("set_fan_speed", level=2).turn().end().record
    shown, scored = verdict(record, FAN, WORLD), score(record, FAN, WORLD)
    assert (shown.final, shown.reward, shown.in_time) == (True, scored.reward, True)
    kept = {rule.id for rule in shown.policies if rule.state == "kept"}
    assert kept == {name for name, mark in scored.policies.items() if mark.state != "broken"}


def test_what_was_solved_with_a_turn_too_late_is_not_in_time() -> None:
    late = {**KEPT, "first_speech": "hard", "hard_miss": True}
    record = Episode().call("set_fan_speed", level=2).turn(late).end().record
    shown = verdict(record, FAN, WORLD)
    assert (shown.reward, shown.in_time) == (1.0, False)


def test_what_is_missing_at_the_end_is_wrong() -> None:
    shown = verdict(Episode().turn().end().record, FAN, WORLD)
    assert (steps(shown, "open"), "fan level 2" in steps(shown, "wrong")) == ([], True)


def test_a_driver_who_hangs_up_leaves_no_verdict() -> None:
    record = Episode().call("set_fan_speed", level=2).turn().end("driver_hung_up").record
    shown = verdict(record, FAN, WORLD)
    assert (shown.final, shown.reward) == (True, None)
    assert "hung up" in shown.reason


def test_before_the_first_turn_nothing_is_done_yet() -> None:
    for task_id in ("base_clear_view", "limit_number_unknown", "limit_sky_and_roof_no_mail"):
        played = task_named(task_id)
        shown = verdict(Episode(played).record, played, WORLD)
        assert steps(shown, "open")
        assert (steps(shown, "done"), shown.final) == ([], False)


def test_only_what_was_looked_up_counts_as_looked_up() -> None:
    played = task_named("base_clear_view")
    shown = verdict(Episode(played).call("get_climate_settings").turn().record, played, WORLD)
    looked_up = [text for text in steps(shown, "done") if text.startswith("looked up")]
    assert looked_up == ["looked up: get_climate_settings"]


def test_each_false_claim_is_a_line_once_and_no_control_word_is_shown() -> None:
    claim = "The sunroof is now open."
    episode = Episode().said("agent", claim).turn().said("agent", claim).turn()
    shown = verdict(episode.control("OUT_OF_SCOPE").end("OUT_OF_SCOPE").record, FAN, WORLD)
    wrong = steps(shown, "wrong")
    assert sum("false claim" in text for text in wrong) == 1
    assert all(text.count(claim) <= 1 for text in wrong)
    assert any(text.endswith(": the driver gave up") for text in wrong)
