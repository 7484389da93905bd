"""What a page shows of two runs, and the page in a browser."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from evaluator.measuring.rig.browser import browser_page
from evaluator.problems import UsageProblem
from evaluator.report.comparison_content import comparison_content
from evaluator.report.single_page import comparison_page
from evaluator.results.compared import compared
from evaluator.results.comparison import Side
from evaluator.views.captions import SPANS
from evaluator.views.comparison import comparison_lines
from tests.conftest import need_chromium
from tests.evaluator.command_line import USAGE, Here
from tests.evaluator.episodes import KEPT, Episode, manifest, unit
from tests.evaluator.small_runs import EVIL, written

MS = 1_000_000
LATE = {**KEPT, "first_speech": "hard", "hard_miss": True, "soft_miss": True}


def side(upl_ms: int, lost: int = 0, tasks: int = 12, **changes: Any) -> Side:
    """Tasks of one turn each, the first of which are lost; in time up to 3 s."""
    names = [f"base_{i}" for i in range(tasks)]
    units = [
        unit(
            name,
            outcome="failure" if place < lost else "success",
            reason=EVIL if place < lost else "",
            components={"r_realtime": float(upl_ms < 3000)},
            episode=Episode().turn(KEPT if upl_ms < 3000 else LATE, upl=(upl_ms + place) * MS),
        )
        for place, name in enumerate(names)
    ]
    return Side(manifest(*names, **changes), units, folder=f"runs/{upl_ms}")


def content(one: Side, two: Side) -> dict[str, Any]:
    return comparison_content(compared((one, two), force=False, more_spans=SPANS))


def test_every_latency_has_its_paired_difference_with_an_interval() -> None:
    found = content(side(600), side(1400))
    names = [row["name"] for row in found["latencies"]]
    measured = ("ttft_text", "upl", "upl_content", "turnaround", "max_gap")
    assert names == [SPANS[name] for name in measured]
    first_speech = found["latencies"][1]
    assert first_speech["difference"] == 800
    assert first_speech["lo"] <= 800 <= first_speech["hi"]
    assert (first_speech["said"], found["latencies"][0]["said"]) == ("worse", "equal")


@pytest.mark.parametrize(("tasks", "few"), [(4, True), (5, False)])
def test_over_few_turns_there_is_neither_an_interval_nor_a_p95(tasks: int, few: bool) -> None:
    sides = [side(upl_ms, tasks=tasks) for upl_ms in (600, 1400)]
    both = compared((sides[0], sides[1]), force=False, more_spans=SPANS)
    assert {row["few"] for row in comparison_content(both)["latencies"]} == {few}
    console = Console(width=200)
    with console.capture() as printed:
        console.print(*comparison_lines(both.found, both.others, both.sides), sep="\n")
    assert ("p95" not in printed.get()) is few


def test_slower_and_late_turns_and_every_task_are_listed() -> None:
    found = content(side(600), side(3400, lost=2))
    assert len(found["slower_turns"]) == len(found["late"]) == len(found["tasks"]) == 12
    assert found["slower_turns"][0]["second"] - found["slower_turns"][0]["first"] == 2800
    lost = [task for task in found["tasks"] if task["reason"]]
    assert [task["solved"] for task in lost] == [[(1, 1), (0, 1)]] * 2
    assert all(task["slower"] for task in found["tasks"])
    equal = content(side(600), side(600))
    assert (equal["slower_turns"], equal["late"]) == ([], [])


def test_a_comparison_is_written_as_a_page_beside_what_is_printed(
    tmp_path: Path, here: Here
) -> None:
    for name in ("a", "b"):
        asyncio.run(written(tmp_path / name))
    done = here("compare", "a", "b", "--html", "page.html")
    assert done.code == 0
    assert "solved: equal" in done.stdout
    assert "solved: equal" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert here("compare", "a", "b", "--html", "nowhere/page.html").code == USAGE


def test_a_conversation_is_written_as_a_page(tmp_path: Path, here: Here) -> None:
    asyncio.run(written(tmp_path / "a"))
    done = here("view", "a", "--unit", "base_1", "--html", "page.html")
    assert done.stdout == "page.html: base_1; open it offline\n"
    assert "Fan to three, please." in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert here("view", "a", "--html", "page.html").code == USAGE


def test_runs_with_nothing_in_common_have_no_page() -> None:
    other = Side(manifest("base_99"), [])
    with pytest.raises(UsageProblem, match="no task is in both"):
        compared((side(600), other), force=True)


async def test_the_page_opens_in_a_browser_without_network(tmp_path: Path) -> None:
    need_chromium()
    file = tmp_path / "compare.html"
    both = compared((side(600), side(3400, lost=2)), force=False, more_spans=SPANS)
    file.write_text(comparison_page(both), encoding="utf-8")
    async with browser_page(tmp_path / "profile", wide=420) as tab:
        await tab.open(file.as_uri())
        shown = await tab.evaluate("document.body.innerText")
        assert "Too late only in the second run" in shown
        assert EVIL in shown
        assert await tab.evaluate("document.querySelectorAll('.interval.worse').length") >= 2
        await tab.evaluate("document.querySelectorAll('.chips button')[1].click()")
        assert await tab.evaluate("document.querySelectorAll('.tasks tbody tr').length") == 2
        overflow = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not await tab.evaluate(overflow)
        assert tab.complaints == []
        assert [address for address in tab.requests if not address.startswith("file:")] == []
