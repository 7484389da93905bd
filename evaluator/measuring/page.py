"""How fast the page of `codriver serve` is, and whether its viewers make turns less exact.

All of it with a car that drives. Without Chromium the figures of the browser are left out.
"""

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from assistant_gateway.timing.timeline import MS, SECOND, wall_ns
from evaluator.cockpit.serve import Shown, shown
from evaluator.live import LiveCar
from evaluator.measuring.rig.browser import Page, chromium, find_chromium
from evaluator.measuring.rig.own_process import own_process
from evaluator.measuring.rig.page_viewers import page_viewers, serve_stamps
from evaluator.measuring.rig.percentiles import Percentiles, percentiles
from evaluator.options import ServeOptions
from evaluator.problems import InfraProblem
from evaluator.run.units import RunSettings
from evaluator.scoring.turn_score import DEGRADED_MS, TurnScore
from evaluator.task.selection import load_task
from evaluator.task.worlds import own_world

VIEWERS = 20
ROUNDS = 4
MOTION_HZ = 10
DRIVING = "base_kids_and_windows"  # a task whose car has a route
SIZE = {"wide": 1400, "high": 900}
DRAWN_WITHIN_S = 180.0
PAINTED = """new Promise((done) => {
  const paint = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
  new PerformanceObserver(() => paint() && done(paint())).observe({type: 'paint', buffered: true});
})"""
SPEED = "parseFloat(document.querySelector('.speed output')?.textContent || 0)"
FRAMES = """new Promise((done) => {
  const at = [];
  requestAnimationFrame(function next(now) {
    at.push(now);
    if (now - at[0] < %d) requestAnimationFrame(next);
    else done((at.length - 1) * 1000 / (now - at[0]));
  });
})"""
# A token counts as drawn when the page has made the frame with it.
WATCH_TOKENS = """globalThis.drawn = [];
const after = new MessageChannel();
let waiting = [];
after.port1.onmessage = () => {
  for (const stamp of waiting) drawn.push([stamp, performance.now()]);
  waiting = [];
};
cockpit.on('words', ({ text }) => {
  if (!waiting.length) requestAnimationFrame(() => after.port2.postMessage(0));
  waiting.push(text);
});"""


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """Measured in a browser; `busy` is the share of a CPU that its main thread needs in a drive."""

    first_paint_ms: float
    frames_per_s: float
    busy: float
    token_drawn_ms: Percentiles


@dataclass(frozen=True, slots=True)
class WatchedCar:
    """How late tokens came to 20 viewers, and the measurement error of turns with and without."""

    token_arrived_ms: Percentiles
    error_ms_alone: Percentiles
    error_ms_watched: Percentiles


def too_slow(figures: Mapping[str, Any]) -> Iterator[str]:
    """Sentences about figures over their limits; none if the machine has no time for the bench.

    Limits are wide where a figure depends on the machine, and close where it depends on our code:
    a token waits twice for others, together 25 ms at most, and viewers may add 5 ms to a turn.
    """
    page, watched = figures["page"], figures["page_viewers"]
    alone, error = watched["error_ms_alone"], watched["error_ms_watched"]
    if alone["p99"] is None or alone["p99"] > DEGRADED_MS:
        return
    for value, limit, sentence in (
        (page["first_paint_ms"], 3000, "the first paint takes {} ms"),
        (page["busy"], 0.5, "driving keeps the page busy for {} of the time"),
        (page["token_drawn_ms"]["p50"], 1000, "a token is drawn after {} ms (p50)"),
        (watched["token_arrived_ms"]["p50"], 50, "a token arrives after {} ms (p50)"),
        (round(error["p50"] - alone["p50"], 1), 5, "viewers add {} ms to the error of turns (p50)"),
    ):
        if value is not None and value > limit:
            yield f"{sentence.format(value)}, over {limit}"


@asynccontextmanager
async def driving_car(settings: RunSettings) -> AsyncIterator[Shown]:
    """A page with a car that drives, and an assistant whose words are stamps of the clock."""
    world = own_world()
    options = ServeOptions(
        agent="ws",
        motion=True,
        motion_hz=MOTION_HZ,
        pace="fast",
        port=0,
        broker=settings.broker_url or settings.broker_kind,
    )
    start = load_task(DRIVING, None, world).car.start
    async with shown(options, world, start) as page:
        gate = page.car.servers.gateway
        async with own_process(serve_stamps, gate.url, gate.tokens.agent):
            await gate.agents_connected(1)
            page.car.start_time()
            yield page


async def _talk(car: LiveCar, turns: int) -> list[int]:
    """The measurement error of each turn."""
    scores = [TurnScore.of((await car.say("How is the car?")).turn) for _ in range(turns)]
    return [round(score.harness_error_ms * MS) for score in scores]


# --- viewers


async def watched_car(settings: RunSettings, turns: int) -> WatchedCar:
    """Talk for so many turns without viewers, and for as many with them, in alternating rounds."""
    alone_ns, watched_ns, arrived_ns = list[int](), list[int](), list[int]()
    async with driving_car(settings) as page:
        at = urlsplit(page.url)
        async with page_viewers(f"ws://{at.netloc}/feed?{at.query}", VIEWERS) as viewers:
            async with viewers.watching():
                await _talk(page.car, 1)
            for share in _shares(turns):
                alone_ns += await _talk(page.car, share)
                async with viewers.watching() as late_ns:
                    watched_ns += await _talk(page.car, share)
                arrived_ns += late_ns
    return WatchedCar(*(percentiles(each, MS) for each in (arrived_ns, alone_ns, watched_ns)))


def _shares(turns: int) -> Iterator[int]:
    """A few rounds that add up to so many turns."""
    rounds = min(ROUNDS, turns)
    return (turns * (n + 1) // rounds - turns * n // rounds for n in range(rounds))


# --- in the browser


async def drawn_page(
    settings: RunSettings, *, loads: int, turns: int, seconds: float
) -> DrawnPage | None:
    """Load it so often, watch it for so long, talk for so many turns; None without Chromium."""
    if find_chromium() is None:
        sys.stderr.write("chromium is not installed: the figures of the browser are left out\n")
        return None
    with tempfile.TemporaryDirectory(prefix="codriver-page-", ignore_cleanup_errors=True) as folder:
        async with driving_car(settings) as page, chromium(Path(folder), **SIZE) as browser:
            try:
                async with asyncio.timeout(DRAWN_WITHIN_S), browser.tab() as tab:
                    await tab.command("Performance.enable", timeDomain="threadTicks")
                    await tab.command("Network.setCacheDisabled", cacheDisabled=True)
                    paint_ms = [await _first_paint_ms(tab, page.url) for _ in range(loads)]
                    frames_per_s, busy = await _frames(tab, seconds)
                    drawn = percentiles(await _drawn_ns(tab, page.car, turns), MS)
            except TimeoutError as error:
                raise InfraProblem(f"the page took over {DRAWN_WITHIN_S:g} s") from error
    return DrawnPage(round(median(paint_ms), 1), round(frames_per_s, 1), busy, drawn)


async def _first_paint_ms(tab: Page, address: str) -> float:
    """From the start of a load, without a cache, until something is seen."""
    await tab.open(address)
    painted_ms: float = await tab.evaluate(PAINTED)
    await tab.until("cockpit.drives")
    return painted_ms


async def _frames(tab: Page, seconds: float) -> tuple[float, float]:
    """Frames per second of the page with a driving car, and the share of a CPU that it needs."""
    await tab.until(f"{SPEED} > 20")
    began_s, began_ns = (await _metrics(tab))["TaskDuration"], wall_ns()
    frames_per_s: float = await tab.evaluate(FRAMES % (seconds * 1000))
    worked_s = (await _metrics(tab))["TaskDuration"] - began_s
    return frames_per_s, round(worked_s * SECOND / (wall_ns() - began_ns), 3)


async def _drawn_ns(tab: Page, car: LiveCar, turns: int) -> list[int]:
    """For each token, the time from the agent until the page has made the frame with it.

    The page reads the same clock, but counts from the start of its load.
    """
    await tab.evaluate(WATCH_TOKENS)
    await _talk(car, turns)
    await tab.until("drawn.length && !waiting.length")
    page_began_ns = round((await _metrics(tab))["NavigationStart"] * SECOND)
    drawn = await tab.evaluate("drawn")
    return [page_began_ns + round(at_ms * MS) - int(stamp) for stamp, at_ms in drawn]


async def _metrics(tab: Page) -> dict[str, float]:
    answer = await tab.command("Performance.getMetrics")
    return {each["name"]: each["value"] for each in answer["metrics"]}
