from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.timing.timeline import SECOND, SessionClock, Timeline, wall_ns


@given(st.lists(st.integers(min_value=0, max_value=20)))
def test_events_come_by_time_and_among_equals_in_the_order_they_were_planned(
    dues: list[int],
) -> None:
    timeline = Timeline()
    for order, due_ns in enumerate(dues):
        timeline.at(due_ns, order)
    popped = [timeline.pop() for _ in dues]
    assert [(due.due_ns, due.event) for due in popped] == sorted(
        (due_ns, order) for order, due_ns in enumerate(dues)
    )


def test_the_past_cannot_be_planned() -> None:
    timeline = Timeline()
    timeline.at(5, "late")
    timeline.pop()
    assert timeline.at(3, "too late").due_ns == 5


def test_a_cancelled_event_never_comes() -> None:
    timeline = Timeline()
    timeline.at(1, "no").cancelled = True
    timeline.at(2, "yes")
    assert timeline.next_due_ns == 2
    assert timeline.pop().event == "yes"


def test_virtual_time_stands_still_until_it_jumps() -> None:
    clock = SessionClock("virtual")
    assert clock.now() == 0
    clock.jump(7 * SECOND)
    assert clock.of(wall_ns() + SECOND) == 7 * SECOND


def test_fast_time_passes_only_while_somebody_is_waited_for() -> None:
    clock = SessionClock("fast")
    assert clock.of(wall_ns() + SECOND) == 0
    clock.flow(True)
    waited = clock.of(wall_ns() + SECOND)
    assert SECOND <= waited < 2 * SECOND
    clock.flow(False)
    held = clock.now()
    assert clock.of(wall_ns() + SECOND) == held
    clock.jump(held + SECOND)
    assert clock.now() == held + SECOND


def test_live_time_is_wall_time() -> None:
    clock = SessionClock("live")
    clock.flow(False)
    assert clock.of(wall_ns() + SECOND) >= SECOND
