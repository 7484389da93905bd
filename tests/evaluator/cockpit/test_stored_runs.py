"""Stored runs over HTTP, and their view in a browser."""

import asyncio
import multiprocessing
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.applications import Starlette

from assistant_gateway.net.web import listening, serving
from evaluator.cockpit.page_files import HEADERS, file_routes
from evaluator.cockpit.serve import shown
from evaluator.cockpit.stored_runs import stored_runs
from evaluator.measuring.rig.browser import Page, browser_page
from evaluator.options import ServeOptions
from evaluator.results.store import FILE
from tests.conftest import need_chromium
from tests.evaluator.runs import WORLD
from tests.evaluator.small_runs import EVIL, written

VIEW = "document.querySelector('#runs').shadowRoot"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    runs = tmp_path / "runs"
    asyncio.run(written(runs / "one", options={"label": "first try"}))
    asyncio.run(written(runs / "deep" / "two", EVIL))
    (runs / "broken").mkdir()
    (runs / "broken" / FILE).write_text("no database, but long enough to be read as one")
    return runs


@dataclass(frozen=True)
class Asking:
    """Asks with the token, unless another is given."""

    client: httpx.AsyncClient

    async def __call__(self, place: str, **query: str) -> httpx.Response:
        return await self.client.get(place, params={"token": "secret", **query})


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[Asking]:
    with listening("127.0.0.1", 0) as at:
        address = f"http://127.0.0.1:{at.getsockname()[1]}"
        async with stored_runs(folder) as runs, asyncio.timeout(120):
            asked = runs.routes(lambda request: "secret" in str(request.url.query))
            app = Starlette(routes=[*asked, *file_routes()])
            async with (
                serving(app, at, "runs"),
                httpx.AsyncClient(base_url=address, timeout=120, trust_env=False) as client,
            ):
                yield Asking(client)


async def test_runs_conversations_and_comparisons_are_json_for_those_with_the_token(
    folder: Path,
) -> None:
    async with served(folder) as ask:
        listed = (await ask("/runs/list")).json()
        assert {row["run"] for row in listed["runs"]} == {"one", "deep/two", "broken"}
        assert len((await ask("/runs/run", run="deep/two")).json()["units"]) == 9
        unit = (await ask("/runs/unit", run="one", unit="base_1")).json()
        assert unit["told"]["verdict"]["persona"] == "calm"
        both = (await ask("/runs/compare", first="one", second="deep/two")).json()
        assert both["headline"].startswith("second run: ")
        assert any(finding.startswith("solved: equal") for finding in both["findings"])
        for place in ("/runs/list", "/runs/run", "/runs/report.html"):
            assert (await ask(place, token="wrong", run="one")).status_code == 403


async def test_what_cannot_be_answered_is_one_line_and_nothing_leads_out_of_the_folder(
    folder: Path,
) -> None:
    async with served(folder) as ask:
        for place, query, code, text in (
            ("/runs/run", {"run": "../runs/one"}, 404, "there is no run"),
            ("/runs/run", {"run": str(folder / "one")}, 404, "there is no run"),
            ("/runs/run", {"run": "broken"}, 404, "cannot be used"),
            ("/runs/unit", {"run": "one", "unit": "nope"}, 404, "has no unit 'nope'"),
            ("/runs/unit", {"run": "one"}, 400, "/runs/unit needs unit"),
            ("/runs/manifest", {}, 404, "there is no /runs/manifest"),
            ("/stored/..%2Freport.py", {}, 404, ""),
            ("/stored/report.js", {}, 404, "no such file"),
        ):
            answer = await ask(place, **query)
            assert (answer.status_code, text in answer.text) == (code, True), answer.text
            assert answer.text.count("\n") <= 1


async def test_the_process_that_reads_ends_with_the_page(folder: Path) -> None:
    before = multiprocessing.active_children()
    async with served(folder) as ask:
        assert (await ask("/runs/list")).status_code == 200
        [reader] = [each for each in multiprocessing.active_children() if each not in before]
    assert await asyncio.to_thread(wait, [reader.sentinel], 60)


async def test_conversations_comparisons_and_reports_are_files_to_keep(folder: Path) -> None:
    async with served(folder) as ask:
        unit = await ask("/runs/unit.html", run="deep/two", unit="base_1:0")
        name = 'attachment; filename="codriver-unit-deep-two-base-1-0.html"'
        assert unit.headers["content-disposition"] == name
        assert "Fan to three, please." in unit.text
        assert EVIL not in unit.text
        both = await ask("/runs/compare.html", first="one", second="deep/two")
        report = await ask("/runs/report.html", run="one")
        for answer in (unit, both, report):
            assert answer.text.startswith("<!doctype html>")
            assert answer.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]


@asynccontextmanager
async def page_of(folder: Path, profile: Path, wide: int = 1280) -> AsyncIterator[tuple[Page, str]]:
    options = ServeOptions(agent="null", port=0, runs=folder)
    async with (
        asyncio.timeout(170),
        shown(options, WORLD) as page,
        browser_page(profile, wide=wide) as tab,
    ):
        yield tab, page.url


async def test_a_conversation_opens_by_its_link_and_is_played_again(
    folder: Path, tmp_path: Path
) -> None:
    need_chromium()
    async with page_of(folder, tmp_path / "profile", wide=420) as (tab, url):
        await tab.open(f"{url}#runs/deep%2Ftwo/base_1%3A0")
        await tab.until(f"{VIEW}?.querySelector('.timeline') != null")
        assert EVIL in await tab.evaluate(f"{VIEW}.querySelector('.conversation').innerText")
        assert await tab.evaluate(f"{VIEW}.querySelectorAll('img, script').length") == 0
        assert await tab.evaluate(f"{VIEW}.querySelector('.picture .top').clientHeight") > 50
        scrub = f"{VIEW}.querySelector('.scrub')"
        await tab.evaluate(f"{scrub}.value = 0; {scrub}.dispatchEvent(new Event('input'))")
        later = f"{VIEW}.querySelectorAll('.conversation > .later').length"
        assert await tab.evaluate(later) > 0
        fan = f"[...{VIEW}.querySelectorAll('.car-values .value')][0].innerText"
        assert "level 3" in await tab.evaluate(fan)
        speed = f"{VIEW}.querySelector('.controls select')"
        await tab.evaluate(f"{speed}.selectedIndex = 4; {speed}.dispatchEvent(new Event('change'))")
        await tab.evaluate(f"{VIEW}.querySelector('.play').click()")
        await tab.until(f"{later} === 0 && {VIEW}.querySelector('.play').textContent === 'Play'")
        overflow = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not await tab.evaluate(overflow)
        assert tab.complaints == []
        outside = [asked for asked in tab.requests if urlsplit(asked).hostname != "127.0.0.1"]
        assert [asked for asked in outside if not asked.startswith("data:")] == []


async def test_runs_are_filtered_opened_and_compared_on_the_page(
    folder: Path, tmp_path: Path
) -> None:
    need_chromium()
    async with page_of(folder, tmp_path / "profile") as (tab, url):
        await tab.open(f"{url}#runs")
        await tab.until(f"{VIEW}?.querySelectorAll('.runs tbody tr').length === 3")
        assert "cannot be used" in await tab.evaluate(f"{VIEW}.querySelector('.problem').innerText")
        search = f"{VIEW}.querySelector('[type=search]')"
        await tab.evaluate(f"{search}.focus()")
        await tab.command("Input.insertText", text="first try")
        for kind in ("keyDown", "keyUp"):  # a key of the shell, typed here
            await tab.command("Input.dispatchKeyEvent", type=kind, key="p", code="KeyP")
        assert not await tab.evaluate("document.documentElement.hasAttribute('data-presenter')")
        assert await tab.evaluate(f"{VIEW}.querySelectorAll('.runs tbody tr').length") == 1
        await tab.evaluate(f"{search}.value = ''; {search}.dispatchEvent(new Event('input'))")
        for run in ("one", "deep/two"):
            await tab.evaluate(f"{VIEW}.querySelector('[data-run=\"{run}\"]').click()")
        await tab.evaluate(f"{VIEW}.querySelector('.pair button').click()")
        await tab.until(f"{VIEW}.querySelector('.comparison h1') !== null")
        assert await tab.evaluate("location.hash") == "#runs/one/with/deep%2Ftwo"
        await tab.evaluate(f"{VIEW}.querySelector('.tasks .links a').click()")
        await tab.until(f"{VIEW}.querySelector('#unit-title') !== null")
        await tab.evaluate(f"{VIEW}.querySelectorAll('.crumbs a')[1].click()")
        await tab.until(f"{VIEW}.querySelectorAll('.task button').length === 9")
        assert tab.complaints == []
