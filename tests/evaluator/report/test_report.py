import re
from html import unescape
from itertools import pairwise
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.timing.timeline import MS
from evaluator.measuring.rig.browser import browser_page
from evaluator.record.record import Record
from evaluator.reference.difficulty import Difficulty
from evaluator.report import overview
from evaluator.report.charts import Histogram, Series, histogram, pass_chart, rounded
from evaluator.report.content import Latencies, RunContent, alike, consistency_counts
from evaluator.report.conversations import compact, pack
from evaluator.report.markup import Markup, element
from evaluator.report.page import Parts, page
from evaluator.report.report import report
from evaluator.report.unit_content import told
from evaluator.results.manifest import Manifest
from evaluator.results.rows.run_rows import RunRows
from evaluator.results.statistics import Estimate
from evaluator.results.store import UnitResult
from evaluator.results.summary import summary
from evaluator.scoring.scores import TurnScore, score
from tests.conftest import need_chromium
from tests.evaluator.episodes import KEPT, MISSED, SPANS, Episode, manifest, unit
from tests.evaluator.small_runs import EVIL, fan, played, small_run, written
from tests.vehicle_bus.cars import WORLD


def html(made: Manifest, units: list[tuple[UnitResult, Record]]) -> str:
    results = [result for result, _ in units]
    shown = {result.unit: told(result, record) for result, record in units}
    return page(made, Parts.of(results), shown, summary(made, results))


def test_the_page_fetches_nothing() -> None:
    text = html(*small_run())
    assert "default-src 'none'" in unescape(text)
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", text)
    assert "{{" not in text


def test_the_headline_is_the_result() -> None:
    text = html(*small_run())
    assert "<h1>44 % of the tasks solved, 44 % in time</h1>" in text
    assert "1</b> solved in every trial" in text
    assert "1</b> solved in some trials" in text
    assert "base_3:0" in text


def test_every_span_has_its_percentiles_on_the_page() -> None:
    text = html(*small_run())
    row = text[text.index("<code>turnaround</code>") :].partition("</tr>")[0]
    assert re.findall(r"<td[^>]*>([^<]*)</td>", row) == [*["3.00 s"] * 5, "9", "0"]
    assert all(f"<code>{span}</code>" in text for span in SPANS if span != "effect_latency")


def test_the_latency_score_is_reported_if_there_is_one() -> None:
    made, units = small_run()
    figures = summary(made, [result for result, _ in units])
    assert "Latency score" not in page(made, Parts.of([result for result, _ in units]), {}, figures)
    budget = figures.budget.model_copy(update={"score_mean": 0.8251})
    scored = figures.model_copy(update={"budget": budget})
    assert "Latency score 0.83" in page(made, Parts.of([result for result, _ in units]), {}, scored)


def test_what_an_agent_said_stays_text() -> None:
    text = html(*small_run(EVIL))
    assert "<script>document" not in text
    assert "<img" not in text


def test_a_run_of_nothing_has_a_page_too() -> None:
    assert "Nothing could be evaluated" in page(
        manifest(), Parts.of([]), {}, summary(manifest(), [])
    )


def test_a_unit_without_a_record_is_listed() -> None:
    made, units = small_run()
    results = [result for result, _ in units]
    assert '"place":null' in page(made, Parts.of(results), {}, summary(made, results))


@given(st.text())
def test_markup_escapes_whatever_is_text(text: str) -> None:
    made = element("p", text, title=text)
    inner = made.removeprefix('<p title="').removesuffix("</p>")
    assert not set(inner.replace('">', "", 1)) & set("<")
    assert element("p", Markup(made)) == f"<p>{made}</p>"


@given(st.floats(1e-3, 1e5))
def test_axes_end_at_the_next_round_number(value: float) -> None:
    edge = rounded(value, (1, 2, 2.5, 5, 10))
    assert value * 0.999 <= edge <= value * 2.51


@given(
    st.lists(st.tuples(st.floats(0, 60), st.sampled_from(["ok", "soft", "hard"])), min_size=1),
    st.integers(0, 5),
)
def test_every_value_is_in_the_histogram(values: list[tuple[float, str]], never: int) -> None:
    drawn = histogram(Histogram(values, never, 1.0, None))
    for mark in ("soft", "hard"):
        expected = any(found == mark for _, found in values) or (mark == "hard" and never > 0)
        assert (f'class="bin {mark}"' in drawn) is expected
    tops = [float(y) for y in re.findall(r'y="([\d.]+)"[^>]*class="bin', drawn)]
    assert min(tops) == pytest.approx(16, abs=0.1)


def test_labels_of_lines_that_end_together_do_not_touch() -> None:
    same = {"1": Estimate(value=0.5, lo=0.4, hi=0.6, tasks=9)}
    drawn = pass_chart([Series(name, name, same) for name in ("a", "b", "c")])
    heights = sorted(float(y) for y in re.findall(r'y="([\d.]+)"[^>]*class="label', drawn))
    assert all(lower - upper >= 15 for upper, lower in pairwise(heights))


def test_what_never_came_is_slower_than_any() -> None:
    spans = {**SPANS, "upl": None}
    silent = TurnScore(turn=1, turn_class="B", spans=spans, verdict={**MISSED})
    quick = TurnScore(turn=1, turn_class="B", spans=SPANS, verdict={**KEPT})
    by_class = Latencies.of([quick, silent, silent]).by_class()
    assert {name: found.turns for name, found in by_class.items()} == {"B": 3}
    slowest, *_ = Latencies.of([quick, silent, silent]).spans()
    assert (slowest.percentile_s(0.5), slowest.percentile_s(0.95)) == (None, None)
    story, *_ = Latencies.of([quick, quick, silent]).spans()
    assert (story.span, story.never, story.percentile_s(0.5)) == ("upl", 1, 0.9)


def test_every_failure_has_a_reason_and_every_task_its_consistency() -> None:
    units = [result for result, _ in small_run()[1]]
    reasons = RunContent.of(units).most_frequent_reasons()
    assert sum(count for _, count, _ in reasons) == 5
    assert consistency_counts(RunRows.of(units).units) == [
        ("always", 1), ("late", 0), ("sometimes", 1), ("never", 1)
    ]  # fmt: skip


def test_equal_reasons_are_one() -> None:
    assert alike("fan_speed is 2, expected 3; and more") == "fan_speed is …, expected …"
    assert alike("loc_bas_627893 was invented") == "loc_bas_627893 was invented"


def test_a_long_answer_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    result, record = played("base_1", 0, 3, "word " * 2000)
    assert len(pack([compact(result, record)])) < 4000


def test_the_command_writes_into_the_run_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import asyncio

    asyncio.run(written(tmp_path))
    report(tmp_path, None, as_json=True)
    shown = orjson.loads(capsys.readouterr().out)
    assert shown["units"] == 9
    assert Path(shown["report"]).read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_map_shows_what_was_solved_by_calls_and_another_axis() -> None:
    axes = {"rules": (), "kept_back": 0, "conditions": 0, "manner": "calm"}
    units = []
    for number, parts in enumerate([("climate",), ("climate", "weather")]):
        found = Difficulty(calls=4, domains=parts, **axes)
        made = unit(f"base_{number}", outcome="failure" if number else "success")
        units.append(made.model_copy(update={"difficulty": found}))
    shown = overview.difficulty(summary(manifest(), units))
    assert shown is not None
    assert re.findall(r"--solved:(\d+)%", shown) == ["100", "0"]
    assert re.findall(r'data-tab="map-(\w+)"', shown) == ["domains"], "others have one band"
    assert overview.difficulty(summary(manifest(), [unit("base_1")])) is None


async def test_it_opens_in_a_browser_without_network(tmp_path: Path) -> None:
    need_chromium()
    file = tmp_path / "report.html"
    file.write_text(html(*small_run(EVIL)), encoding="utf-8")
    async with browser_page(tmp_path / "profile", wide=390) as tab:
        await tab.open(file.as_uri())
        assert await tab.evaluate("document.querySelectorAll('.task button').length") == 9
        await tab.evaluate("document.querySelector('.task .never').click()")
        await tab.until("document.querySelectorAll('#story .said').length >= 2")
        shown = await tab.evaluate("document.getElementById('story').innerText")
        assert "Fan to three, please." in shown
        assert "set_fan_speed" in shown
        assert EVIL in shown
        await tab.evaluate("document.getElementById('close').click()")
        await tab.evaluate("document.querySelector('[type=search]').value = 'base_2'")
        await tab.evaluate(
            "document.querySelector('[type=search]').dispatchEvent(new Event('input'))"
        )
        assert await tab.evaluate("document.querySelectorAll('.unit').length") == 3
        overflow = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not await tab.evaluate(overflow)
        assert await tab.evaluate("document.title") == "codriver r1"
        assert tab.complaints == []
        assert [address for address in tab.requests if not address.startswith("file:")] == []


async def test_waits_are_coloured_by_the_limits_a_turn_was_judged_by(tmp_path: Path) -> None:
    need_chromium()
    judged = [{}, *({"limits": {"first_speech": each}} for each in ([0.5, 1.0], [2.25, 4.5]))]
    units = []
    for trial, limits in enumerate(judged):
        episode = Episode(fan("base_1")).said("driver", "Fan to three, please.")
        episode.now_ns += 2000 * MS  # the driver waits for two seconds
        episode.said("agent", "It is at three.").turn({**KEPT, **limits}).end()
        made = score(episode.record, fan("base_1"), WORLD)
        units.append((unit("base_1", trial).model_copy(update={"score": made}), episode.record))
    file = tmp_path / "report.html"
    file.write_text(html(manifest("base_1", num_trials=3), units), encoding="utf-8")
    async with browser_page(tmp_path / "profile") as tab:
        await tab.open(file.as_uri())
        marks = []
        for trial in range(3):
            await tab.evaluate(f"document.querySelectorAll('.task button')[{trial}].click()")
            title = "document.getElementById('unit-title')?.textContent"
            await tab.until(f"{title}?.startsWith('base_1:{trial} ')")
            await tab.until("document.querySelector('.wait') !== null")
            marks.append(await tab.evaluate("document.querySelector('.wait').classList[1]"))
    assert marks == ["soft", "hard", "ok"]
