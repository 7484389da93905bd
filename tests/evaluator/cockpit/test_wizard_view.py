"""The view Wizard of `codriver serve`: a person plays the assistant in the car of the page."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from evaluator.cockpit.scenario import choices, scenario
from evaluator.cockpit.serve import Shown, shown
from evaluator.measuring.rig.browser import Page, browser_page
from evaluator.options import ServeOptions
from evaluator.problems import UsageProblem
from tests.conftest import need_chromium
from tests.evaluator.runs import WORLD

READY = "document.body.dataset.link === 'connected' && cockpit.hello !== null && cockpit.drives"
ASKED = "document.querySelector('.seat-view.asked') !== null"


@asynccontextmanager
async def wizard_page(profile: Path, **asked: Any) -> AsyncIterator[tuple[Shown, Page]]:
    need_chromium()
    options = ServeOptions(**{"agent": "wizard", "port": 0, "patience_s": 60, **asked})
    async with (
        asyncio.timeout(120),
        shown(options, WORLD) as page,
        browser_page(profile) as tab,
    ):
        await tab.open(page.url)
        await tab.until(READY)
        yield page, tab


async def say(tab: Page, text: str) -> None:
    await tab.evaluate(f"text.value = {json.dumps(text)}; say.requestSubmit()")


def phrase(text: str) -> str:
    find = f"each => each.innerText === {json.dumps(text)}"
    return f"[...document.querySelectorAll('.phrases button')].find({find}).click()"


async def test_the_driver_talks_to_a_person_who_plays_the_assistant(tmp_path: Path) -> None:
    async with wizard_page(tmp_path) as (page, tab):
        await say(tab, "Set the fan to level three.")
        await tab.evaluate("cockpit.go('wizard')")
        await tab.until(ASKED)
        await tab.evaluate(phrase("One moment, please."))
        entry = "document.querySelector('[data-tool=set_fan_speed]')"
        await tab.until(f"document.querySelectorAll('.said.agent').length > 0 && {ASKED}")
        await tab.evaluate(f"{entry}.open = true; {entry}.dispatchEvent(new Event('toggle'))")
        await tab.evaluate(f"{entry}.querySelector('input').value = 3")
        await tab.evaluate(f"{entry}.querySelector('form').requestSubmit()")
        await tab.until("document.querySelector('#wizard .act.done') !== null")
        await tab.until(ASKED)
        await tab.evaluate(
            "const told = document.querySelector('#wizard .clock span'); globalThis.tells = [];"
            "new MutationObserver(() => tells.push(told.textContent))"
            ".observe(told, { childList: true })"
        )
        await tab.evaluate(phrase("It's done."))
        await tab.evaluate("cockpit.go('drive')")
        await tab.until("document.querySelector('#drive').innerText.includes(\"It's done.\")")
        assert page.car.observer.state["fan_speed"] == 3
        spoken = "not your turn: your own sentence is being spoken"
        await tab.until(f"tells.includes({json.dumps(spoken)})")
        await tab.until(f"{json.dumps(spoken)} !== tells.at(-1)")
        assert tab.complaints == []


async def test_the_view_says_how_to_play_when_another_assistant_is_in_the_car(
    tmp_path: Path,
) -> None:
    async with wizard_page(tmp_path, agent="rules") as (_, tab):
        await tab.evaluate("cockpit.go('wizard')")
        text = "document.querySelector('#wizard').innerText"
        await tab.until(f"{text}.includes('The assistant is rules')")
        await tab.evaluate("document.querySelector('.unused .primary').click()")
        await tab.until(f"{text}.includes('with the first words of the driver')")


def test_one_person_plays_one_assistant() -> None:
    with pytest.raises(UsageProblem, match="one person"):
        scenario(ServeOptions(agent="wizard", agent_b="wizard"), WORLD)
    assert "wizard" in choices(ServeOptions())["agent"]
