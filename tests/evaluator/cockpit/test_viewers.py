import asyncio
from dataclasses import replace
from typing import Any

from assistant_gateway.timing.budgets import DEFAULT_BUDGETS
from evaluator.cockpit.viewers import UNREAD, Tab, Viewers, viewers
from evaluator.live import CarRequest, LiveSettings, live_car
from evaluator.run.agents import AgentChoice
from tests.evaluator.runs import WORLD

SETTINGS = LiveSettings(agent=AgentChoice("null"), broker_kind="embedded", typed=True)


async def all_for(pages: Viewers, tab: Tab, count: int) -> list[dict[str, Any]]:
    return [await pages.message_for(tab) for _ in range(count)]


async def test_a_slow_page_loses_the_oldest_messages_and_shows_how_many() -> None:
    async with live_car(SETTINGS, WORLD, CarRequest()) as car:
        pages = Viewers(car, WORLD, {})
        with pages.tab() as tab:
            for number in range(UNREAD + 10):
                tab.unread.put({"kind": "words", "number": number})
            lost, oldest = await all_for(pages, tab, 2)
            assert (lost["kind"], lost["count"]) == (
                "dropped",
                11,
            )  # one about its role
            assert oldest["number"] == 10


async def test_more_than_can_wait_is_refused_and_only_the_driver_is_heard() -> None:
    async with live_car(SETTINGS, WORLD, CarRequest()) as car:
        pages = Viewers(car, WORLD, {})
        with pages.tab() as driver, pages.tab() as watcher:
            await all_for(pages, driver, 2)
            await all_for(pages, watcher, 1)
            pages.receive(watcher, {"kind": "say", "text": "Hello."})
            (refused,) = await all_for(pages, watcher, 1)
            assert refused["text"].startswith("Another tab is the driver")
            for _ in range(5):
                pages.receive(driver, {"kind": "say", "text": "Hello."})
            (too_much,) = await all_for(pages, driver, 1)
            assert too_much["text"].startswith("Too many messages are waiting")


async def test_the_wheel_is_passed_on_when_a_tab_closes() -> None:
    async with live_car(SETTINGS, WORLD, CarRequest()) as car:
        pages = Viewers(car, WORLD, {})
        with pages.tab() as first:
            with pages.tab() as second:
                pages.receive(second, {"kind": "take"})
                assert pages.greeting(second)["seat"] == {"drives": True, "tabs": 2}
            assert pages.greeting(first)["seat"] == {"drives": True, "tabs": 1}


async def test_an_interruption_cuts_the_answer_and_is_said_before_what_waits() -> None:
    settings = replace(SETTINGS, agent=AgentChoice("rules"))
    async with (
        asyncio.timeout(30),
        live_car(settings, WORLD, CarRequest()) as car,
        viewers(car, WORLD, {}, DEFAULT_BUDGETS) as opened,
    ):
        with opened.tab() as driver:
            opened.receive(driver, {"kind": "say", "text": "How far is it to Graz?"})
            opened.receive(driver, {"kind": "say", "text": "Open the trunk."})
            while (await opened.message_for(driver))["kind"] != "heard":
                pass
            opened.receive(driver, {"kind": "interrupt", "text": " Stop. "})
            seen: list[dict[str, Any]] = []
            while sum(message["kind"] == "turn" for message in seen) < 3:
                seen.append(await opened.message_for(driver))
    finished = [message["handed_over"] for message in seen if message["kind"] == "turn"]
    said = [message["text"] for message in seen if message["kind"] == "driver"]
    assert finished == [False, True, True]
    assert said == ["Stop.", "Open the trunk."]
