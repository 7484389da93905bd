"""A demonstration on the page, step by step, and what it has to show of the record on the bus."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from assistant_gateway.protocol import UserSpeechEnd
from evaluator.cockpit.serve import Shown, shown
from evaluator.cockpit.verdict import verdict
from evaluator.live import Observer
from evaluator.live.observer import observer
from evaluator.measuring.rig.browser import Page, chromium
from evaluator.options import ServeOptions
from evaluator.record.record import Record
from evaluator.task.selection import load_task
from evaluator.views.car_values import ROWS, written
from tests.conftest import need_chromium
from tests.evaluator.runs import WORLD
from vehicle_bus.broker.choose import connect
from vehicle_bus.contract import Snapshot, Topics

TASK = "base_kids_and_windows"
TURNS = "document.querySelectorAll('.took').length"
TO_HEAR = "document.querySelectorAll('.said.agent.latest i:not(.spoken)').length"
SPEED = "parseFloat(document.querySelector('.speed output').textContent)"
RESULT = "document.querySelector('.verdicts .result').textContent"
SHOWN = """(() => {
  const all = (selector) => [...document.querySelectorAll(`.lines ${selector}`)];
  const text = (line) => line.textContent.split(/\\s+/).filter(Boolean).join(' ');
  const heard = [];
  for (const line of all('.said')) {
    if (line.classList.contains('driver')) heard.push([]);
    else heard.at(-1).push(...[...line.querySelectorAll('.spoken')].map(text).filter(Boolean));
  }
  return {
    driver: all('.said.driver').map(text),
    heard: heard.map((words) => words.join(' ')),
    calls: all('.act').map((line) => [text(line.querySelector('.tool')), line.matches('.done')]),
    changes: all('.news span').map(text),
  };
})()"""
VALUES = """Object.fromEntries([...document.querySelectorAll('.groups [data-name]:not([hidden])')]
    .map((row) => [row.dataset.name, row.querySelector('dd').textContent]))"""


class Demonstration(NamedTuple):
    """The car with its page, the tab of the driver, that of a viewer, and what the bus carried."""

    page: Shown
    tab: Page
    viewer: Page
    seen: Observer


@asynccontextmanager
async def demonstration(folder: Path) -> AsyncIterator[Demonstration]:
    """Everything is ready, and nothing has begun."""
    need_chromium()
    options = ServeOptions(task=TASK, motion_hz=10, port=0)
    async with (
        shown(options, WORLD) as page,
        connect(page.car.servers.address, "observer") as bus,
        observer(bus, Topics(), page.car.vin) as seen,
        chromium(folder / "profile", wide=1400) as browser,
        browser.tab() as tab,
        browser.tab() as viewer,
    ):
        await tab.open(page.url)
        await tab.until("cockpit.drives")
        yield Demonstration(page, tab, viewer, seen)


# --- what a presenter does


async def talk(demo: Demonstration) -> None:
    """A request starts the task, and the car does it."""
    await turn(demo.tab, "Set the fan to level three.")
    await demo.tab.until(there(".car .levels .on:nth-of-type(3)"))


async def drive(demo: Demonstration) -> None:
    """The car drives, and its route is drawn."""
    await demo.tab.until(f"{SPEED} > 20 && !document.querySelector('.map').hidden")


async def knob(demo: Demonstration) -> None:
    """A click on the trunk opens it, and the page says that a person did."""
    await click(demo.tab, ".spot[data-name=trunk_door_position]")
    await demo.tab.until(there(".news[data-by=person]"))


async def fault(demo: Demonstration) -> None:
    """The car refuses a request; the assistant says so, and does it when it is asked again."""
    await click(demo.tab, ".fault[title*='says so']")
    await demo.tab.until(there(".fault[data-state=planned]"))
    await turn(demo.tab, "Make the ambient light blue.")
    await demo.tab.until(there(".injected :is([data-state=noticed], [data-state=recovered])"))
    await turn(demo.tab, "Make the ambient light blue.")
    await demo.tab.until(there(".injected [data-state=recovered]"))


async def interrupt(demo: Demonstration) -> None:
    """A long answer, 20 seconds of it, is cut off by the next request."""
    await say(demo.tab, "How far is it to Graz?")
    await demo.tab.until(there(".person[data-who=assistant][data-doing=speaking]"))
    await demo.tab.until(f"{TO_HEAR} > 20")
    await turn(demo.tab, "Set my seat heating to level 2.", turns=2)
    await demo.tab.until(there(".said.agent .unheard"))
    await demo.tab.until(there(".seat.driver[data-level='2']"))


async def watch(demo: Demonstration) -> None:
    """A second viewer sees everything from the beginning, and does not drive."""
    await demo.viewer.open(demo.page.url)
    await demo.viewer.until("cockpit.hello !== null && text.disabled")
    assert await demo.viewer.evaluate(SHOWN) == await demo.tab.evaluate(SHOWN)


async def stop_driving(demo: Demonstration) -> None:
    """The car stands, and is seen standing in both tabs."""
    await click(demo.tab, ".drives[aria-pressed=true]")
    for each in (demo.tab, demo.viewer):
        await each.until(f"{SPEED} === 0")


async def end(demo: Demonstration) -> None:
    """The driver ends the task; both see the verdict."""
    await click(demo.tab, ".endings [data-word=STOP]")
    for each in (demo.tab, demo.viewer):
        await each.until(there(".verdicts .result[data-final=true]:not([hidden])"))


async def reload(demo: Demonstration) -> None:
    """The driver loads the page again; the viewer is the driver until the driver takes over."""
    await demo.tab.reload()
    await demo.tab.until("cockpit.hello !== null && !take.hidden")
    await click(demo.tab, "#take")
    await demo.tab.until("cockpit.drives")
    await demo.viewer.until("!cockpit.drives")


STEPS: tuple[Callable[[Demonstration], Awaitable[None]], ...] = (
    *(talk, drive, knob, fault, interrupt, watch, stop_driving, end, reload),
)


async def compare(demo: Demonstration) -> None:
    """Both tabs show what the bus carried: words, calls, changes, values, and the verdict on it."""
    record = demo.seen.since()
    judged = verdict(record, load_task(TASK, None, WORLD), WORLD)
    expected = {
        "driver": [
            each.body.text for each in record.frames if isinstance(each.body, UserSpeechEnd)
        ],
        "heard": [" ".join(each.heard_agent.split()) for each in record.turns],
        "calls": [[each.tool, each.succeeded] for each in record.calls],
        "changes": list(_changes(record)),
    }
    values = written(demo.seen.state, WORLD)
    texts = json.dumps({name: entry["text"] for name, entry in values.items()})
    same = f"Object.entries({texts}).every(([name, text]) => ({VALUES})[name] === text)"
    for each in (demo.tab, demo.viewer):
        assert await each.evaluate(SHOWN) == expected
        await each.until(same)
        assert await each.evaluate(RESULT) == ("Solved" if judged.reward else "Not solved")
        assert each.complaints == []


def _changes(record: Record) -> Iterator[str]:
    """Values that do not move by themselves, whenever a snapshot has another one."""
    known: dict[str, Any] = {}
    snapshots = (each.read(Snapshot) for each in record.entries if each.kind == "snapshot")
    for snapshot in filter(None, snapshots):
        new = {n: value for n, value in snapshot.state.items() if known.get(n, ...) != value}
        was = written({name: known[name] for name in new if name in known}, WORLD)
        for name, entry in written(new, WORLD).items():
            noun = ROWS[name].noun
            if name in was and not ROWS[name].moves:
                yield f"{noun[0].upper()}{noun[1:]} {was[name]['text']} → {entry['text']}"
        known |= new


# --- hands


def there(selector: str) -> str:
    return f"document.querySelector({json.dumps(selector)}) !== null"


async def click(tab: Page, selector: str) -> None:
    await tab.until(f"document.querySelector({json.dumps(selector)})?.disabled === false")
    await tab.evaluate(f"document.querySelector({json.dumps(selector)}).click()")


async def say(tab: Page, text: str) -> None:
    await tab.evaluate(f"text.value = {json.dumps(text)}; say.requestSubmit()")


async def turn(tab: Page, text: str, turns: int = 1) -> None:
    """Say something and wait until this turn, and the one that it may cut off, is over."""
    before = await tab.evaluate(TURNS)
    await say(tab, text)
    await tab.until(f"{TURNS} >= {before + turns} && send.textContent === 'Say'")


async def play(demo: Demonstration, pause_s: float = 0.0) -> None:
    """All steps, with time to look between them, and the comparison at the end."""
    for step in STEPS:
        await step(demo)
        await asyncio.sleep(pause_s)
    await compare(demo)
