"""What the Drive view shows of a task, of its end, and of what cannot be done now."""

from pathlib import Path

from evaluator.measuring.rig.browser import browser_page
from tests.conftest import need_chromium
from tests.evaluator.cockpit.served import served
from tests.evaluator.cockpit.test_page import say, shows
from tests.evaluator.cockpit.test_page_signs import opened

TASK = "settle_open_window"
STATE = "document.body.dataset.state"
VERDICTS = "[...document.querySelectorAll('.note.verdict')].map((line) => line.textContent)"
DISABLED = "['start', 'pause', 'restart', 'hang_up', 'send'].filter((id) => window[id].disabled)"
END = "document.querySelector('.endings button:not([hidden])')"


async def test_a_task_ends_at_once_and_its_verdict_stays_after_a_reload(tmp_path: Path) -> None:
    live = opened(tmp_path, task=TASK, pace="live", latency_profile="lpu_fast")
    async with live as (page, tab):
        assert await tab.evaluate("document.querySelector('#drive').dataset.tab") == "task"
        assert await tab.evaluate("document.querySelectorAll('.hints button').length") == 1
        assert not await tab.evaluate(shows(".so-far [data-state=done]"))
        await say(tab, "How far is it to Graz?")
        await tab.until(f"{END} !== null && send.textContent === 'Interrupt'")
        await tab.evaluate(f"{END}.click()")
        await tab.until(f"['ending', 'over'].includes({STATE})")
        await tab.until(f"{STATE} === 'over'")
        [verdict] = await tab.evaluate(VERDICTS)
        assert verdict.startswith("Not solved: ")
        assert await tab.evaluate(END) is None
        await tab.open(page.url)
        await tab.until("globalThis.cockpit?.drives")
        assert await tab.evaluate(VERDICTS) == [verdict]
        assert await tab.evaluate("document.querySelector('.result').textContent") == "Not solved"
        assert tab.complaints == []


async def test_what_cannot_be_done_is_disabled_and_says_why(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, tab):
        assert await tab.evaluate(DISABLED) == ["pause", "restart", "hang_up"]
        place = "JSON.stringify({}.getBoundingClientRect())"
        before = await tab.evaluate(place.format("start"))
        await tab.evaluate("start.click()")
        await tab.until(f"{STATE} === 'running'")
        assert (await tab.evaluate(DISABLED)) == ["start"]
        assert await tab.evaluate(place.format("pause")) == before
        await tab.evaluate("restart.dispatchEvent(new MouseEvent('click', { detail: 2 }))")
        await tab.evaluate("pause.click()")
        await tab.until(f"{STATE} === 'paused'")
        assert await tab.evaluate(DISABLED) == ["pause", "send"]
        assert "Paused" in await tab.evaluate("text.placeholder")


async def test_a_restart_of_what_runs_wants_a_second_press_in_the_same_place(
    tmp_path: Path,
) -> None:
    restarts = "globalThis.restarts"
    async with opened(tmp_path) as (_, tab):
        await tab.evaluate(f"{restarts} = 0; cockpit.on('hello', () => {{ {restarts} += 1; }})")
        await tab.evaluate("start.click()")
        await tab.until(f"{STATE} === 'running'")
        place = "JSON.stringify([restart, hang_up].map((each) => each.getBoundingClientRect()))"
        before, begun = await tab.evaluate(place), await tab.evaluate(restarts)
        await tab.evaluate("restart.click()")
        assert await tab.evaluate("restart.textContent") == "Sure?"
        assert await tab.evaluate(place) == before
        assert await tab.evaluate(restarts) == begun
        await tab.evaluate("restart.click()")
        await tab.until(f"{restarts} > {begun}")
        assert await tab.evaluate("restart.textContent") == "Restart"
        assert tab.complaints == []


async def test_the_waterfall_does_not_count_waiting_for_the_car_as_thinking(tmp_path: Path) -> None:
    turn = """{ marks: [{ name: 'transcript', at_ms: 100 }, { name: 'first_token', at_ms: 1000 }],
        calls: [{ tool: 'set_fan_speed', from_ms: 300, to_ms: 800, ok: true }] }"""
    shown = """[...list.querySelectorAll('li')].map((row) => [
        row.querySelector('.step').textContent,
        row.querySelectorAll('i').length, row.querySelector('.ms').textContent])"""
    module = "await import('/page/drive/waterfall.js')"
    async with opened(tmp_path) as (_, tab):
        rows = await tab.evaluate(
            f"(async () => {{ const list = ({module}).waterfall({turn}); return {shown}; }})()"
        )
    assert rows == [
        ["hearing", 1, "100 ms"],
        ["thinking", 2, "400 ms"],
        ["set_fan_speed", 1, "500 ms"],
    ]


async def test_without_a_connection_everything_is_disabled_and_says_why(tmp_path: Path) -> None:
    need_chromium()
    async with browser_page(tmp_path / "profile") as tab:
        async with served() as page:
            await tab.open(page.url)
            await tab.until("globalThis.cockpit?.drives")
        await tab.until("document.body.dataset.link === 'lost'")
        everything = ["start", "pause", "restart", "hang_up", "send"]
        assert await tab.evaluate(DISABLED) == everything
        for shown in ("text.placeholder", "send.title", "start.title"):
            assert "Connection lost" in await tab.evaluate(shown)


async def test_with_two_assistants_each_has_its_verdict(tmp_path: Path) -> None:
    async with opened(tmp_path, task=TASK, agent_b="claims", pace="fast") as (_, tab):
        assert await tab.evaluate("document.querySelector('#drive').dataset.tab") == "talk"
        await say(tab, "Open the window.")
        await tab.until("document.querySelectorAll('.lane .took').length === 2")
        await tab.until(f"{END} !== null")
        assert await tab.evaluate("document.querySelectorAll('.took[open]').length") == 0
        await tab.evaluate(f"{END}.click()")
        await tab.until(f"{STATE} === 'over'")
        verdicts = await tab.evaluate(VERDICTS)
        assert len(verdicts) == 2
        assert not any("No verdict" in each for each in verdicts)
        assert await tab.evaluate("document.querySelectorAll('.lane-name .result').length") == 2


async def test_what_waits_to_be_said_comes_last_and_goes_if_it_is_refused(tmp_path: Path) -> None:
    said = "[...document.querySelectorAll('.said.driver')].map((line) => line.textContent)"
    async with opened(tmp_path, "&presenter") as (_, tab):
        for words in ("one", "two", "three"):
            event = f"new CustomEvent('said', {{ detail: '{words}' }})"
            await tab.evaluate(f"document.dispatchEvent({event})")
        await tab.evaluate("cockpit.receive({ kind: 'driver', text: 'one' })")
        assert await tab.evaluate(said) == ["one", "two", "three"]
        await tab.evaluate("cockpit.receive({ kind: 'trouble', text: 'no', refused: 'say' })")
        assert await tab.evaluate(said) == ["one", "two"]
        await tab.evaluate("cockpit.receive({ kind: 'stage', state: 'ending' })")
        assert await tab.evaluate(said) == ["one"]
