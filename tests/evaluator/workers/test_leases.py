from hypothesis import given
from hypothesis import strategies as st

from evaluator.run.units import Unit
from evaluator.workers.leases import Leases, key_of
from tests.evaluator.runs import SOME

UNITS = [Unit(task, trial) for trial in range(2) for task in SOME.tasks[:3]]


def test_a_unit_that_was_played_is_not_played_again() -> None:
    leases = Leases(UNITS)
    taken = leases.take(2)
    assert leases.accepts(key_of(taken[0]), 0, 0, last=True)
    assert [unit.lease for unit in leases.give_up(taken)] == [0]
    assert [(key_of(unit), unit.lease) for unit in leases.take(2)] == [
        (key_of(taken[1]), 1),
        (key_of(UNITS[2]), 0),
    ]


def test_a_late_result_of_a_lost_worker_is_dropped_and_counted() -> None:
    leases = Leases(UNITS[:1])
    (unit,) = leases.take(8)
    leases.give_up([unit])
    (again,) = leases.take(8)
    assert not leases.accepts(key_of(unit), 0, unit.lease, last=True)
    assert leases.accepts(key_of(again), 0, again.lease, last=True)
    assert not leases.accepts(key_of(unit), 0, unit.lease, last=True)
    assert leases.late == 2
    assert leases.done


def test_an_attempt_counts_once() -> None:
    leases = Leases(UNITS[:1])
    leases.take(1)
    key = key_of(UNITS[0])
    assert leases.accepts(key, 0, 0, last=False)
    assert not leases.accepts(key, 0, 0, last=False)
    assert leases.accepts(key, 1, 0, last=True)
    assert leases.late == 1


def test_all_trials_of_a_task_go_to_one_worker_as_long_as_there_is_something_for_each() -> None:
    leases = Leases(UNITS, workers=2)
    first, second, third = (unit.task.task_id for unit in UNITS[:3])
    assert [unit.task.task_id for unit in leases.take(3, 2)] == [second, second, third]
    assert [unit.task.task_id for unit in leases.take(9, 1)] == [first, third, first]


@given(st.lists(st.sampled_from(["take", "play", "lose", "late"]), max_size=60), st.data())
def test_whatever_is_lost_every_unit_counts_exactly_once(
    events: list[str], data: st.DataObject
) -> None:
    leases, out, lost, kept = Leases(UNITS), [], [], []
    for event in [*events, *["take", "play"] * len(UNITS)]:
        if event == "take":
            out += leases.take(data.draw(st.integers(1, 3)) if events else 1)
        elif event == "play" and out:
            unit = out.pop(0)
            if leases.accepts(key_of(unit), 0, unit.lease, last=True):
                kept.append(key_of(unit))
        elif event == "lose" and out:
            leases.give_up(out)
            lost += out
            out = []
        elif event == "late" and lost:
            unit = lost.pop()
            assert not leases.accepts(key_of(unit), 0, unit.lease, last=True)
    assert leases.done
    assert sorted(kept) == sorted(map(key_of, UNITS))
