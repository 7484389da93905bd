"""The page in a browser, the car behind it on a real broker."""

import asyncio
import json
import re
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import orjson
import pytest
from websockets.asyncio.client import connect as dial
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from assistant_gateway.peer import agent_peer
from assistant_gateway.protocol import InputTranscriptFinal, SessionReady, SessionStart
from evaluator.cockpit.serve import Shown, shown
from evaluator.measuring.rig.browser import Page, browser_page
from evaluator.options import ServeOptions
from tests.conftest import need_chromium
from tests.evaluator.runs import WORLD
from vehicle_bus.broker.choose import connect
from vehicle_bus.bus import Bus
from vehicle_bus.contract import Snapshot, Topics, decode

TOPICS = Topics()
ARRIVED: WeakKeyDictionary[Any, deque[dict[str, Any]]] = WeakKeyDictionary()
TOLD = ("driver", "began", "words", "heard", "called", "answered", "turn")
READY = "document.body.dataset.link === 'connected' && cockpit.hello !== null"
DRIVES = "cockpit.drives"
HAS_ITS_TURN = "document.querySelector('#send').textContent === 'Interrupt'"
WORDS = "document.querySelectorAll('.said.agent i').length"
LINES = "document.querySelector('.lines').innerText"


@asynccontextmanager
async def served(
    agent: str = "rules", task: str | None = None, **start: Any
) -> AsyncIterator[Shown]:
    asked = ServeOptions(agent=agent, task=task, motion_hz=10, port=0)
    async with asyncio.timeout(150), shown(asked, WORLD, start) as page:
        yield page


@asynccontextmanager
async def mqtt_client(page: Shown) -> AsyncIterator[Bus]:
    async with connect(page.car.servers.address, "observer") as bus:
        yield bus


async def state_on_the_bus(bus: Bus, vin: str) -> dict[str, Any]:
    async with bus.subscribe(TOPICS.snapshot(vin)) as messages:
        return decode(Snapshot, (await anext(messages)).payload).state


async def say(tab: Page, text: str) -> None:
    script = f"text.value = {json.dumps(text)}; say.requestSubmit()"
    await tab.evaluate(script)


async def row(tab: Page, name: str) -> str:
    return str(await tab.evaluate(f"document.querySelector('{row_of(name)} dd').innerText"))


def shows(selector: str) -> str:
    return f"document.querySelector({json.dumps(selector)}) !== null"


def row_of(name: str) -> str:
    return f'.groups [data-name="{name}"]'


def feed_address(page: Shown, token: str | None = None) -> str:
    parts = urlsplit(page.url)
    query = parts.query if token is None else f"token={token}"
    return f"ws://{parts.netloc}/feed?{query}"


def origin(page: Shown) -> Origin:
    return Origin(f"http://{urlsplit(page.url).netloc}")


async def until(socket: Any, kind: str) -> dict[str, Any]:
    """The next message of a kind; what came with it waits for the next time."""
    arrived = ARRIVED.setdefault(socket, deque())
    while True:
        while not arrived:
            arrived.extend(orjson.loads(await socket.recv()))
        if (message := arrived.popleft())["kind"] == kind:
            return message


async def test_what_is_typed_changes_the_car_on_the_page_and_on_the_bus(tmp_path: Path) -> None:
    need_chromium()
    async with (
        served() as page,
        mqtt_client(page) as bus,
        browser_page(tmp_path / "profile") as tab,
    ):
        assert (await state_on_the_bus(bus, page.car.vin))["seat_heating_driver"] == 0
        await tab.open(page.url)
        await tab.until(READY)
        assert await row(tab, "seat_heating_driver") == "off"
        await say(tab, "Set my seat heating to level 2, please.")
        await tab.until(
            f"document.querySelector('{row_of('seat_heating_driver')}.changed') !== null"
        )
        assert await row(tab, "seat_heating_driver") == "level 2"
        assert (await state_on_the_bus(bus, page.car.vin))["seat_heating_driver"] == 2
        await tab.until(shows(".took b"))
        shown = await tab.evaluate(LINES)
        assert "Set my seat heating to level 2, please." in shown
        assert "set_seat_heating" in shown
        assert "off → level 2" in shown
        assert await tab.evaluate("aloud.textContent.length > 0")
        assert await tab.evaluate(
            "document.querySelector('.stage').style.getPropertyValue('--heat-driver')"
        )
        assert tab.complaints == []
        outside = [asked for asked in tab.requests if urlsplit(asked).hostname != "127.0.0.1"]
        assert [asked for asked in outside if not asked.startswith("data:")] == []


async def test_a_slash_goes_to_the_input_and_in_an_input_types_a_slash(tmp_path: Path) -> None:
    need_chromium()
    slash = {"key": "/", "text": "/", "code": "Slash"}
    async with served() as page, browser_page(tmp_path / "profile") as tab:
        await tab.open(page.url)
        await tab.until(READY)
        await tab.evaluate("document.activeElement.blur()")
        for typed in ("", "/", "//"):
            await tab.command("Input.dispatchKeyEvent", type="keyDown", **slash)
            assert await tab.evaluate(
                "[document.activeElement.id, document.querySelector('#text').value]"
            ) == ["text", typed]
        await tab.evaluate("document.body.append(document.createElement('textarea'))")
        await tab.evaluate("document.querySelector('textarea').focus()")
        await tab.command("Input.dispatchKeyEvent", type="keyDown", **slash)
        assert await tab.evaluate("document.querySelector('textarea').value") == "/"


async def test_a_car_is_seen_driving_and_its_driving_is_no_news(tmp_path: Path) -> None:
    need_chromium()
    async with (
        served("null", task="base_kids_and_windows") as page,
        browser_page(tmp_path / "profile") as tab,
    ):
        await tab.open(page.url)
        await tab.until(READY)
        await tab.evaluate("cockpit.send({ kind: 'start' })")
        await tab.until(
            f"parseFloat(document.querySelector('{row_of('speed_kmh')} dd').textContent) > 20"
        )
        assert re.fullmatch(r"\d+ km/h", await row(tab, "speed_kmh"))
        charge = await row(tab, "state_of_charge")
        shown_charge = f"document.querySelector('{row_of('state_of_charge')} dd').textContent"
        await tab.until(f"{shown_charge} !== {json.dumps(charge)}")
        assert "Charge" not in await tab.evaluate(LINES)
        await page.car.event("knob", sets={"window_driver_position": 100}, by="child")
        await tab.until(f"{LINES}.includes('The child')")
        async with dial(feed_address(page), origin=origin(page), proxy=None) as late:
            hello = await until(late, "hello")
        past = [set(each["values"]) for each in hello["history"] if each["kind"] == "changed"]
        assert past == [{"window_driver_position"}]
        assert tab.complaints == []


async def test_it_fits_a_phone_and_one_tab_drives(tmp_path: Path) -> None:
    need_chromium()
    async with (
        served() as page,
        browser_page(tmp_path / "one", wide=1280) as first,
        browser_page(tmp_path / "two", wide=390) as second,
    ):
        await first.open(page.url)
        await first.until(DRIVES)
        await second.open(page.url)
        await second.until("!take.hidden")
        assert await second.evaluate("text.disabled")
        await say(first, "Turn on the air conditioning.")
        await second.until(shows(".took"))
        overflow = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not await second.evaluate(overflow)
        await second.evaluate("take.click()")
        await second.until(DRIVES)
        await first.until(f"!{DRIVES}")
        await say(second, "<img src=x onerror=alert(1)>")
        await first.until("document.querySelectorAll('.said.driver').length === 2")
        assert await first.evaluate("document.querySelectorAll('.lines img').length") == 0
        assert first.complaints == second.complaints == []


async def test_nothing_moves_under_the_fingers_while_an_answer_streams(tmp_path: Path) -> None:
    need_chromium()
    places = (
        "[say, document.querySelector('.scale')]"
        ".map((box) => JSON.stringify(box.getBoundingClientRect()))"
    )
    async with served() as page, browser_page(tmp_path / "profile") as tab:
        for wide in (1280, 390):
            await tab.command(
                "Emulation.setDeviceMetricsOverride",
                **{"width": wide, "height": 1000, "deviceScaleFactor": 1, "mobile": wide < 500},
            )
            await tab.open(page.url)
            await tab.until(f"{DRIVES} && !scenario.hidden")
            before = await tab.evaluate(places)
            assert await tab.evaluate("say.getBoundingClientRect().bottom") > 960
            await say(tab, "How far is it to Graz?")
            await tab.until(f"{HAS_ITS_TURN} && {WORDS} > 20")
            assert await tab.evaluate(places) == before
            await tab.evaluate("cut.click()")
            await tab.until(f"!({HAS_ITS_TURN})")
            assert await tab.evaluate(places) == before


async def test_the_meter_says_against_which_budget(tmp_path: Path) -> None:
    need_chromium()
    async with served() as page, browser_page(tmp_path / "profile") as tab:
        await tab.open(page.url)
        await tab.until(DRIVES)
        legend = await tab.evaluate("document.querySelector('.legend').textContent")
        for shown in ("good up to 1.5 s", "slow up to 3 s", "then too late", "limits for any turn"):
            assert shown in legend


async def test_the_wait_ends_on_the_page_when_the_assistant_is_gone(tmp_path: Path) -> None:
    need_chromium()
    async with served("ws") as page, browser_page(tmp_path / "profile") as tab:
        await tab.open(page.url)
        await tab.until(DRIVES)
        async with agent_peer(page.car.servers.gateway.url, agent_token(page)) as peer:
            await say(tab, "Hello?")
            async for frame in peer.frames():
                if isinstance(frame.body, SessionStart):
                    peer.sid = frame.sid
                    await peer.send(SessionReady(name="short-lived"))
                if isinstance(frame.body, InputTranscriptFinal):
                    break
            await tab.until(HAS_ITS_TURN)
        await tab.until(f"!({HAS_ITS_TURN}) && {LINES}.includes('left in the middle')")


def agent_token(page: Shown) -> str:
    return page.car.servers.gateway.tokens.agent


async def test_a_page_opened_late_shows_what_was_said() -> None:
    async with served("claims") as page:
        async with dial(feed_address(page), origin=origin(page), proxy=None) as first:
            assert (await until(first, "hello"))["agent"] == "claims"
            await first.send('{"kind": "say", "text": "Open the trunk."}')
            await until(first, "turn")
            async with dial(feed_address(page), origin=origin(page), proxy=None) as second:
                hello = await until(second, "hello")
        kinds = [each["kind"] for each in hello["history"] if each["kind"] in TOLD]
        assert kinds[:2] == ["driver", "began"]
        assert kinds[-1] == "turn"
        assert hello["seat"] == {"drives": False, "tabs": 2}


async def test_a_new_conversation_begins_on_request_and_nonsense_is_ignored() -> None:
    async with served("claims") as page, dial(feed_address(page), proxy=None) as socket:
        for nonsense in ("{", "[]", '{"kind": "say"}', '{"kind": "say", "text": " "}', "x" * 5000):
            await socket.send(nonsense)
        await socket.send('{"kind": "say", "text": "Hello."}')
        await until(socket, "turn")
        await socket.send('{"kind": "hang_up"}')
        assert (await until(socket, "over"))["reason"] == "driver_hung_up"
        await socket.send('{"kind": "say", "text": "Hello again."}')
        assert (await until(socket, "turn"))["turn"] == 1


async def test_only_the_page_itself_with_its_token_is_let_in() -> None:
    async with served("null") as page:
        for address, comes_from in (
            (feed_address(page, "wrong"), origin(page)),
            (feed_address(page), Origin("http://example.org")),
            (feed_address(page), Origin("null")),
        ):
            with pytest.raises(InvalidStatus) as refused:
                async with dial(address, origin=comes_from, proxy=None):
                    pass
            assert refused.value.response.status_code == 403


async def test_the_page_needs_the_token_and_the_right_host() -> None:
    async with served("null") as page:
        parts = urlsplit(page.url)
        token = f"/?{parts.query}"
        assert (await answered(page, token)).startswith("HTTP/1.1 200")
        assert (await answered(page, "/")).startswith("HTTP/1.1 403")
        assert (await answered(page, token, host="evil.example")).startswith("HTTP/1.1 400")
        policy = "content-security-policy: default-src 'none'; script-src 'self'"
        assert policy in (await answered(page, token)).lower()
        assert (await answered(page, "/page/app.js")).startswith("HTTP/1.1 200")
        shown = await answered(page, token)
        assert ("<meta charset" in shown, "<svg" in shown, "<!--" in shown) == (True, True, False)
        for outside in (
            "/page/../page_files.py",
            "/page/..%2f..%2foptions.py",
            "/page//etc/passwd",
        ):
            assert (await answered(page, outside)).startswith("HTTP/1.1 404")
        for asked in ("/runs/list", f"/runs/list{token[1:]}"):
            refused = await answered(page, asked, host="evil.example")
            assert refused.startswith("HTTP/1.1 400")


async def answered(page: Shown, target: str, host: str | None = None) -> str:
    """The raw answer to a request."""
    parts = urlsplit(page.url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    asked = f"GET {target} HTTP/1.1\r\nHost: {host or parts.netloc}\r\nConnection: close\r\n\r\n"
    writer.write(asked.encode())
    answer = (await reader.read()).decode()
    writer.close()
    await writer.wait_closed()
    return answer
