"""The page of a person who plays a part of a run, in a browser."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from evaluator.cockpit.person_pages import person_pages
from evaluator.cockpit.seat_socket import LONGEST, AnySeat, received
from evaluator.measuring.rig.browser import Page, browser_page
from evaluator.person.driver_seat import DriverSeat
from evaluator.person.wizard_seat import WizardSeat
from evaluator.run.agents import AgentChoice
from evaluator.run.units import Played, RunSettings, bench
from tests.conftest import need_chromium
from tests.evaluator.runs import SIMPLE_TASKS, TASKS, WORLD, play_units, settings

TASKS_BY_ID = {task.task_id: task for task in (*TASKS, *SIMPLE_TASKS)}
TASK = TASKS_BY_ID["base_hands_full"]
ASKED = "document.querySelector('.seat-view.asked') !== null"
SAID = "document.querySelectorAll('.said.agent').length"
ANSWERED = "document.querySelectorAll('.act:is(.done, .refused)').length"
Playing = tuple[Page, "asyncio.Task[Played]"]
TEXT = "document.querySelector('#wizard').innerText"


def press(label: str) -> str:
    """A script that clicks a button."""
    find = f"each => each.innerText.trim() === {json.dumps(label)}"
    return f"[...document.querySelectorAll('button')].find({find}).click()"


def typing(text: str) -> str:
    """A script that types a line, without sending it."""
    return f"document.querySelector('#wizard-text').value = {json.dumps(text)}"


async def answer(tab: Page, script: str) -> None:
    """Wait until it is the person's turn, and do something."""
    await tab.until(ASKED)
    await tab.evaluate(script)


def call(tool: str, filling: str) -> str:
    """A script that fills in the form of a tool and calls it."""
    entry = f"document.querySelector('[data-tool={tool}]')"
    return f"""{entry}.open = true; {entry}.dispatchEvent(new Event('toggle'));
        {filling}; {entry}.querySelector('form').requestSubmit()"""


def filled(tool: str, given: dict[str, Any]) -> str:
    """A script that calls a tool with its form."""
    fields = f"document.querySelector('[data-tool={tool}] form')"
    fill = f"""for (const [name, value] of Object.entries({json.dumps(given)})) {{
        const field = {fields}.querySelector(`[name=${{name}}]`);
        if (field.type === 'checkbox') field.checked = value; else field.value = value;
    }}"""
    return call(tool, fill)


def asked_of(seat: AnySeat) -> RunSettings:
    """A run in which a person has this seat."""
    asked = settings(pace="fast", max_concurrency=1, patience_s=60)
    if isinstance(seat, WizardSeat):
        return replace(asked, agent=AgentChoice("wizard", desk=seat))
    return replace(asked, user="human", user_desk=seat)


@asynccontextmanager
async def page_of(seat: AnySeat, profile: Path) -> AsyncIterator[Page]:
    async with (
        asyncio.timeout(170),
        person_pages([seat], 0) as [url],
        browser_page(profile) as tab,
    ):
        await tab.open(url)
        yield tab


@asynccontextmanager
async def run_with(seat: AnySeat, profile: Path) -> AsyncIterator[Playing]:
    """A unit that a person plays a part of, and the page of that person."""

    async def unit() -> Played:
        async with bench(asked_of(seat), WORLD) as up:
            [played] = await play_units(up, [TASK])
        seat.scored(f"reward {played.score.reward}")
        return played

    async with page_of(seat, profile) as tab, asyncio.TaskGroup() as tasks:
        yield tab, tasks.create_task(unit(), name="unit")


Deed = Callable[[Page], Coroutine[Any, Any, None]]


async def play_all(seat: AnySeat, profile: Path, courses: dict[str, tuple[Deed, ...]]) -> None:
    """Play one task after the other on the same page, and look at their scores."""
    async with page_of(seat, profile) as tab, bench(asked_of(seat), WORLD) as up:
        for task_id, deeds in courses.items():
            async with asyncio.TaskGroup() as tasks:
                unit = tasks.create_task(play_units(up, [TASKS_BY_ID[task_id]]), name=task_id)
                for deed in deeds:
                    await deed(tab)
            [played] = unit.result()
            assert (played.score.outcome, played.score.reason) == ("success", ""), task_id
            assert played.score.turns
            seat.scored(f"{task_id} is scored")
            await tab.until(f"{TEXT}.includes('{task_id} is scored')")
        assert tab.complaints == []


def calls(tool: str, **given: Any) -> Deed:
    return lambda tab: until_more(tab, ANSWERED, filled(tool, given))


def says(text: str, label: str = "Say and end my turn") -> Deed:
    return lambda tab: until_more(tab, SAID, f"{typing(text)}; {press(label)}")


def done(tab: Page) -> Coroutine[Any, Any, None]:
    return until_more(tab, SAID, press("It's done."))


async def until_more(tab: Page, number: str, script: str) -> None:
    """Do something when it is the person's turn, and wait until it is in the conversation."""
    await tab.until(ASKED)
    before = await tab.evaluate(number)
    await tab.evaluate(script)
    await tab.until(f"{number} > {before}")


async def test_a_wizard_plays_five_tasks_with_forms_phrases_and_words(tmp_path: Path) -> None:
    need_chromium()
    await play_all(
        WizardSeat(),
        tmp_path,
        {
            "base_hands_full": (
                says("Shall I open the trunk?"),
                calls("open_close_trunk_door", action="OPEN"),
                done,
            ),
            "settle_fan": (
                calls("get_user_preferences", climate_control=True),
                calls("set_fan_speed", level=4),
                done,
            ),
            "settle_open_window": (
                calls("get_vehicle_window_positions"),
                calls("open_close_window", window="DRIVER_REAR", percentage=0),
                done,
            ),
            "base_bedtime_story": (
                calls("set_reading_light", position="PASSENGER_REAR", on="yes"),
                calls("set_ambient_lights", on="yes", lightcolor="ORANGE"),
                done,
            ),
            "ask_where_to_blow": (
                says("Where shall the air go?"),
                calls("set_fan_airflow_direction", direction="WINDSHIELD_FEET"),
                done,
            ),
        },
    )


async def test_a_person_drives_two_tasks_on_a_page(tmp_path: Path) -> None:
    need_chromium()

    async def stop(tab: Page) -> None:
        await answer(tab, "document.querySelector('[data-word=STOP]').click()")

    fan = says("The fan as I like it, please.", "Say")
    trunk = (says("Open the trunk, please.", "Say"), says("Yes, go ahead.", "Say"))
    await play_all(
        DriverSeat(), tmp_path, {"settle_fan": (fan, stop), "base_hands_full": (*trunk, stop)}
    )


async def test_a_page_that_is_loaded_again_goes_on_where_it_was(tmp_path: Path) -> None:
    need_chromium()
    async with run_with(WizardSeat(), tmp_path) as (tab, unit):
        await answer(tab, press("Let me check that."))
        await tab.until("document.querySelectorAll('.said.agent.aside').length === 1")
        await tab.reload()
        await tab.until(f"globalThis.cockpit !== undefined && {ASKED}")
        assert "Let me check that." in await tab.evaluate(TEXT)
        await answer(tab, press("End my turn without a word"))
        await answer(tab, press("I'm sorry, this car can't do that."))
        await tab.until(f"{TEXT}.includes('reward') || {ASKED}")
        unit.cancel()


async def test_a_call_that_does_not_fit_is_not_sent_and_the_page_says_why(tmp_path: Path) -> None:
    need_chromium()
    async with run_with(WizardSeat(), tmp_path) as (tab, unit):
        unfit = "document.querySelector('[data-tool=set_fan_speed] form').noValidate = true"
        await answer(tab, call("set_fan_speed", unfit))
        await tab.until(f"{TEXT}.includes('not sent: set_fan_speed')")
        assert await tab.evaluate(ASKED)
        unit.cancel()


async def test_a_person_drives_on_a_page_and_ends_with_a_control_word(tmp_path: Path) -> None:
    need_chromium()
    async with run_with(DriverSeat(), tmp_path) as (tab, unit):
        await tab.until(ASKED)
        assert TASK.driver.instruction.split(".")[0] in await tab.evaluate(TEXT)
        assert await tab.evaluate("document.querySelector('[data-word=STOP]').disabled")
        await answer(tab, "document.querySelector('.phrases button').click()")
        await tab.until("document.querySelectorAll('.said.agent').length === 1")
        await answer(tab, typing("Yes, go ahead."))
        await tab.evaluate(press("Say"))
        await tab.until("document.querySelectorAll('.said.agent').length === 2")
        await answer(tab, "document.querySelector('[data-word=STOP]').click()")
        played = await unit
        assert (played.score.outcome, played.record.controls[-1].word) == ("success", "STOP")
        assert tab.complaints == []


# --- who may open it


def dial(url: str, *, token: str | None = None, origin: str | None = None) -> connect:
    at = urlsplit(url)
    query = at.query if token is None else f"token={token}"
    return connect(
        f"ws://{at.netloc}/wizard?{query}",
        origin=Origin(origin) if origin else None,
        proxy=None,
    )


async def seat_behind(socket: ClientConnection) -> str:
    return str(orjson.loads(await socket.recv())["seat"])


async def test_each_person_has_an_address_of_their_own() -> None:
    seats: list[AnySeat] = [WizardSeat(), DriverSeat()]
    async with asyncio.timeout(30), person_pages(seats, 0) as urls:
        found = []
        for url in urls:
            async with dial(url) as socket:
                found.append(await seat_behind(socket))
    assert found == ["assistant", "driver"]


async def test_other_origins_and_tokens_are_refused() -> None:
    async with asyncio.timeout(30), person_pages([WizardSeat()], 0) as [url]:
        for strange in ({"token": "guess"}, {"token": ""}, {"origin": "http://evil.example"}):
            with pytest.raises(InvalidStatus) as refused:
                async with dial(url, **strange):
                    pass
            assert refused.value.response.status_code == 403


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ("{", "not sent"),
        ('{"kind": "shout"}', "not sent"),
        ('{"kind": "send", "text": 7}', "text"),
        ('{"kind": "decide", "word": "STOP"}', "for the other seat"),
        ('{"kind": "send", "text": "Hello."}', "not your turn"),
        ("x" * (LONGEST + 1), "longer than"),
    ],
)
def test_what_a_page_sends_and_nobody_can_use_is_answered_with_why(sent: str, why: str) -> None:
    assert why in received(WizardSeat(), sent)
