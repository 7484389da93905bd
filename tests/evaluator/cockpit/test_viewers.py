from typing import Any

from evaluator.cockpit.viewers import UNREAD, Tab, Viewers
from evaluator.live import CarRequest, LiveSettings, live_car
from evaluator.run.agents import AgentChoice
from tests.evaluator.runs import WORLD

SETTINGS = LiveSettings(agent=AgentChoice("null"), broker_kind="embedded", typed=True)


async def all_for(viewers: Viewers, tab: Tab, count: int) -> list[dict[str, Any]]:
    return [await viewers.message_for(tab) for _ in range(count)]


async def test_a_slow_page_loses_the_oldest_messages_and_shows_how_many() -> None:
    async with live_car(SETTINGS, WORLD, CarRequest()) as car:
        viewers = Viewers(car, WORLD, {})
        with viewers.tab() as tab:
            for number in range(UNREAD + 10):
                tab.unread.put({"kind": "words", "number": number})
            lost, oldest = await all_for(viewers, tab, 2)
            assert (lost["kind"], lost["count"]) == (
                "dropped",
                11,
            )  # one about its role
            assert oldest["number"] == 10


async def test_more_than_can_wait_is_refused_and_only_the_driver_is_heard() -> None:
    async with live_car(SETTINGS, WORLD, CarRequest()) as car:
        viewers = Viewers(car, WORLD, {})
        with viewers.tab() as driver, viewers.tab() as watcher:
            await all_for(viewers, driver, 2)
            await all_for(viewers, watcher, 1)
            viewers.receive(watcher, {"kind": "say", "text": "Hello."})
            (refused,) = await all_for(viewers, watcher, 1)
            assert refused["text"].startswith("Another tab is the driver")
            for _ in range(5):
                viewers.receive(driver, {"kind": "say", "text": "Hello."})
            (too_much,) = await all_for(viewers, driver, 1)
            assert too_much["text"].startswith("Too many messages are waiting")


async def test_the_wheel_is_passed_on_when_a_tab_closes() -> None:
    async with live_car(SETTINGS, WORLD, CarRequest()) as car:
        viewers = Viewers(car, WORLD, {})
        with viewers.tab() as first:
            with viewers.tab() as second:
                viewers.receive(second, {"kind": "take"})
                assert viewers.greeting(second)["seat"] == {"drives": True, "tabs": 2}
            assert viewers.greeting(first)["seat"] == {"drives": True, "tabs": 1}
