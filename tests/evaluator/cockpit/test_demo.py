"""A demonstration on the page, step by step, and what the bus carried of it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from evaluator.cockpit.serve import Shown, shown
from evaluator.measuring.rig.browser import Page, browser_page
from evaluator.options import ServeOptions
from evaluator.views.car_values import written
from tests.conftest import need_chromium
from tests.evaluator.runs import WORLD

LINES = "document.querySelector('.lines').innerText"
TURNS = "document.querySelectorAll('.took').length"
TO_HEAR = "document.querySelectorAll('.said.agent.latest i:not(.spoken)').length"
OVERFLOWS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
VALUES = """Object.fromEntries([...document.querySelectorAll('.groups [data-name]:not([hidden])')]
    .map((row) => [row.dataset.name, row.querySelector('dd').textContent]))"""


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[Shown, Page]]:
    """A car under way, its page and a browser that shows it."""
    need_chromium()
    options = ServeOptions(task="base_kids_and_windows", motion_hz=10, port=0)
    async with (
        asyncio.timeout(170),
        shown(options, WORLD) as page,
        browser_page(folder / "profile", wide=1400) as tab,
    ):
        await tab.open(page.url)
        await click(tab, "#start:not([hidden])")
        yield page, tab


def there(selector: str) -> str:
    return f"document.querySelector({json.dumps(selector)}) !== null"


async def click(tab: Page, selector: str) -> None:
    await tab.until(f"document.querySelector({json.dumps(selector)})?.disabled === false")
    await tab.evaluate(f"document.querySelector({json.dumps(selector)}).click()")


async def say(tab: Page, text: str) -> None:
    await tab.evaluate(f"text.value = {json.dumps(text)}; say.requestSubmit()")


async def turn(tab: Page, text: str) -> None:
    """Say something and wait until the turn is over."""
    before = await tab.evaluate(TURNS)
    await say(tab, text)
    await tab.until(f"{TURNS} > {before}")


async def key(tab: Page, name: str) -> None:
    code = {"key": name, "text": name if len(name) == 1 else ""}
    await tab.command("Input.dispatchKeyEvent", type="keyDown", **code)
    await tab.command("Input.dispatchKeyEvent", type="keyUp", key=name)


async def test_knob_fault_interruption_and_drive_are_seen_also_after_a_reload(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as (page, tab):
        await tab.until("parseFloat(document.querySelector('.speed output').textContent) > 20")
        await tab.until("document.querySelector('.map').hasAttribute('hidden') === false")
        await click(tab, ".spot[data-name=trunk_door_position]")
        await tab.until(there(".news[data-by=person]"))
        assert page.car.observer.state["trunk_door_position"] == "open"
        await click(tab, ".fault[title*='says so']")
        await tab.until(there(".fault[data-state=planned]"))
        await turn(tab, "Turn on the fog lights.")
        await tab.until(there(".injected [data-state=noticed], .injected [data-state=recovered]"))
        await say(tab, "How far is it to Graz?")
        await tab.until(there(".person[data-who=assistant][data-doing=speaking]"))
        await tab.until(f"{TO_HEAR} > 2")
        await say(tab, "Set my seat heating to level 2.")
        await tab.until(there(".said.agent .unheard"))
        await tab.until(there(".seat.driver[data-level='2']"))
        assert page.car.observer.state["seat_heating_driver"] == 2
        await tab.until("send.textContent === 'Say'")
        before = await tab.evaluate(LINES)
        await tab.open(page.url)
        await tab.until("cockpit.drives")
        for said in ("Turn on the fog lights.", "How far is it to Graz?", "seat heating"):
            assert said in before
            assert said in await tab.evaluate(LINES)
        assert await tab.evaluate(there(".news[data-by=person]"))
        on_the_page = await tab.evaluate(VALUES)
        on_the_bus = written(page.car.observer.state, WORLD)
        assert {name: on_the_page[name] for name in on_the_bus} == {
            name: entry["text"] for name, entry in on_the_bus.items()
        }
        await click(tab, ".endings button:last-child")
        await tab.until(there(".result[data-final=true]:not([hidden])"))
        assert await tab.evaluate("document.querySelector('.result').textContent") == "Not solved"
        assert tab.complaints == []


async def test_every_view_fits_and_the_keyboard_reaches_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, tab):
        await tab.evaluate("document.activeElement.blur()")
        for name, view in (("2", "runs"), ("3", "wizard"), ("4", "bus"), ("1", "drive")):
            await key(tab, name)
            await tab.until(f"!document.getElementById('{view}').hidden")
        for wide in (420, 1400, 1920):
            await tab.command(
                "Emulation.setDeviceMetricsOverride",
                **{"width": wide, "height": 900, "deviceScaleFactor": 1, "mobile": wide < 500},
            )
            for shown_part in ("talk", "car", "map", "faults", "values"):
                await tab.evaluate(f"document.querySelector('[data-tab={shown_part}]').click()")
                assert not await tab.evaluate(OVERFLOWS), (wide, shown_part)
        await tab.evaluate("document.activeElement.blur()")
        await key(tab, "p")
        assert await tab.evaluate("document.documentElement.hasAttribute('data-presenter')")
        assert not await tab.evaluate(OVERFLOWS)
        await key(tab, "p")
        spots = "[...document.querySelectorAll('button.spot, .knobs button, .knobs select')]"
        unnamed = f"{spots}.filter((each) => !(each.ariaLabel || each.textContent.trim())).length"
        assert await tab.evaluate(unnamed) == 0


async def test_a_message_on_the_bus_is_copied_as_a_line_that_publishes_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as (page, tab):
        await tab.evaluate("location.hash = 'bus'")
        await tab.until(there(".bus .line"))
        await tab.evaluate("document.querySelector('.bus .line').click()")
        line = await tab.evaluate("document.querySelector('.bus .command').textContent")
        assert line.startswith("mosquitto_pub ")
        assert f" -t 'codriver/v1/{page.car.vin}/" in line
        await tab.evaluate("document.querySelector('.bus input').value = 'no such words'")
        await tab.evaluate("document.querySelector('.bus input').dispatchEvent(new Event('input'))")
        assert not await tab.evaluate(there(".bus .line"))
        assert tab.complaints == []


async def test_a_scenario_is_chosen_on_the_page_and_two_assistants_hear_the_same(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as (_, tab):
        await tab.until("!scenario.hidden")
        await tab.evaluate("scenario.click()")
        await click(tab, ".task input[value=settle_fan]")
        await tab.until("cockpit.hello.chosen.task === 'settle_fan'")
        second = "document.querySelector('select[name=agent_b]')"
        await tab.evaluate(f"{second}.value = 'null'")
        await tab.evaluate(f"{second}.dispatchEvent(new Event('change'))")
        await tab.until("document.querySelectorAll('.lane').length === 2")
        address = await tab.evaluate("location.search")
        assert "task=settle_fan" in address
        assert "agent_b=null" in address
        await click(tab, "#setup-start")
        await tab.until("document.body.dataset.state === 'running'")
        await say(tab, "Set the fan to level three.")
        both = "document.querySelectorAll('.lane .said.driver:not(.waiting)').length === 2"
        await tab.until(both)
        await tab.until("document.querySelectorAll('.lane .took').length === 2")
        assert await tab.evaluate(there(".car[data-lane=a] .levels .on:nth-of-type(3)"))
        assert not await tab.evaluate(there(".car[data-lane=b] .levels .on:nth-of-type(3)"))
        assert tab.complaints == []
