import asyncio
import json
import re
from pathlib import Path

import pytest

from assistant_gateway.timing.budgets import Budgets, verdict
from evaluator.report.page import Parts, page
from evaluator.results.paired_turns import late_only_in
from evaluator.results.rows.played_turns import PlayedTurns
from evaluator.results.slow_turns import slow_turns
from evaluator.results.store import UnitResult, open_store
from evaluator.results.summary import summary
from evaluator.scoring.scores import TurnScore
from tests.evaluator.command_line import USAGE, Here
from tests.evaluator.episodes import manifest, unit

MS = 1_000_000
USUAL = {"eou_delay": 300, "ttft_text": 500, "upl": 950, "upl_content": 950, "max_gap": 950}


def turn(
    number: int = 1, turn_class: str = "B", judged: bool = True, **ms: int | None
) -> TurnScore:
    """A turn judged by its latencies; what is not given is quick."""
    spans = {name: None if it is None else it * MS for name, it in {**USUAL, **ms}.items()}
    found = verdict(turn_class, spans, Budgets(judged=judged))  # type: ignore[arg-type]  # a class
    return TurnScore(turn=number, turn_class=turn_class, spans=spans, verdict=found)


def taking(*turns: TurnScore, task_id: str = "base_1", outcome: str = "success") -> UnitResult:
    kept = float(not any(each.hard_miss for each in turns))
    return unit(task_id, outcome=outcome, components={"r_realtime": kept}, turns=turns)


LATE_TEXT = turn(ttft_text=3200, upl=3650, upl_content=3650)
LATE_CONTENT = turn(2, upl_content=9000)
SLOW = turn(3, upl=1700, ttft_text=1250, upl_content=1700)
SILENT = turn(4, "E", ttft_text=None, upl=None, upl_content=None)
LATE_EFFECT = turn(5, ttft_text=8000, upl=900, effect_latency=6000)


def test_turns_are_listed_by_class_with_what_was_missed_worst_first() -> None:
    found = slow_turns([taking(turn(), SLOW, LATE_TEXT, LATE_CONTENT, SILENT)])
    assert [(each.turn_class, each.turn, each.span, each.mark) for each in found] == [
        ("B", 2, "upl_content", "hard"),
        ("B", 1, "upl", "hard"),
        ("B", 3, "upl", "soft"),
        ("E", 4, "upl", "missing"),
    ]
    assert [(each.took_ms, each.limit_ms) for each in found] == [
        (9000, 3500), (3650, 3000), (1700, 1500), (None, 2500)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("slow", "longest"),
    [
        (LATE_TEXT, ("until the first text", 3200)),
        (LATE_CONTENT, ("from speech to content", 8050)),
        (LATE_EFFECT, ("until the call had an effect", 5700)),
    ],
)
def test_what_took_the_time_adds_up_and_names_the_longest_part(
    slow: TurnScore, longest: tuple[str, float]
) -> None:
    [found] = slow_turns([taking(slow)])
    assert found.longest == longest
    assert sum(part.took_ms for part in found.parts) == found.took_ms


def test_nothing_that_was_in_time_or_not_judged_is_listed() -> None:
    patient = turn(judged=False, upl=9000)
    assert slow_turns([taking(turn(), patient), taking(SILENT, outcome="infra_error")]) == []


def turns_of(units: list[UnitResult]) -> PlayedTurns:
    return PlayedTurns.of(units)


def test_turns_late_in_one_run_only_are_listed_worst_first_with_what_the_other_took() -> None:
    quick, other_class = turn(), turn(2, "C")
    one = [taking(quick, other_class), taking(LATE_TEXT, task_id="base_2")]
    two = [taking(LATE_TEXT, LATE_CONTENT, SLOW), taking(LATE_TEXT, SILENT, task_id="base_2")]
    found = late_only_in(turns_of(two), turns_of(one))
    assert [(late.task_id, late.turn, late.in_other, late.other_ms) for late in found] == [
        ("base_2", 4, False, None),
        ("base_1", 2, False, None),
        ("base_1", 1, True, 950),
    ]
    assert found[2].longest == ("until the first text", 3200)
    assert late_only_in(turns_of(one), turns_of(two)) == []


def test_a_turn_that_was_late_in_some_trials_is_listed_once_with_the_worst() -> None:
    slower = turn(ttft_text=5000, upl=5450, upl_content=5450)
    two = [
        taking(each).model_copy(update={"trial": n})
        for n, each in enumerate([LATE_TEXT, slower, turn()])
    ]
    [found] = late_only_in(turns_of(two), turns_of([taking(turn())]))
    assert (found.trial, found.late_trials, found.took_ms) == (1, 2, 5450)
    assert late_only_in(turns_of(two), turns_of([taking(turn()), taking(LATE_TEXT)])) == []


async def stored(folder: Path) -> None:
    async with open_store(folder, manifest=manifest("base_1")) as store:
        await store.save(taking(LATE_TEXT, SLOW))


def test_view_lists_slow_turns_for_people_and_scripts(tmp_path: Path, here: Here) -> None:
    asyncio.run(stored(tmp_path / "run"))
    shown = here("view", tmp_path / "run", "--slow")
    [late, slow] = shown.stdout.splitlines()
    assert late.split("  ")[0] == "base_1:0"
    assert "  B simple control  " in late
    heads = ["task:trial", "turn", "took", "limit", "class", "missed", "what took the time"]
    head, below = shown.stderr.splitlines()
    assert re.split(" {2,}", head) == heads
    assert late.index("B simple") == head.index("class")
    assert below == "of 2 turns, 1 too late and 1 slow"
    assert "first speech too late" in late
    assert late.endswith(
        "until the first text 3.20 s, end of speech found 0.30 s, from text to speech 0.15 s"
    )
    assert "first speech slow" in slow
    fields = json.loads(here("view", tmp_path / "run", "--slow", "--json").stdout)
    assert (fields["turns"], len(fields["slow"])) == (2, 2)
    assert fields["slow"][0]["parts"]["until the first text"] == 3200
    assert here("view", tmp_path / "run", "--slow", "--failed").code == USAGE
    assert "solved, but too late: 1;" in here("view", tmp_path / "run", "--failed").stderr


def test_a_report_of_a_run_that_was_never_in_time_does_not_say_that_all_is_well() -> None:
    units = [taking(LATE_TEXT, task_id=f"base_{i}") for i in range(20)]
    made = manifest(*(each.task_id for each in units))
    text = page(made, Parts.of(units), {}, summary(made, units))
    assert "All units were solved, 20 of 20 not in time." in text
    assert "20</b> solved in every trial, but not always in time" in text
    assert "No unit failed" not in text
    assert "B simple control: 20 too late, 0 slow, the worst 15 of them" in text
    assert "until the first text 3.20 s" in text
