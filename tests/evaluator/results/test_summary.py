import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from rich.console import Console

from evaluator.report.overview import caveats, figures, top
from evaluator.results.driver_error import scripted_driver_error
from evaluator.results.store import DriverChecks
from evaluator.results.summary import summary
from evaluator.results.turn_figures import HarnessFigures, Latency, harness, latency_ms
from evaluator.results.verdict_figures import DriverFigures
from evaluator.scoring.scores import TurnScore
from evaluator.views.table import headline, table
from evaluator.views.totals import priorities_table, totals_table
from tests.evaluator.episodes import KEPT, MISSED, SPANS, Episode, manifest, unit
from vehicle_bus.contract import TurnFinished

KEYS = {
    *("run_id", "pace", "profile", "compat", "planned", "evaluated", "unsupported"),
    *("user_error", "infra_error", "reward_mean", "in_time_mean", "pass_hat_k", "pass_at_k"),
    *("flip_rate", "by_type", "latency_ms", "budget", "policy_coverage", "harness", "cost"),
    *("wall_s", "episodes_per_s", "out", "rules", "by_failure", "honesty", "driver_load"),
}
SILENT = dict.fromkeys(SPANS)


def turn(late_ms: float = 0.0, verdict: dict[str, Any] = KEPT, **spans: int | None) -> TurnScore:
    return TurnScore(
        turn=1, turn_class="B", spans={**SPANS, **spans}, verdict=verdict, harness_error_ms=late_ms
    )


def test_all_keys_are_there_even_when_nothing_was_played() -> None:
    empty = summary(manifest(), []).model_dump()
    assert set(empty) >= KEYS
    assert set(empty["budget"]) >= {"hard_miss_rate", "soft_miss_rate"}
    assert set(empty["policy_coverage"]) == {"decided", "applicable"}
    assert set(empty["harness"]) >= {"error_ms_p99", "degraded", "excluded", "trusted"}
    assert set(empty["cost"]) == {"agent", "user", "judge"}
    assert empty["reward_mean"] is None
    assert "Infinity" not in orjson.dumps(empty).decode()


def test_means_are_over_units_that_count_for_the_agent() -> None:
    units = [
        unit("base_1"),
        unit("base_2", outcome="failure", reward_in_time=0.0),
        unit("base_3", outcome="user_error"),
        unit("base_4", outcome="infra_error"),
    ]
    total = summary(manifest("base_1", "base_2", "base_3", "base_4"), units)
    assert (total.planned, total.evaluated) == (4, 2)
    assert (total.user_error, total.infra_error) == (1, 1)
    assert (total.reward_mean, total.in_time_mean) == (0.5, 0.5)


def test_consistency_is_reported_for_every_k() -> None:
    outcomes = [("base_1", "success"), ("base_2", "failure")]
    units = [unit("base_1", trial) for trial in range(3)]
    units += [unit("base_2", trial, outcomes[trial % 2][1]) for trial in range(3)]
    total = summary(manifest("base_1", "base_2", num_trials=3), units)
    assert list(total.pass_hat_k) == ["1", "2", "3"]
    assert total.pass_hat_k["1"].value == pytest.approx((1 + 2 / 3) / 2)
    assert total.pass_hat_k["3"].value == 0.5
    assert total.pass_at_k["3"].value == 1.0
    assert total.pass_hat_k["1"].lo <= total.pass_hat_k["1"].hi
    assert total.flip_rate == 0.5


def test_equal_results_have_one_summary_whatever_the_run_is_called() -> None:
    units = [unit("base_1", trial, "success" if trial else "failure") for trial in range(3)]
    one, other = (
        summary(manifest("base_1", run_id=name, broker=name), units) for name in ("r1", "r2")
    )
    assert one.model_copy(update={"run_id": "r2"}) == other


def test_types_and_scripts_have_rows_of_their_own() -> None:
    units = [
        unit("base_1"),
        unit("base_2", outcome="failure", script="derived"),
        unit("limit_1", task_type="hallucination_missing_tool"),
        unit("ambiguous_1", task_type="disambiguation_user", outcome="failure"),
    ]
    total = summary(manifest(), units)
    rows = {name: (row.script, row.reward_mean) for name, row in total.by_type.items()}
    assert rows == {
        "base (derived script)": ("derived", 0.0),
        "base (written script)": ("written", 1.0),
        "disambiguation": ("written", 0.0),
        "hallucination": ("written", 1.0),
    }
    assert total.by_script["derived"].evaluated == 1
    assert total.by_script["written"].evaluated == 3


def test_a_run_with_scripts_made_from_prose_says_how_many_were_reviewed() -> None:
    units = [unit("base_1", trial, script="reviewed") for trial in range(2)]
    units += [unit(f"base_{number}", script="derived") for number in (2, 3)]
    [note] = summary(manifest(), units).notes
    assert "1 reviewed by somebody, 2 derived" in note
    assert summary(manifest(), [unit("base_1")]).notes == []


def test_a_run_with_scripted_drivers_says_how_often_they_misread() -> None:
    scripted = summary(manifest(), [unit()])
    assert scripted.driver_error == scripted_driver_error()
    assert 0 < scripted.driver_error.lo < scripted.driver_error.misread < scripted.driver_error.hi
    said = f"misreads {scripted.driver_error.misread * 100:.0f} % of "
    assert f"scripted driver: {said}" in headline(scripted)
    assert any(line.startswith(f"Scripted driver: {said}") for line in caveats(scripted))
    played = summary(manifest(user="llm:some-model"), [unit()])
    assert played.driver_error is None
    assert "misreads" not in headline(played)


def test_persona_and_number_of_actions_have_rows_too() -> None:
    units = [
        unit("base_1").model_copy(update={"persona": "calm", "expected_actions": 10}),
        unit("base_2").model_copy(update={"persona": "calm", "expected_actions": 2}),
        unit("base_3").model_copy(update={"persona": "hasty", "expected_actions": 2}),
    ]
    total = summary(manifest(), units)
    assert {name: row.evaluated for name, row in total.by_persona.items()} == {
        "calm": 2,
        "hasty": 1,
    }
    assert list(total.by_actions) == ["2", "10"]
    assert list(total.by_subtype) == ["base"]


def test_people_see_what_was_to_settle_it() -> None:
    units = [
        unit(f"ask_{by}", task_type="disambiguation_user").model_copy(update={"settled_by": by})
        for by in (2, 5)
    ]
    table_of_both = priorities_table(summary(manifest("ask_2", "ask_5"), units))
    shown = [" ".join(line.split()) for line in printed(table_of_both, 80).splitlines()]
    assert shown[0] == "decided by units solved 95 % interval in time too late"
    assert shown[1].startswith("a stored preference 1 100 %")
    assert shown[2].startswith("asking the driver 1 100 %")
    assert priorities_table(summary(manifest("ask_2"), units[:1])) is None


def test_disambiguation_has_rows_by_what_settles_it() -> None:
    kinds: dict[str, tuple[str, int | None]] = {
        "a": ("disambiguation_internal", 2),
        "b": ("disambiguation_user", 5),
        "c": ("disambiguation_internal", None),
        "d": ("base", None),
    }
    units = [
        unit(name, task_type=kind).model_copy(update={"settled_by": settled_by})
        for name, (kind, settled_by) in kinds.items()
    ]
    rows = summary(manifest(*kinds), units).by_priority
    assert {name: row.evaluated for name, row in rows.items()} == {"2": 1, "5": 1, "unknown": 1}


def test_the_public_profile_looks_at_the_first_trials() -> None:
    units = [unit("base_1", 0, "failure"), unit("base_1", 1), unit("base_1", 2)]
    ours = summary(manifest("base_1", num_trials=3), units)
    public = summary(manifest("base_1", num_trials=3, profile="car-bench"), units)
    assert (ours.estimator, public.estimator) == ("unbiased", "first-k")
    assert ours.pass_hat_k["1"].value == pytest.approx(2 / 3)
    assert [public.pass_at_k[k].value for k in "123"] == [0, 1, 1]
    assert [public.pass_hat_k[k].value for k in "123"] == [0, 0, 0]


def test_two_runs_have_to_differ_by_more_than_the_noise() -> None:
    units = [unit(f"base_{i}", outcome="failure" if i % 2 else "success") for i in range(100)]
    total = summary(manifest(), units)
    assert total.noise_floor == pytest.approx(1.96 * (2 * 0.25 / 100) ** 0.5, abs=0.02)
    assert summary(manifest(), []).noise_floor is None


def test_coverage_is_what_counts_of_what_was_planned() -> None:
    units = [unit("base_1"), unit("base_2", outcome="infra_error")]
    assert summary(manifest("base_1", "base_2"), units).coverage == 0.5


def test_latency_is_by_nearest_rank_in_milliseconds() -> None:
    measured = latency_ms(turn(ttft_text=ms * 1_000_000) for ms in range(1, 101))
    assert measured["ttft_text"] == Latency(
        p50=50, p90=90, p95=95, p99=99, max=100, n=100, missing=0
    )


def test_a_reply_that_never_came_is_slower_than_any() -> None:
    silent = turn().model_copy(update={"spans": SILENT})
    turns = [turn(upl=100_000_000)] * 9 + [silent]
    measured = latency_ms(turns)
    assert measured["upl"] == Latency(
        p50=100, p90=100, p95=None, p99=None, max=None, n=10, missing=1
    )
    assert measured["ttft_text"].missing == 1


def test_an_effect_that_was_not_asked_for_is_not_missing() -> None:
    assert "effect_latency" not in latency_ms([turn()])


def test_ringing_without_a_word_is_neither_a_first_text_or_sound_nor_a_missing_one() -> None:
    rang = turn(ttft_text=None, first_delta=None, first_sound=None)
    assert {"ttft_text", "first_delta", "first_sound"}.isdisjoint(latency_ms([rang]))


def test_a_sound_that_never_came_is_missing() -> None:
    assert latency_ms([turn(upl=None, first_sound=None)])["first_sound"].missing == 1


def test_what_the_bench_delayed_is_counted_and_left_out() -> None:
    unsure = MISSED | {"undecided": True}
    episode = Episode().turn().turn(MISSED).turn(unsure, late_ms=150).turn(late_ms=30)
    total = summary(manifest(), [unit(episode=episode)])
    assert total.budget.hard_miss_rate == pytest.approx(1 / 3)
    assert total.harness == HarnessFigures(
        error_ms_p50=0,
        error_ms_p99=150,
        cpu_wait_ms_p50=None,
        cpu_wait_ms_p99=None,
        degraded=2,
        excluded=1,
        undecided=0,
        trusted=True,
    )
    assert total.latency_ms["upl"].n == 3


def test_a_turn_whose_short_delays_add_up_is_left_out_like_one_with_a_long_delay() -> None:
    added = TurnFinished.model_validate(
        Episode().turn().record.turns[0].model_dump()
        | {"harness": {"late_ms": 75, "added_ms": 253}}
    )
    score = TurnScore.of(added)
    assert (score.harness_error_ms, score.excluded) == (253, True)
    assert not harness([score, score]).trusted


def test_a_miss_that_no_lateness_of_the_bench_explains_is_counted() -> None:
    assert turn(late_ms=150, verdict=MISSED).hard_miss
    assert not turn(late_ms=150, verdict=MISSED | {"undecided": True}).hard_miss
    assert not turn(late_ms=5000, verdict=MISSED).hard_miss
    total = summary(manifest(), [unit(episode=Episode().turn().turn(MISSED, late_ms=150))])
    assert total.budget.hard_miss_rate == pytest.approx(1 / 2)
    assert total.latency_ms["upl"].n == 1


def test_of_a_car_held_up_while_the_bench_was_late_only_a_first_word_that_never_came_is_known() -> (
    None
):
    def held_up(first_speech: str) -> TurnScore:
        verdict = MISSED | {"first_speech": first_speech, "content": "missing"}
        return turn(late_ms=150, verdict=verdict).model_copy(update={"held_up": True})

    assert held_up("missing").hard_miss
    assert not held_up("soft").soft_miss
    assert not held_up("ok").judged


def test_how_long_the_bench_waited_for_a_cpu_stands_beside_its_error() -> None:
    waits_ms = (None, 1.0, 2.0, 60.0)
    scores = [turn().model_copy(update={"cpu_wait_ms": waited_ms}) for waited_ms in waits_ms]
    played = unit()
    scored = played.model_copy(
        update={"score": played.score.model_copy(update={"turns": tuple(scores)})}
    )
    figures = summary(manifest(), [scored]).harness
    assert (figures.cpu_wait_ms_p50, figures.cpu_wait_ms_p99) == (2.0, 60.0)


def test_a_run_with_more_than_two_percent_of_its_turns_left_out_is_not_trusted() -> None:
    def trusted(turns: int, excluded: int) -> bool:
        episode = Episode()
        for number in range(turns):
            episode.turn(late_ms=150 if number < excluded else 0)
        figures = summary(manifest(), [unit(episode=episode)])
        return bool(figures.harness.trusted)

    assert trusted(100, 2)
    assert not trusted(100, 3)
    assert trusted(10, 1)  # one turn tells nothing about so few
    assert not trusted(10, 2)


def test_a_driver_played_by_a_model_says_how_often_its_last_word_is_disputed() -> None:
    checks = [DriverChecks(), DriverChecks(repairs=2, disputed="it asked"), DriverChecks(repairs=1)]
    run = summary(manifest(), [unit(trial=n, driver=each) for n, each in enumerate(checks)])
    assert run.driver == DriverFigures(episodes=3, disputed=1, disputed_share=1 / 3, repairs=3)
    sentence = "last word is disputed in 1 of 3 episodes (33 %), and it repaired 3 turns"
    assert sentence in headline(run)
    assert summary(manifest(), [unit()]).driver is None


def test_tasks_whose_interjections_a_model_does_not_make_are_named() -> None:
    run = summary(manifest(options={"interjections_left_out": ["base_mhm_go_on"]}), [])
    assert any("base_mhm_go_on" in note for note in run.notes)


def test_unknown_cost_is_null_and_not_zero() -> None:
    priced = unit("base_1").model_copy(update={"cost": {"agent": 0.25, "user": 0.0}})
    both = summary(manifest(), [priced, priced])
    assert both.cost == {"agent": 0.5, "user": 0.0, "judge": None}
    assert summary(manifest(), [priced, unit("base_2")]).cost["agent"] is None


def test_the_headline_says_what_was_not_looked_at() -> None:
    total = summary(manifest(unsupported=("base_7", "base_8")), [unit()], out=Path("runs/r1"))
    line = headline(total)
    assert "judge off" in line
    assert "2 tasks unsupported" in line
    assert line.startswith("solved 100 %, in time 100 %; 1 of 1 episode evaluated; ")
    assert total.out == "runs/r1"


def printed(thing: Any, width: int) -> str:
    console = Console(width=width, force_terminal=False)
    with console.capture() as captured:
        console.print(thing)
    return captured.get()


@pytest.mark.parametrize("width", [60, 80, 200])
def test_the_table_fits_and_names_every_unit(width: int) -> None:
    units = [
        unit("hallucination_missing_tool_parameter_12", task_type="hallucination_missing_tool"),
        unit("disambiguation_internal_3", outcome="failure", reason="fan_speed is 2, expected 3"),
        unit("base_3", outcome="infra_error", reason="the agent left [in the middle]"),
        unit("base_4", episode=Episode().turn(MISSED)),
        unit("base_5", episode=Episode().turn(MISSED, upl=None)),
    ]
    text = printed(table(manifest(), units), width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    shown = "".join("".join(lines).split())
    for heading in ("task", "reward", "time", "p50first", "speech", "late"):
        assert heading in shown
    assert "0.90s" in shown
    assert "never" in shown
    assert "infrastructure error: the agent left [in the middle]" in " ".join(text.split())


@pytest.mark.parametrize("width", range(60, 121, 5))
def test_no_word_of_a_reason_is_broken(width: int) -> None:
    reason = "routes_to_final_destination_id is ['rll_mil_bel_836134'], expected nothing"
    shown = printed(table(manifest(), [unit(outcome="failure", reason=reason)]), width)
    assert set(reason.split()) <= set(shown.split())


def test_the_headline_names_latency_and_what_was_played_again() -> None:
    units = [unit("base_1", attempt=2), unit("base_2")]
    total = summary(manifest("base_1", "base_2", latency_profile="cloud_fast"), units)
    assert total.played_again == 2
    result, conditions = headline(total).splitlines()
    assert conditions.startswith("fast pace, cloud_fast latency, profile codriver; ")
    assert result.endswith("; 2 played again")


def test_the_headline_of_a_bench_that_was_too_slow_says_first_that_it_cannot_be_trusted() -> None:
    episode = Episode()
    for number in range(10):
        episode.turn(late_ms=150 if number < 2 else 0)
    run = summary(manifest(), [unit(episode=episode)])
    warning, result, _ = headline(run).splitlines()
    assert warning.startswith("latencies and what was in time cannot be trusted: the bench itself")
    assert "delayed 2 turns by more than 100 ms, more than 2 % of all" in warning
    assert result.startswith("solved 100 %")
    title, first, *_ = (top(manifest(), run), *caveats(run))
    assert "latencies are not to be trusted" in str(title)
    assert "delayed 2 turns" in first


def test_figures_that_are_not_to_be_trusted_say_over_how_many_turns_they_are() -> None:
    episode = Episode()
    for number in range(48):
        episode.turn(late_ms=150 if number < 46 else 0)
    solved, *timed = figures(summary(manifest(), [unit(episode=episode)]))
    assert not solved["doubted"]
    assert [each["name"] for each in timed] == ["solved in time", "first speech, median"]
    for each in timed:
        assert each["doubted"]
        assert each["note"].startswith("2 of 48 turns; not to be trusted")


def test_what_is_counted_once_is_singular() -> None:
    one = unit(episode=Episode().turn(late_ms=150))
    line = headline(summary(manifest(unsupported=("base_7",)), [one]))
    assert ", 1 turn left out" in line
    assert "1 task unsupported" in line
    assert not re.findall(r"\b1 \w+s\b", line)


def test_nobody_knows_what_others_had_planned() -> None:
    total = summary(manifest("base_1", "base_2", pace="recorded", num_trials=3), [unit("base_1")])
    assert (total.planned, total.coverage) == (1, 1.0)


def test_the_headline_names_budgets_that_are_not_the_usual_ones() -> None:
    usual, strict = (
        headline(summary(manifest(conditions={"budget_profile": name}), [unit()])).splitlines()[1]
        for name in ("default", "strict")
    )
    assert usual.startswith("fast pace, zero latency, profile codriver; ")
    assert strict.startswith("fast pace, zero latency, strict budgets, profile codriver; ")


def test_no_latency_profile_is_named_where_none_is_used() -> None:
    total = summary(manifest(agent="ws", latency_profile="cloud_fast"), [unit()])
    assert total.latency_profile is None
    assert "latency" not in headline(total)
    assert "played again" not in headline(total)


def test_a_reward_that_waits_for_a_judge_has_no_mean_but_its_coded_part_has() -> None:
    waiting = unit("base_1", reward=None, reward_in_time=None)
    total = summary(manifest("base_1", "base_2"), [waiting, unit("base_2")])
    assert (total.reward_mean, total.reward_coded_mean) == (None, 1.0)
    assert "reward not final without the judge; 100 % by the rules that code decides" in headline(
        total
    )


def test_the_totals_have_a_row_per_type_and_fit_80_columns() -> None:
    units = [unit(f"base_{i}", trial, episode=Episode().turn()) for i in (1, 2) for trial in (0, 1)]
    units += [unit("limit_1", 0, "failure", task_type="hallucination_missing_tool")]
    units += [unit("ask_1", 0, "infra_error", task_type="disambiguation_user")]
    figures = summary(manifest("base_1", "base_2", "limit_1", "ask_1", num_trials=2), units)
    text = printed(totals_table(figures), 80)
    rows = [" ".join(line.split()) for line in text.splitlines()]
    assert rows == [
        "units solved 95 % interval in time Pass^2 Pass@2 too late",
        "base 4 100 % 34 to 100 100 % 100 % 100 % 0 %",
        "disambiguation 0",
        "limit awareness 1 0 % 0 to 79 0 %",
        "all 5 67 % 0 to 100 67 % 100 % 100 % 0 %",
    ]
