"""The page in a demonstration: all its steps, its views, its bus, and two assistants."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml

from evaluator.cockpit.scenario import DEMO_TASK
from evaluator.cockpit.serve import Shown, shown
from evaluator.measuring.rig.browser import Page, browser_page
from evaluator.options import ServeOptions
from evaluator.task.files import shipped_tasks
from tests.assistant_gateway.agents.rules.drives import drive
from tests.conftest import need_chromium
from tests.evaluator.cockpit.demonstration import click, demonstration, play, say, there
from tests.evaluator.runs import WORLD

OVERFLOWS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


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


async def key(tab: Page, name: str) -> None:
    code = {"key": name, "text": name if len(name) == 1 else ""}
    await tab.command("Input.dispatchKeyEvent", type="keyDown", **code)
    await tab.command("Input.dispatchKeyEvent", type="keyUp", key=name)


@pytest.mark.timeout(600)  # half a minute, on a crowded machine some more
async def test_a_demonstration_shows_in_two_tabs_what_the_bus_carried(tmp_path: Path) -> None:
    async with asyncio.timeout(570), demonstration(tmp_path) as demo:
        await play(demo)


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


def test_the_assistant_without_a_model_does_what_the_demo_asks_for_in_all_of_its_words() -> None:
    [file] = shipped_tasks().rglob(f"{DEMO_TASK}.yaml")
    script = yaml.safe_load(file.read_text())["driver"]["script"]
    assert len(script["opening"]) > 1
    for opening in script["opening"]:
        drove, _ = drive(opening)
        assert sorted(drove.changes) == ["set_ambient_lights True BLUE", "set_fan_speed 2"]
