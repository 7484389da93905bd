import asyncio

import pytest

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.wizard import WizardMessage
from assistant_gateway.protocol import SessionStart
from evaluator.person.driver_seat import DriverSeat
from evaluator.person.seat import NotAccepted
from evaluator.person.updates import Asked, DriverSaid, NotAsked, UnitScored, WizardSent
from evaluator.person.wizard_seat import WizardSeat, phrases
from evaluator.task.worlds import own_world
from user_sim.script import DriverBrief, Script
from vehicle_bus.car.state import CarSetup
from vehicle_bus.vehicle import Vehicle

START = SessionStart(
    instructions="Be brief.", tools=Vehicle(CarSetup(), own_world()).declarations()
)


def wizard() -> WizardSeat:
    seat = WizardSeat()
    seat.begin(START, "s1")
    return seat


async def asked(seat: WizardSeat) -> "asyncio.Task[WizardMessage]":
    """A conversation that waits for the person."""
    waiting = asyncio.create_task(seat.message(), name="waits")
    with seat.feed() as feed:
        async for update in feed:
            if isinstance(update, Asked):
                return waiting
    raise AssertionError("it never waited")


async def test_what_a_person_sends_is_taken_once_and_only_when_it_is_their_turn() -> None:
    seat = wizard()
    with pytest.raises(NotAccepted, match="not your turn"):
        seat.send(WizardMessage("Hello."))
    waiting = await asked(seat)
    seat.send(WizardMessage("Hello."))
    with pytest.raises(NotAccepted, match="not your turn"):
        seat.send(WizardMessage("Hello again."))
    assert await waiting == WizardMessage("Hello.")


async def test_a_call_that_does_not_fit_its_tool_is_not_sent() -> None:
    seat = wizard()
    waiting = await asked(seat)
    for call, why in (
        (Call("set_fan_speed", {"level": 9}), "set_fan_speed: level must be"),
        (Call("set_fan_speed", {}), "level"),
        (Call("open_garage", {}), "this car has no tool open_garage"),
    ):
        with pytest.raises(NotAccepted, match=why):
            seat.send(WizardMessage(calls=(call,)))
    fits = WizardMessage(calls=(Call("set_fan_speed", {"level": 3}),))
    seat.send(fits)
    assert await waiting == fits


async def test_a_driver_who_waits_no_longer_ends_the_turn_of_the_person() -> None:
    seat = wizard()
    waiting = await asked(seat)
    waiting.cancel()
    await asyncio.wait([waiting])
    assert not seat.asked
    with seat.feed() as feed:
        assert list(feed.rest())[-1] == NotAsked()


async def test_a_page_that_is_opened_later_is_shown_the_conversation_so_far() -> None:
    seat = wizard()
    seat.heard("Open the trunk.")
    waiting = await asked(seat)
    seat.send(WizardMessage("It's done."))
    await waiting
    seat.scored("task: reward 1")
    with seat.feed() as feed:
        kinds = [type(each) for each in feed.rest()]
    assert kinds[1:] == [DriverSaid, Asked, NotAsked, WizardSent, UnitScored]
    seat.begin(START, "s2")
    with seat.feed() as feed:
        texts = [each.text for each in feed.rest() if isinstance(each, UnitScored)]
    assert texts == ["task: reward 1"]


def test_ready_phrases_hand_over_unless_they_promise_more() -> None:
    keeps = {each["text"]: each["keeps_turn"] for each in phrases()}
    assert keeps["One moment, please."]
    assert not keeps["It's done."]


async def test_a_driver_ends_only_with_a_word_that_the_task_offers() -> None:
    seat = DriverSeat()
    seat.begin(DriverBrief(instruction="Trunk.", script=Script(opening="Open the trunk.")))
    opening = asyncio.create_task(seat.decision(opening=True), name="opening")
    with seat.feed() as feed:
        async for update in feed:
            if isinstance(update, Asked):
                break
    for word, say, why in (
        ("STOP", "", "nothing was said yet"),
        ("CONTINUE", "  ", "CONTINUE says something"),
        ("HALLUCINATION_ERROR", "", "the word is one of"),
    ):
        with pytest.raises(NotAccepted, match=why):
            seat.decide(word, say)
    seat.decide("CONTINUE", "Open  the trunk.")
    assert (await opening).say == "Open the trunk."
