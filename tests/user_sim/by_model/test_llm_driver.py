"""The model is a mock over a real socket; what it is sent is seen in what it answers to."""

from typing import Any

import pytest

from assistant_gateway.models.model import RetryPolicy
from assistant_gateway.models.spending import Prices
from tests.assistant_gateway.mock_models import scripted
from user_sim.by_model.llm_driver import MOST_TURNS, LlmDriver
from user_sim.driver import SCRIPT_BROKEN, UNAVAILABLE, DriverGaveUp
from user_sim.script import DriverBrief
from user_sim.scripted import Decision

BRIEF = DriverBrief(instruction="You ask for seat heating, level three if you are asked.")


def turn(say: str, word: str = "CONTINUE") -> dict[str, Any]:
    return {"reason": "it fits", "word": word, "say": say}


def says(say: str, word: str = "CONTINUE", **rule: Any) -> dict[str, Any]:
    return {"json": turn(say, word), "usage": {"input": 100, "output": 10}, **rule}


async def test_a_whole_conversation_is_played() -> None:
    rules = (
        says("Seat heating, please.", when={"turn": 1, "system": "level three"}),
        says("Level three.", when={"turn": 2, "last": "^Which level", "any": "Seat heating"}),
        says("", "STOP", when={"turn": 3, "last": "is on"}),
    )
    prices = Prices.model_validate({"mock": {"input": 1.0, "output": 1.0}})
    async with scripted(*rules, prices=prices) as (_, model):
        driver = LlmDriver(BRIEF, model)
        assert await driver.opening() == "Seat heating, please."
        asked = await driver.after_turn("Which level?")
        ended = await driver.after_turn("The seat heating is on.")
    assert asked == Decision("CONTINUE", "Level three.", "it fits")
    assert ended == Decision("STOP", None, "it fits")
    assert (driver.usage.requests, driver.usage.input_tokens, driver.repairs) == (3, 300, 0)
    assert driver.usage.cost_usd == pytest.approx(330e-6)


async def test_a_turn_that_does_not_pass_is_repaired_once_with_the_complaint() -> None:
    rules = (
        says("Level nine!", at_most=1),
        says("Seat heating, please.", when={"last": "cannot be used.*9 was never mentioned"}),
        says("Level three.", when={"turn": 2}),
    )
    async with scripted(*rules) as (server, model):
        driver = LlmDriver(BRIEF, model)
        assert await driver.opening() == "Seat heating, please."
        await driver.after_turn("How warm?")
        assert server.player.used == [1, 1, 1]
    assert driver.repairs == 1


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (says("Level nine!"), "9 was never mentioned"),
        (says("", "HALLUCINATION_ERROR"), "is not offered"),
        ({"fault": "malformed"}, "expected JSON"),
        ({"say": "Sure, happy to help!"}, "expected JSON"),
        ({"fault": "refusal"}, "the model refused"),
    ],
)
async def test_a_script_broken_twice_is_given_up(rule: dict[str, Any], why: str) -> None:
    async with scripted(rule) as (server, model):
        with pytest.raises(DriverGaveUp, match=why) as caught:
            await LlmDriver(BRIEF, model).opening()
        assert server.requests == 2
    assert caught.value.word == SCRIPT_BROKEN


async def test_a_model_out_of_reach_is_nobodys_broken_script() -> None:
    async with scripted({"fault": 500}) as (_, model):
        with pytest.raises(DriverGaveUp, match="3 times") as caught:
            await LlmDriver(BRIEF, model).opening()
    assert caught.value.word == UNAVAILABLE


async def test_a_driver_that_thinks_too_long_is_given_up() -> None:
    slow = {"fault": "slow", "after_s": 0.3, "say": "late"}
    async with scripted(slow, retry=RetryPolicy(timeout_s=5)) as (_, model):
        with pytest.raises(DriverGaveUp, match=r"longer than 0\.05 s") as caught:
            await LlmDriver(BRIEF, model, deadline_s=0.05).opening()
    assert caught.value.word == UNAVAILABLE


async def test_silence_is_reported_and_can_be_answered() -> None:
    rules = (
        says("Seat heating, please.", when={"turn": 1}),
        says("Hello?", when={"last": "says nothing"}),
    )
    async with scripted(*rules) as (_, model):
        driver = LlmDriver(BRIEF, model)
        await driver.opening()
        assert (await driver.after_silence()).say == "Hello?"
        assert (await driver.after_turn("")).say == "Hello?"


async def test_a_driver_that_finds_no_end_breaks_its_script() -> None:
    async with scripted(says("Seat heating, please.")) as (_, model):
        driver = LlmDriver(BRIEF, model)
        await driver.opening()
        for _turn in range(MOST_TURNS - 1):
            await driver.after_turn("How warm?")
        with pytest.raises(DriverGaveUp, match="no end in 20 turns"):
            await driver.after_turn("How warm?")


async def test_an_ending_that_is_doubted_is_asked_about_once_and_may_be_taken_back() -> None:
    rules = (
        says("Seat heating, please.", when={"turn": 1}),
        says("Level three.", when={"last": "Are you sure"}),
        says("", "STOP", when={"last": "Which level"}),
    )
    async with scripted(*rules) as (server, model):
        driver = LlmDriver(BRIEF, model)
        await driver.opening()
        assert (await driver.after_turn("Which level?")).say == "Level three."
        assert server.requests == 3
    assert (driver.disputed, driver.repairs) == (None, 0)


async def test_an_ending_that_is_meant_all_the_same_is_taken_and_disputed() -> None:
    rules = (
        says("Seat heating, please.", when={"turn": 1}),
        says("", "STOP", when={"last": "Which level|Are you sure"}),
    )
    async with scripted(*rules) as (_, model):
        driver = LlmDriver(BRIEF, model)
        await driver.opening()
        assert (await driver.after_turn("Which level?")).word == "STOP"
    assert "Which level?" in str(driver.disputed)


async def test_a_driver_that_cannot_say_whether_it_is_sure_is_taken_at_its_first_word() -> None:
    rules = (
        says("Seat heating, please.", when={"turn": 1}),
        {"say": "Hm?", "when": {"last": "Are you sure"}},
        says("", "STOP", when={"last": "Which level"}),
    )
    async with scripted(*rules) as (_, model):
        driver = LlmDriver(BRIEF, model)
        await driver.opening()
        assert (await driver.after_turn("Which level?")).word == "STOP"
    assert driver.disputed is not None
