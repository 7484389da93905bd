import pytest

from evaluator.problems import UsageProblem
from evaluator.results.summary import Summary, summary
from evaluator.views.gates import least_shares, misses
from tests.evaluator.episodes import manifest, unit


def half_in_time() -> Summary:
    """Four tasks, three solved, two of them in time."""
    names = [f"base_{i}" for i in range(4)]
    units = [unit(names[0]), unit(names[1]), unit(names[2], components={"r_realtime": 0.0})]
    return summary(manifest(*names), [*units, unit(names[3], outcome="failure")])


def test_a_run_misses_only_the_shares_it_did_not_reach() -> None:
    run = half_in_time()
    assert list(misses(run, least_shares(["solved=0.75", "in_time=0.5"]))) == []
    assert list(misses(run, least_shares(["solved=0.9", "in_time=0.8"]))) == [
        "75.0 % solved, less than 90.0 %",
        "50.0 % solved in time, less than 80.0 %",
    ]


def test_what_is_not_known_is_not_reached() -> None:
    patient = manifest("base_1", conditions={"patience_s": 60})
    [sentence] = misses(summary(patient, [unit("base_1")]), {"in_time": 0.0})
    assert sentence == "it is not known how much was solved in time"
    assert list(misses(summary(manifest(), []), {"solved": 0.0})) != []


@pytest.mark.parametrize("text", ["solved", "solved=", "solved=90", "solved=nan", "late=0.5", "="])
def test_a_limit_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageProblem, match="--fail-under is solved=SHARE or in_time=SHARE"):
        least_shares([text])
