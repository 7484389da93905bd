"""What a page sees of a car and may do to it, over its sockets: knobs, faults, route, bus."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as dial

from evaluator.cockpit.serve import Shown
from evaluator.live.settings import task_named
from tests.evaluator.cockpit.served import page_socket
from tests.evaluator.cockpit.served import served as two_cars
from tests.evaluator.cockpit.test_page import feed_address, origin, served
from vehicle_bus.broker.choose import connect
from vehicle_bus.bus import Publication
from vehicle_bus.car.fault import KINDS
from vehicle_bus.contract import FaultOrder, Topics, encode

FAN = "Set the fan to level 3."


class Tab:
    """One open page, without a browser."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._arrived: deque[dict[str, Any]] = deque()

    async def send(self, kind: str, **fields: Any) -> None:
        await self._socket.send(orjson.dumps({"kind": kind, **fields}).decode())

    async def until(self, kind: str, **fields: Any) -> dict[str, Any]:
        """The next message of a kind that has these fields."""
        while True:
            while not self._arrived:
                got = orjson.loads(await self._socket.recv())
                self._arrived.extend(got if isinstance(got, list) else [got])
            message = self._arrived.popleft()
            if message["kind"] == kind and fields.items() <= message.items():
                return message


@asynccontextmanager
async def tab(page: Shown, view: str = "feed") -> AsyncIterator[Tab]:
    address = feed_address(page).replace("/feed", f"/{view}")
    async with dial(address, origin=origin(page), proxy=None) as socket:
        yield Tab(socket)


async def test_a_knob_on_the_page_is_a_manual_change_on_the_bus() -> None:
    async with served(fan_speed=1) as page, tab(page) as driver:
        await driver.send("knob", name="fan_speed", value=3)
        changed = await driver.until("changed", by="person")
        assert changed["values"]["fan_speed"]["text"] == "level 3"
        assert (await driver.until("event"))["text"] == "The driver set the fan to level 3"
        assert page.car.observer.state["fan_speed"] == 3
        assert page.car.calls == ()


async def test_what_no_car_can_be_is_refused_in_one_line() -> None:
    refused: dict[str, dict[str, Any]] = {
        "no car has wings": {"kind": "knob", "name": "wings", "value": 2},
        "less than or equal to 5": {"kind": "knob", "name": "fan_speed", "value": 9},
        "no such fault": {"kind": "fault", "fault_kind": "gremlins"},
        "no car has a tool": {"kind": "fault", "fault_kind": "loss", "tool": "open_windw"},
        "speed factor": {"kind": "motion", "on": True, "speed_factor": 1e9},
    }
    async with served("null") as page, tab(page) as driver:
        for problem, message in refused.items():
            await driver.send(**message)
            text = (await driver.until("trouble"))["text"]
            assert problem in text
            assert "\n" not in text


async def test_only_the_driver_touches_the_car() -> None:
    async with served("null", fan_speed=1) as page, tab(page) as driver, tab(page) as watcher:
        await watcher.send("knob", name="fan_speed", value=3)
        assert "take over first" in (await watcher.until("trouble"))["text"]
        await driver.send("knob", name="fan_speed", value=2)
        assert (await watcher.until("changed", by="person"))["values"]["fan_speed"]["value"] == 2


async def test_a_fault_of_a_button_hits_and_the_page_sees_what_becomes_of_it() -> None:
    async with served(fan_speed=1) as page, tab(page) as driver:
        await driver.send("fault", fault_kind="refusal", tool="set_fan_speed")
        planned = await driver.until("fault")
        assert (planned["id"], planned["state"]) == ("p1", "planned")
        await driver.send("say", text=FAN)
        active = await driver.until("fault", state="active")
        assert (active["id"], active["text"]) == ("p1", "Call refused: set the fan")
        assert (await driver.until("fault"))["state"] in ("noticed", "recovered")


async def test_a_button_waits_for_a_change_and_leaves_the_look_up_before_it_alone() -> None:
    async with served(fan_speed=1) as page, tab(page) as driver:
        for kind in ("refusal", "loss", "lost_command", "delay"):
            await driver.send("fault", fault_kind=kind)
            planned = await driver.until("fault", fault_kind=kind)
            assert planned["text"].endswith("waits for the next change")
        await driver.send("fault", fault_kind="stale")
        assert (await driver.until("fault"))["text"].endswith("waits for the next look-up")


async def test_a_fault_that_comes_over_the_bus_is_shown_as_planned_and_taken_back() -> None:
    async with served(fan_speed=1) as page, tab(page) as driver:
        order = {"kind": "loss", "calls": "set"}

        def planning(**fields: Any) -> Publication:
            return Publication(Topics().fault(page.car.vin), encode(FaultOrder(**fields)))

        async with connect(page.car.servers.address, "gateway") as bus:
            await bus.publish(planning(fault=order))
            planned = await driver.until("fault", state="planned")
            assert planned["text"] == "Reply lost: waits for the next change"
            await bus.publish(planning(clear=True))
            assert (await driver.until("fault", state="over"))["id"] == planned["id"]


async def test_every_kind_of_fault_has_a_button_that_needs_no_more_and_is_healed() -> None:
    async with served(fan_speed=1) as page, tab(page) as driver:
        for kind in KINDS:
            await driver.send("fault", fault_kind=kind)
            planned = await driver.until("fault", state="planned")
            assert planned["fault_kind"] == kind
        await driver.send("heal")
        healed = [(await driver.until("fault", state="over"))["fault_kind"] for _ in KINDS]
        assert sorted(healed) == sorted(KINDS)


async def test_healing_also_takes_back_armed_faults() -> None:
    async with two_cars(faults="flaky") as page, page_socket(page) as driver:
        assert driver.hello["armed"]
        await driver.send("heal")
        assert (await driver.until("armed"))["armed"] == []
        async with page_socket(page) as late:
            assert late.hello["armed"] == []


async def test_every_kind_of_fault_comes_with_its_name_and_what_it_does() -> None:
    async with two_cars("null") as page, page_socket(page) as driver:
        shown = {each["kind"]: each for each in driver.hello["faults"]}
        assert set(shown) == set(KINDS)
        assert all(each["label"] and each["text"] for each in shown.values())


async def test_a_charge_set_by_hand_is_told_as_set_by_hand() -> None:
    async with two_cars("null") as page, page_socket(page) as driver:
        await page.car.event("knob", sets={"state_of_charge": 42.0}, by="driver")
        changed = await driver.until("changed", by="person")
        assert changed["values"]["state_of_charge"]["text"] == "42 %"
        async with page_socket(page) as late:
            assert "changed" in {each["kind"] for each in late.hello["history"]}


async def test_a_refused_call_says_why_without_codes_and_ids() -> None:
    async with two_cars() as page, page_socket(page) as driver:
        await driver.send("say", text="Navigate to Nowhereville.")
        why = (await driver.until("answered", succeeded=False))["why"]
        assert why.startswith("there is no location called Nowhereville")


async def test_a_car_is_offline_until_it_is_healed() -> None:
    async with served(fan_speed=1) as page, tab(page) as driver:
        await driver.send("fault", fault_kind="offline", for_s=600)
        assert not (await driver.until("presence"))["online"]
        await driver.send("heal")
        assert (await driver.until("presence"))["online"]


async def test_an_interruption_cuts_the_answer_and_is_what_the_assistant_hears_next() -> None:
    async with served() as page, tab(page) as driver:
        await driver.send("say", text="How far is it to Graz?")
        await driver.until("status", who="assistant", doing="speaking")
        await driver.send("interrupt", text="Stop.")
        assert not (await driver.until("turn"))["handed_over"]
        assert (await driver.until("driver"))["text"] == "Stop."
        assert (await driver.until("turn"))["handed_over"]


async def test_a_turn_has_its_waterfall() -> None:
    async with served(fan_speed=1) as page, tab(page) as driver:
        await driver.send("say", text=FAN)
        turn = await driver.until("turn")
    names = [mark["name"] for mark in turn["marks"]]
    assert set(names) == {"transcript", "first_token", "first_sound", "effect", "end"}
    assert [mark["at_ms"] for mark in turn["marks"]] == sorted(m["at_ms"] for m in turn["marks"])
    done = [call for call in turn["calls"] if call["tool"] == "set_fan_speed"]
    assert done
    assert all(call["ok"] and call["to_ms"] >= call["from_ms"] > 0 for call in done)


async def test_the_bus_flies_by_and_can_be_filtered() -> None:
    async with served("null", fan_speed=1) as page, tab(page) as driver, tab(page, "bus") as bus:
        first = await bus.until("bus")
        topics = [entry["topic"] for entry in first["entries"]]
        assert f"codriver/v1/{page.car.vin}/snapshot" in topics or len(topics) > 100
        await bus.send("", filter="event knob")
        await driver.send("knob", name="fan_speed", value=3)
        while not all("knob" in each["topic"] for each in (await bus.until("bus"))["entries"]):
            pass


async def test_a_car_is_made_to_drive_its_route_and_to_stand_again() -> None:
    trip = task_named("base_range_drops").car.start
    async with served("null", **trip) as page, tab(page) as driver:
        await driver.send("say", text="Hello.")
        await driver.until("began")
        await driver.send("motion", on=True, speed_factor=20)
        assert (await driver.until("motion"))["speed_factor"] == 20
        first = await driver.until("route")
        later = await driver.until("route")
        assert later["at_km"] > first["at_km"] >= 0
        assert later["points"] == first["points"] != []
        await driver.send("motion", on=False)
        while now := (await driver.until("changed", by="driving"))["values"]:
            if now.get("speed_kmh", {}).get("value") == 0:
                break


async def test_an_interruption_cuts_both_assistants_and_a_knob_is_turned_in_both_cars() -> None:
    async with (
        two_cars("rules", agent_b="rules", pace="live", latency_profile="lpu_fast") as page,
        page_socket(page) as driver,
    ):
        await driver.send("knob", name="fan_speed", value=3)
        changed = [await driver.until("changed", by="person") for _ in "ab"]
        assert {each["lane"] for each in changed} == {"a", "b"}
        await driver.send("say", text="How far is it to Graz?")
        both = {(await driver.until("heard"))["lane"], (await driver.until("heard"))["lane"]}
        assert both == {"a", "b"}
        await driver.send("interrupt")
        turns = [await driver.until("turn") for _ in "ab"]
        assert [turn["handed_over"] for turn in turns] == [False, False]


async def test_clock_and_place_go_on_while_the_car_drives() -> None:
    trip = task_named("base_range_drops").car.start
    async with served("null", **trip) as page, tab(page) as driver:
        await driver.send("start")
        await driver.send("motion", on=True, speed_factor=60)
        first = await driver.until("route", rate=60)
        while (later := await driver.until("route"))["moment"][:16] == first["moment"][:16]:
            pass
        assert later["moment"] > first["moment"]
        while (await driver.until("route"))["away_km"] == first["away_km"]:
            pass
