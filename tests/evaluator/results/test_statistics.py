import time
from functools import partial
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.results.statistics import (
    Bootstrap,
    Tally,
    first_trials,
    flip_rate,
    mean,
    nearest_rank,
    pass_at,
    pass_hat,
    tallies,
    wilson,
)

TRIALS = st.lists(st.booleans(), min_size=1, max_size=7)


@given(TRIALS, st.data())
def test_pass_hat_k_is_the_share_of_draws_that_all_succeed(
    trials: list[bool], data: st.DataObject
) -> None:
    k = data.draw(st.integers(1, len(trials)))
    draws = list(combinations(trials, k))
    share = sum(all(draw) for draw in draws) / len(draws)
    assert pass_hat(Tally(sum(trials), len(trials)), k) == pytest.approx(share)


@given(TRIALS, st.data())
def test_pass_at_k_is_the_share_of_draws_with_a_success(
    trials: list[bool], data: st.DataObject
) -> None:
    k = data.draw(st.integers(1, len(trials)))
    draws = list(combinations(trials, k))
    share = sum(any(draw) for draw in draws) / len(draws)
    assert pass_at(Tally(sum(trials), len(trials)), k) == pytest.approx(share)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans())))
def test_tallies_count_per_task(results: list[tuple[str, bool]]) -> None:
    counted = tallies(results)
    assert set(counted) == {task for task, _ in results}
    for task, tally in counted.items():
        trials = [success for name, success in results if name == task]
        assert tally == Tally(sum(trials), len(trials))


@given(st.lists(TRIALS, min_size=1, max_size=12), st.integers(1, 3))
def test_the_estimate_is_the_plain_mean_over_tasks_with_enough_trials(
    tasks: list[list[bool]], k: int
) -> None:
    per_task = {str(i): Tally(sum(trials), len(trials)) for i, trials in enumerate(tasks)}
    estimate = Bootstrap(per_task, "seed", resamples=50).mean(lambda t: pass_hat(t, k), k)
    enough = [pass_hat(tally, k) for tally in per_task.values() if tally.trials >= k]
    if not enough:
        assert estimate is None
        return
    assert estimate is not None
    assert estimate.tasks == len(enough)
    assert estimate.value == pytest.approx(sum(enough) / len(enough))
    assert estimate.lo <= estimate.hi


def test_an_interval_is_as_wide_as_theory_says() -> None:
    half = {str(i): Tally(i % 2, 1) for i in range(200)}
    estimate = Bootstrap(half, "seed").mean(lambda tally: pass_hat(tally, 1))
    assert estimate is not None
    normal = 1.96 * (0.25 / 200) ** 0.5
    assert estimate.lo == pytest.approx(0.5 - normal, abs=0.012)
    assert estimate.hi == pytest.approx(0.5 + normal, abs=0.012)


def test_equal_results_have_equal_intervals_whatever_the_tasks_are_called() -> None:
    one = {f"a{i}": Tally(i % 3, 3) for i in range(30)}
    other = {f"b{29 - i}": Tally(i % 3, 3) for i in range(30)}
    assert Bootstrap(one, "s").mean(lambda t: pass_hat(t, 1)) == Bootstrap(other, "s").mean(
        lambda t: pass_hat(t, 1)
    )


@given(st.lists(TRIALS, min_size=1, max_size=8), st.integers(1, 3))
def test_the_first_k_trials_are_all_or_nothing(tasks: list[list[bool]], k: int) -> None:
    results = [
        (str(task), trial, success)
        for task, trials in enumerate(tasks)
        for trial, success in enumerate(trials)
    ]
    first = first_trials(results, k)
    assert set(first) == {str(i) for i, trials in enumerate(tasks) if len(trials) >= k}
    for task_id, tally in first.items():
        played = tasks[int(task_id)][:k]
        assert (pass_hat(tally, k), pass_at(tally, k)) == (all(played), any(played))


def test_a_missing_first_trial_is_no_success() -> None:
    assert first_trials([("a", 2, True)], 1) == {"a": Tally(0, 1)}


@pytest.mark.parametrize("tasks", [3, 100, 254, 300])
def test_samples_of_any_size_are_fair(tasks: int) -> None:
    only_one = {str(i): Tally(int(i == 0), 1) for i in range(tasks)}
    bootstrap = Bootstrap(only_one, "seed", resamples=4000)
    drawn = [sample[-1] for sample in bootstrap._samples]
    assert sum(drawn) / len(drawn) == pytest.approx(1, abs=0.08)
    assert {sum(sample) for sample in bootstrap._samples} == {tasks}


def test_no_results_are_no_estimate() -> None:
    assert Bootstrap({}, "seed").mean(lambda tally: pass_hat(tally, 1)) is None
    assert flip_rate({}) is None
    assert mean([]) is None


def test_a_whole_public_set_takes_less_than_a_second() -> None:
    per_task = {str(i): Tally(i % 4, 3) for i in range(254)}
    started = time.process_time()
    bootstrap = Bootstrap(per_task, "seed")
    for k in (1, 2, 3):
        bootstrap.mean(partial(pass_hat, k=k), k)
    assert time.process_time() - started < 1.0


def test_a_task_flips_when_trials_disagree() -> None:
    per_task = {"a": Tally(1, 3), "b": Tally(3, 3), "c": Tally(0, 3), "d": Tally(1, 1)}
    assert flip_rate(per_task) == pytest.approx(1 / 3)


@given(st.lists(st.integers(), min_size=1), st.floats(0.01, 1.0))
def test_nearest_rank_is_the_smallest_value_that_covers_the_share(
    values: list[int], share: float
) -> None:
    ordered = sorted(values)
    found = nearest_rank(ordered, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values) - 1e-6
    smaller = [value for value in values if value < found]
    assert len(smaller) < share * len(values) + 1e-6


def test_a_few_tasks_that_all_passed_leave_doubt_and_many_leave_little() -> None:
    few, many = (
        Bootstrap({str(n): Tally(1, 1) for n in range(tasks)}, "seed").mean(lambda t: t.successes)
        for tasks in (3, 300)
    )
    assert few is not None
    assert many is not None
    assert (few.value, few.hi) == (1, 1)
    assert 0.4 < few.lo < 0.5
    assert many.lo > 0.98


@pytest.mark.parametrize("solved", [0, 1, 2])
def test_tasks_that_all_did_alike_do_not_look_certain(solved: int) -> None:
    """Also half of the trials of each: samples of such tasks are all the same."""
    per_task = {f"base_{number}": Tally(solved, 2) for number in range(4)}
    found = Bootstrap(per_task, "seed").mean(lambda tally: pass_hat(tally, 1))
    assert found is not None
    assert found.hi - found.lo > 0.3


def test_wilsons_interval_holds_the_share_and_narrows_with_more_trials() -> None:
    lo, hi = wilson(90, 100)
    assert (lo, hi) == pytest.approx((0.8256, 0.9448), abs=1e-4)
    assert wilson(900, 1000)[0] > lo
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(10, 10)[1] == 1.0
    assert wilson(0, 0) == (0.0, 1.0)
