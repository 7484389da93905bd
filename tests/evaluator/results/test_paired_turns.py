import pytest

from evaluator.results.differences import LateTurns, late_difference, latency_difference
from evaluator.results.paired_turns import PairedTurn, paired_turns, slower_turns, waits
from evaluator.results.rows.played_turns import PlayedTurns
from evaluator.results.store import UnitResult
from tests.evaluator.episodes import Episode, unit

MS = 1_000_000


def played(
    *upl_ms: int | None, task: str = "base_1", trial: int = 0, late_ms: float = 0.0
) -> UnitResult:
    episode = Episode()
    for each in upl_ms:
        episode.turn(late_ms=late_ms, upl=None if each is None else each * MS)
    return unit(task, trial, episode=episode)


def paired(
    first: list[UnitResult], second: list[UnitResult], shared: list[str]
) -> list[PairedTurn]:
    return paired_turns(PlayedTurns.of(first), PlayedTurns.of(second), shared)


def test_a_turn_pairs_with_that_of_the_same_number_and_is_the_median_of_its_trials() -> None:
    one = [played(100, 200), played(300, 200, trial=1), played(120, 200, trial=2)]
    [first, second] = paired(one, [played(500, 600, 700)], ["base_1"])
    assert (first.task_id, first.turn, first.turn_class) == ("base_1", 1, "B")
    assert (first.spans["upl"], second.spans["upl"]) == ((120, 500), (200, 600))
    assert waits([first, second], "upl") == {"base_1": [(120, 500), (200, 600)]}


def test_what_only_one_run_has_is_left_out() -> None:
    [turn] = paired([played(100)], [played(None)], ["base_1"])
    assert "upl" not in turn.spans
    assert paired([played(100)], [played(100, task="base_2")], ["base_1", "base_2"]) == []
    assert paired([played(100)], [played(100)], []) == []


def test_what_the_bench_delayed_is_no_turn_to_compare() -> None:
    assert paired([played(100)], [played(100, late_ms=500)], ["base_1"]) == []


def test_slower_turns_come_with_the_wait_that_grew_most_and_beyond_the_error_only() -> None:
    grown = PairedTurn("a", 1, "B", {"upl": (100, 400), "upl_content": (100, 900)})
    worst = PairedTurn("b", 2, "B", {"upl": (100, 2000)})
    as_before = PairedTurn("c", 1, "B", {"upl": (100, 104), "turnaround": (100, 900)})
    found = slower_turns([grown, as_before, worst], error_ms=5)
    assert [(turn.task_id, turn.span) for turn in found] == [("b", "upl"), ("a", "upl_content")]


@pytest.mark.parametrize(("turns", "known"), [(99, False), (100, True)])
def test_the_change_of_a_p95_has_an_interval_over_many_turns_only(turns: int, known: bool) -> None:
    tasks = {str(each): [(100.0 + each, 300.0 + each)] for each in range(turns)}
    row = latency_difference(tasks, "seed", error_ms=0.0, trusted=True)
    assert row is not None
    assert (row.p95_lo is not None) is known
    if row.p95_lo is not None and row.p95_hi is not None:
        assert 0 < row.p95_lo <= row.second_p95 - row.first_p95 <= row.p95_hi


def test_late_turns_count_by_share_of_their_trials_and_once_per_turn() -> None:
    steady = late_difference([LateTurns(4, 1.0, 1.0)] * 20, "seed")
    worse = late_difference([LateTurns(4, 0.0, 1.0)] * 20, "seed")
    few = late_difference([LateTurns(4, 0.0, 4.0)] * 2, "seed")
    many = late_difference([LateTurns(4, 0.0, 1.0)] * 2000, "seed")
    assert None not in (steady, worse, few, many)
    verdicts = [each.verdict for each in (steady, worse, few, many) if each]
    assert verdicts == ["equal", "worse", "undecided", "worse"]
    assert late_difference([], "seed") is None
