"""Runs in which a person plays the assistant or the driver, over a real broker and sockets."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from evaluator.person.driver_seat import DriverSeat
from evaluator.person.updates import (
    CarAnswered,
    DriverHeard,
    DriverPart,
    DriverSaid,
    SessionOver,
    WizardInterrupted,
)
from evaluator.person.wizard_seat import WizardSeat
from evaluator.run.agents import AgentChoice
from evaluator.run.units import Played, RunSettings, bench
from tests.evaluator.person.hands import Seen, calling, deciding, hands, saying
from tests.evaluator.runs import BY_ID, WORLD, play_units, settings

TASK = BY_ID["settle_fan"]
PREFERENCES = {"preference_categories": {"vehicle_settings": {"climate_control": True}}}


async def wizard_plays(deeds: Any, **chosen: Any) -> tuple[Played, Seen]:
    """One unit, with a person as the assistant."""
    seat = WizardSeat()
    asked = settings(pace="fast", max_concurrency=1, **chosen)
    asked = replace(asked, agent=AgentChoice("wizard", desk=seat))
    async with asyncio.timeout(150), hands(seat, deeds(seat)) as seen, bench(asked, WORLD) as up:
        [played] = await play_units(up, [TASK])
    return played, seen


def of_kind(seen: Iterable[object], *kinds: type) -> list[Any]:
    return [each for each in seen if isinstance(each, kinds)]


async def test_what_a_wizard_says_and_calls_is_scored_and_measured_like_any_agent() -> None:
    played, seen = await wizard_plays(
        lambda seat: [
            saying(seat, "One moment, please.", keeps_turn=True),
            calling(seat, "get_user_preferences", **PREFERENCES),
            calling(seat, "set_fan_speed", level=4),
            saying(seat, "It's done: the fan is at level 4, as you like it in summer."),
        ]
    )
    [turn, *_] = played.score.turns
    assert turn.spans["upl"] is not None
    assert turn.spans["effect_latency"] is not None
    assert [call.tool for call in played.record.calls][:2] == [
        "get_user_preferences",
        "set_fan_speed",
    ]
    assert (played.score.outcome, played.score.reward) == ("success", 1)
    assert played.spent["agent"] is not None
    assert of_kind(seen, DriverSaid)[0].text in played.record.turns[0].heard_user
    assert all(each.succeeded for each in of_kind(seen, CarAnswered))
    assert of_kind(seen, SessionOver)
    assert "One moment, please. It's done" in played.record.turns[0].heard_agent


async def test_a_wizard_who_is_too_slow_is_told_that_the_driver_went_on() -> None:
    def deeds(seat: WizardSeat) -> Iterable[Any]:
        yield lambda: None  # lets the first turn pass
        while True:
            yield saying(seat, "Sorry.")

    played, seen = await wizard_plays(deeds, on_hard_limit="end")
    [cut, *_] = of_kind(seen, WizardInterrupted)
    assert cut.heard == ""
    assert played.score.outcome == "failure"


async def human_drives(deeds: Any, **chosen: Any) -> tuple[Played, Seen]:
    """One unit with the reference agent, and a person as the driver."""
    seat = DriverSeat()
    asked: RunSettings = settings(pace="fast", max_concurrency=1, **chosen)
    asked = replace(asked, user="human", user_desk=seat)
    async with asyncio.timeout(150), hands(seat, deeds(seat)) as seen, bench(asked, WORLD) as up:
        [played] = await play_units(up, [TASK])
    return played, seen


async def test_a_person_drives_a_task_and_chooses_the_last_word() -> None:
    played, seen = await human_drives(
        lambda seat: [
            deciding(seat, "CONTINUE", "The fan, please."),
            deciding(seat, "STOP"),
        ]
    )
    assert played.score.outcome == "success"
    assert played.record.controls[-1].word == "STOP"
    assert played.script is None
    [part] = of_kind(seen, DriverPart)
    assert part.goal == TASK.driver.instruction.strip()
    assert "STOP" in part.words
    [heard, *_] = of_kind(seen, DriverHeard)
    assert [call.name for call in heard.done] == ["set_fan_speed"]


async def test_a_person_who_gives_up_fails_the_unit() -> None:
    played, _ = await human_drives(
        lambda seat: [deciding(seat, "CONTINUE", "Hm."), deciding(seat, "OUT_OF_SCOPE")]
    )
    assert played.score.outcome == "failure"
