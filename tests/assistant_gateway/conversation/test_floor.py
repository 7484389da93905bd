"""The table of the floor's states, and that nothing happens which it does not list."""

from typing import get_args

import pytest

from assistant_gateway.conversation.floor import (
    TRANSITIONS,
    Floor,
    FloorEvent,
    FloorState,
    IllegalTransition,
)
from tests.assistant_gateway.talking import PLAN

EVENTS: tuple[FloorEvent, ...] = get_args(FloorEvent)
STATES: tuple[FloorState, ...] = get_args(FloorState)


def test_every_state_is_listed_and_can_be_left_until_the_session_is_over() -> None:
    assert set(TRANSITIONS) == set(STATES)
    assert {state for state in STATES if not TRANSITIONS[state]} == {"over"}
    assert {event for row in TRANSITIONS.values() for event in row} == set(EVENTS)


@pytest.mark.parametrize("state", STATES)
def test_what_a_state_does_not_list_is_a_defect_and_changes_nothing(state: FloorState) -> None:
    for event in EVENTS:
        floor = Floor(PLAN)
        floor.state = state
        if event in TRANSITIONS[state]:
            floor.move(event)
            assert floor.state == TRANSITIONS[state][event]
        else:
            with pytest.raises(IllegalTransition, match=f"'{event}'.*'{state}'"):
                floor.move(event)
            assert floor.state == state
