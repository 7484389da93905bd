"""What somebody who looks at the page for the first time can read and find there."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from evaluator.cockpit.serve import Shown
from evaluator.measuring.rig.browser import Page, browser_page
from tests.conftest import need_chromium
from tests.evaluator.cockpit.demonstration import RESULT
from tests.evaluator.cockpit.served import served
from tests.evaluator.cockpit.test_page import LINES, say, shows

ONE_ABOVE_THE_OTHER = """[...document.querySelectorAll('.meter')].map((meter) => {
    const number = meter.querySelector('.reading'), bar = meter.querySelector('.track');
    return number.getBoundingClientRect().left + number.scrollWidth
        > bar.getBoundingClientRect().left;
})"""
ROWS_FOUND = """[...document.querySelectorAll('.setup .task:not([hidden]) input')]
    .map((input) => [input.value, input.checked])"""

BUS_LINES = """[...document.querySelectorAll('.bus .line')].map((line) =>
    [line.querySelector('.topic').textContent, line.querySelector('code').textContent])"""


@asynccontextmanager
async def opened(
    folder: Path, query: str = "", agent: str = "rules", wide: int = 1280, **options: Any
) -> AsyncIterator[tuple[Shown, Page]]:
    need_chromium()
    async with (
        served(agent, **options) as page,
        browser_page(folder / "profile", wide=wide) as tab,
    ):
        await tab.open(page.url + query)
        await tab.until("globalThis.cockpit?.drives")
        yield page, tab


async def test_in_presenter_mode_no_bar_covers_the_number_of_two_assistants(tmp_path: Path) -> None:
    async with opened(tmp_path, "&presenter", agent_b="claims", wide=1920) as (_, tab):
        for shown in ("1.02 s", "12.34 s"):
            await tab.evaluate(
                "document.querySelectorAll('.reading output').forEach("
                f"(output) => {{ output.textContent = {json.dumps(shown)}; }})"
            )
            assert await tab.evaluate(ONE_ABOVE_THE_OTHER) == [False, False]


async def test_a_task_that_is_chosen_stays_among_what_was_searched(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, tab):
        await tab.until("!scenario.hidden")
        await tab.evaluate("scenario.click()")
        await tab.evaluate(
            "const find = document.querySelector('#task-filter'); find.value = 'fog';"
            "find.dispatchEvent(new Event('input'))"
        )
        before = await tab.evaluate(ROWS_FOUND)
        await tab.evaluate("document.querySelector('.task input[value=base_fog_lights]').click()")
        await tab.until("cockpit.hello.chosen.task === 'base_fog_lights' && cockpit.drives")
        after = await tab.evaluate(ROWS_FOUND)
        assert [name for name, _ in after] == [name for name, _ in before]
        assert ["base_fog_lights", True] in after


async def test_a_character_that_turns_text_round_turns_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path, agent="claims") as (_, tab):
        await say(tab, "Open \u202ethe trunk.")
        await tab.until(shows(".took"))
        assert "Open \ufffdthe trunk." in await tab.evaluate(LINES)


async def test_the_arguments_of_a_call_are_told_apart(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, tab):
        await say(tab, "What's the weather like?")
        await tab.until(shows(".took"))
        shown = await tab.evaluate("document.querySelector('.act summary').textContent")
        assert "month=2" in shown


async def test_a_message_on_the_bus_begins_with_what_it_says_and_frames_are_shown_on_demand(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as (_, tab):
        await say(tab, "Set the fan to level 3.")
        await tab.until(shows(".took"))
        await tab.evaluate("location.hash = 'bus'")
        await tab.until(shows(".bus .line"))
        await tab.until(f"{BUS_LINES}.some(([topic]) => topic.endsWith('/turn'))")
        lines = dict(await tab.evaluate(BUS_LINES))
        assert lines["command/set_fan_speed"].startswith("level=3")
        assert lines["signal/Vehicle/Cabin/HVAC/Station/Row1/Driver/FanSpeed"] == "60"
        assert not any(topic.endswith("/frame") for topic in lines)
        await tab.evaluate("document.querySelector('.bus .frames').click()")
        assert any(topic.endswith("/frame") for topic, _ in await tab.evaluate(BUS_LINES))
        await tab.evaluate("document.querySelector('.bus .frames').click()")
        await tab.evaluate(
            "const find = document.querySelector('.bus [type=search]'); find.value = 'frame';"
            "find.dispatchEvent(new Event('input'))"
        )
        found = await tab.evaluate(BUS_LINES)
        assert found
        assert all("frame" in topic for topic, _ in found)


async def test_a_page_that_is_refused_says_why_and_does_not_try_again(tmp_path: Path) -> None:
    async with opened(tmp_path, agent="null") as (_, tab):
        await tab.evaluate("history.replaceState(null, '', '/?token=of-another-server')")
        await tab.evaluate(
            "const planned = setTimeout; globalThis.plans = [];"
            "globalThis.setTimeout = (act, ...rest) => {"
            " plans.push(act.name); return planned(act, ...rest); }"
        )
        await tab.evaluate(
            "import('/page/feed.js?again').then((feed) => {"
            " feed.openSocket('/wizard', () => {}); })"
        )
        await tab.until(shows(".refusal"))
        assert "with its token" in await tab.evaluate(
            "document.querySelector('.refusal').textContent"
        )
        assert "connect" not in await tab.evaluate("plans")


MARKUP = "<img src=x onerror=alert(1)>"
HOSTILE: list[dict[str, Any]] = [
    {"kind": "driver", "text": MARKUP},
    {"kind": "began", "turn": 1, "since_ms": 0},
    {"kind": "words", "text": MARKUP, "aside": False, "message": "m"},
    {"kind": "called", "call": "1", "tool": MARKUP, "arguments": {MARKUP: MARKUP}},
    {"kind": "answered", "call": "1", "succeeded": False, "output": MARKUP} | {"after_ms": 1},
    {"kind": "fault", "id": "1", "fault_kind": "loss", "text": MARKUP, "state": "active"},
    {"kind": "event", "event": "knob", "detail": {}, "text": MARKUP},
    {"kind": "trouble", "text": MARKUP},
    {
        "kind": "verdict",
        "so_far": [{"text": MARKUP, "state": "open"}],
        "reward": 0,
        "final": True,
        "policies": [{"id": MARKUP, "text": MARKUP, "state": "broken"}],
        "reason": MARKUP,
    },
]


async def test_what_agents_drivers_and_cars_say_is_never_markup(tmp_path: Path) -> None:
    async with opened(tmp_path, "&task=base_fog_lights") as (_, tab):
        await tab.until("cockpit.hello.chosen.task === 'base_fog_lights'")
        for message in HOSTILE:
            told = json.dumps({"lane": "a", "past": True, **message})
            await tab.evaluate(f"cockpit.receive({told})")
        assert await tab.evaluate(f"{LINES}.split({json.dumps(MARKUP)}).length") > len(HOSTILE) - 3
        assert not await tab.evaluate(shows("img"))
        assert tab.complaints == []


async def test_what_was_solved_too_late_is_not_just_solved(tmp_path: Path) -> None:
    async with opened(tmp_path, "&task=base_fog_lights") as (_, tab):
        await tab.until("cockpit.hello.chosen.task === 'base_fog_lights'")
        said = [
            await _result(tab, reward=1, in_time=in_time, final=final)
            for in_time, final in ((False, False), (False, True), (True, True))
        ]
        assert said == ["Solved, if it ended now", "Solved, but too late", "Solved"]


async def _result(tab: Page, **verdict: Any) -> str:
    parts = {"so_far": [], "policies": [], "reason": ""}
    message = json.dumps({"lane": "a", "past": True, "kind": "verdict", **parts, **verdict})
    await tab.evaluate(f"cockpit.receive({message})")
    return str(await tab.evaluate(RESULT))


async def test_what_happens_in_a_task_is_told_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, tab):
        changed = {"sunroof_position": {"value": 0, "text": "closed", "before": "open"}}
        for message in (
            {"kind": "changed", "by": "task", "values": changed},
            {"kind": "event", "event": "knob", "detail": {"set": {}}, "text": "A child did it"},
        ):
            await tab.evaluate(f"cockpit.receive({json.dumps({'lane': 'a', **message})})")
        shown = await tab.evaluate(LINES)
        assert ("A child did it" in shown, "by the task" in shown) == (True, False)
        assert not await tab.evaluate(shows(".lines .note"))


TOO_LONG = "(each) => each.scrollWidth > each.clientWidth + 1"
CUT = """[...document.querySelectorAll('.car .dial, .car .top')].filter((part) => {
    const own = part.getBoundingClientRect(), box = part.closest('.car').getBoundingClientRect();
    return own.top < box.top - 1 || own.bottom > box.bottom + 1;
}).length"""


async def test_nothing_is_cut_with_two_assistants_or_in_the_header(tmp_path: Path) -> None:
    two = opened(tmp_path, "&presenter", agent_b="claims", wide=1920, latency_profile="lpu_fast")
    async with two as (_, tab):
        header = "[...document.querySelectorAll('.who > *, #link')]"
        for presents in (True, False):
            assert await tab.evaluate(CUT) == 0
            assert (
                await tab.evaluate(
                    f"{header}.filter((e) => e.scrollWidth > e.clientWidth + 1).length"
                )
                == 0
            )
            if presents:
                await tab.evaluate("presenter.click()")


POINT = {"name": "A", "x_km": 0, "y_km": 0, "at_km": 0, "stop": True}
ROUTE = {
    **{"kind": "route", "lane": "a", "length_km": 9, "at_km": 0, "charge": [], "charging": []},
    **{"place": "A", "away_km": 0, "moment": "2026-01-01T10:00:00", "rate": 1},
    "points": [POINT, {**POINT, "name": "B", "x_km": 9, "at_km": 9}],
}


async def test_without_a_route_nothing_can_be_driven_and_the_page_says_why(tmp_path: Path) -> None:
    async with opened(tmp_path, motion=True) as (_, tab):
        assert await tab.evaluate(
            "[...document.querySelectorAll('.motion > *')].every((each) => each.disabled)"
        )
        assert "no route" in await tab.evaluate("document.querySelector('.drives').title")
        await tab.evaluate(f"cockpit.receive({json.dumps(ROUTE)})")
        assert await tab.evaluate("document.querySelector('.drives').textContent") == "Stop driving"


async def test_whoever_reads_the_bus_further_up_keeps_the_place(tmp_path: Path) -> None:
    rows = "document.querySelector('.bus .rows')"
    async with opened(tmp_path) as (_, tab):
        await tab.evaluate("location.hash = 'bus'")
        await tab.until(shows(".bus .line"))
        await tab.evaluate("document.querySelector('.bus .moves').click()")
        await tab.until(f"{rows}.scrollTop + {rows}.clientHeight > {rows}.scrollHeight - 60")
        await tab.evaluate(f"{rows}.scrollTop -= 300")
        place = await tab.evaluate(f"{rows}.scrollTop")
        await tab.evaluate("new Promise(requestAnimationFrame)")
        await tab.evaluate("cockpit.send({kind: 'knob', name: 'fan_speed', value: 3})")
        await tab.until("!document.querySelector('.newer').hidden")
        assert await tab.evaluate(f"{rows}.scrollTop") == place
        await tab.evaluate("document.querySelector('.newer').click()")
        await tab.until(f"{rows}.scrollTop + {rows}.clientHeight > {rows}.scrollHeight - 60")


async def test_a_new_scenario_gives_each_lane_its_new_name(tmp_path: Path) -> None:
    names = "[...document.querySelectorAll('.lane-name')].map((each) => each.textContent)"
    async with opened(tmp_path, agent_b="claims") as (_, tab):
        assert await tab.evaluate(names) == ["rules", "claims", "rules", "claims"]
        await tab.evaluate("cockpit.send({ kind: 'choose', agent: 'wizard' })")
        await tab.until("agent.textContent === 'wizard and claims'")
        assert await tab.evaluate(names) == ["wizard", "claims", "wizard", "claims"]


async def test_the_picker_always_says_what_is_chosen_and_begins_without_a_filter(
    tmp_path: Path,
) -> None:
    chosen = "document.querySelector('.setup .chosen').textContent"
    async with opened(tmp_path) as (_, tab):
        await tab.until("!scenario.hidden")
        await tab.evaluate("document.querySelector('#task-filter').value = 'fog'")
        await tab.evaluate("scenario.click()")
        assert await tab.evaluate("document.querySelector('#task-filter').value") == ""
        assert await tab.evaluate(chosen) == "Chosen: free driving"
        button = "document.querySelector('#setup-start').textContent"
        assert await tab.evaluate(button) == "Start free driving"
        await tab.evaluate("document.querySelector('.task input[value=base_fog_lights]').click()")
        await tab.until(f"{button} === 'Start the task'")
        assert await tab.evaluate(chosen) != "Chosen: free driving"


async def test_the_bus_tells_two_cars_apart_and_counts_only_new_messages(tmp_path: Path) -> None:
    async with opened(tmp_path, agent_b="claims") as (_, tab):
        await tab.evaluate("cockpit.go('bus')")
        await tab.until(shows(".bus .line"))
        await tab.evaluate(
            "const rate = document.querySelector('.bus .rate'); globalThis.rates = [];"
            "new MutationObserver(() => rates.push(rate.textContent))"
            ".observe(rate, { childList: true })"
        )
        await tab.until("rates.length > 0")
        assert await tab.evaluate("Math.max(...rates.map(parseFloat))") < 10
        cars = "[...new Set([...document.querySelectorAll('.lane-of')].map((e) => e.textContent))]"
        assert sorted(await tab.evaluate(cars)) == ["a rules", "b claims"]


async def test_in_presenter_mode_no_reading_is_cut(tmp_path: Path) -> None:
    cut = "[...document.querySelectorAll('.readings :is(dt, dd)')]"
    cut += ".filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)"
    place = {"place": "Grabenstätt am Chiemsee", "away_km": 12, "moment": "2026-02-14T12:00"}
    values = {"outside_c": {"text": "-12.5 °C"}, "cabin_c": {"text": "19.5 °C"}}
    async with opened(tmp_path, "&presenter", wide=1400) as (_, tab):
        for message in (
            {"kind": "route", "length_km": 145, "at_km": 17, "rate": 10, **place, "points": []},
            {"kind": "changed", "first": True, "values": values},
        ):
            await tab.evaluate(f"cockpit.receive({json.dumps(message)})")
        shown = "[...document.querySelectorAll('.readings dd')].map((each) => each.innerText)"
        assert "19.5 °C" in await tab.evaluate(shown)
        assert await tab.evaluate(cut) == []


async def test_after_the_verdict_nothing_can_be_driven(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, tab):
        points = [{"name": name, "at_km": at, "stop": True} for name, at in (("A", 0), ("B", 9))]
        route = {"kind": "route", "points": points, "length_km": 9, "at_km": 0, "away_km": 0}
        stage = {"kind": "stage", "state": "running"}
        disabled = "document.querySelector('.drives').disabled"
        await tab.evaluate(f"cockpit.receive({json.dumps(route | {'charge': [], 'charging': []})})")
        await tab.evaluate(f"cockpit.receive({json.dumps(stage)})")
        assert await tab.evaluate(disabled) is False
        await tab.evaluate("cockpit.receive({ kind: 'stage', state: 'over' })")
        assert await tab.evaluate(disabled) is True
