"""What is shown and computed of a run with so many units that not all can be."""

import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from evaluator.report.page import Parts, page
from evaluator.results.differences import share_difference
from evaluator.results.rows.run_rows import RunRows, stored_rows
from evaluator.results.rows.sample import evenly, read_run, shown_units
from evaluator.results.rows.unit_row import RowMaker
from evaluator.results.statistics import Bootstrap, Tally, counts_drawn, pass_hat, trial_numbers
from evaluator.results.store import UnitResult, open_store
from evaluator.results.summary import summary
from evaluator.scoring.failure_kinds import Failure
from evaluator.views.ci_files import ci_run, junit_frame, junit_xml
from evaluator.views.ci_files import test_case as unit_case
from evaluator.views.printing import print_json, print_json_list
from tests.evaluator.episodes import Episode, manifest, unit

WRONG = Failure(kind="logical_error", evidence="fan_speed is 0, expected 3")
TASKS = [f"base_{number}" for number in range(20)]


def units() -> list[UnitResult]:
    """Every fourth failed."""
    return [
        unit(name, outcome="failure", failure=WRONG)
        if number % 4 == 0
        else unit(name, episode=Episode().turn())
        for number, name in enumerate(TASKS)
    ]


async def stored(folder: Path) -> Path:
    async with open_store(folder, manifest=manifest(*TASKS)) as store:
        for each in reversed(units()):
            await store.save(each, Episode().record)
    return folder


async def test_a_sample_has_the_failures_first_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    async with open_store(await stored(tmp_path)) as store:
        rows, shown = await read_run(store, 8)
        everything = await read_run(store, 20)
    failed = [each.name for each in shown.units if each.score.outcome == "failure"]
    assert failed == [f"base_{number}:0" for number in (0, 4, 8, 12, 16)]
    assert len(shown.units) == 8
    assert shown.left_out == (
        "8 of 20 units are shown: 5 of the 5 that did not succeed, and 3 others, from all parts of "
        "the run"
    )
    assert len(rows.units) == 20
    assert everything.shown.left_out is None
    assert everything.shown.units == units()


async def test_what_all_units_have_in_common_is_not_looked_up_for_each(tmp_path: Path) -> None:
    async with open_store(tmp_path, manifest=manifest(*TASKS)) as store:
        for each in units():
            score = each.score.model_copy(update={"outcome": "failure", "same_answer": "No."})
            await store.save(each.model_copy(update={"score": score}), Episode().record)
        asked: list[str] = []
        await store._database.set_trace_callback(asked.append)
        shown = (await read_run(store, 8)).shown
    kinds = {each.score.failure.kind for each in shown.units if each.score.failure}
    assert kinds == {"broken_agent"}
    assert sum("same_answer" in query for query in asked) == 2


async def test_units_that_a_page_names_are_on_it(tmp_path: Path) -> None:
    async with open_store(await stored(tmp_path)) as store:
        rows = await stored_rows(store)
        shown = await shown_units(store, rows.units, [], 4, {"base_7:0"})
    assert "base_7:0" in {each.name for each in shown.units}
    text = page(
        manifest(*TASKS),
        Parts.of(units())._replace(shown=shown),
        {},
        summary(manifest(*TASKS), rows),
    )
    assert f"conversation. {shown.left_out}." in text


async def test_a_run_read_row_by_row_has_the_same_summary(tmp_path: Path) -> None:
    async with open_store(await stored(tmp_path)) as store:
        rows = await stored_rows(store)
        assert summary(store.manifest, rows) == summary(store.manifest, units())
        assert (await store.unit("base_3")).name == "base_3:0"
        assert await store.number_of_units() == 20


def test_units_that_are_alike_share_what_they_have_in_common() -> None:
    made = RowMaker()
    one, two = made.row(unit("base_1")), made.row(unit("base_1", 1))
    assert one.task is two.task
    assert one.verdict is two.verdict
    assert one.turns is two.turns
    assert len(RunRows.of(units()).evaluated) == 20


async def test_a_list_of_json_in_pieces_is_that_in_one(capsys: pytest.CaptureFixture[str]) -> None:
    for rows in ([], [{"a": [1, {"b": "\n"}]}, {}, "x"]):

        async def each(items: list[Any] = rows) -> AsyncIterator[Any]:
            for item in items:
                yield item

        print_json({"first": 1, "rows": rows, "last": [2]})
        expected = capsys.readouterr().out
        await print_json_list({"first": 1}, "rows", each(), {"last": [2]})
        assert capsys.readouterr().out == expected


async def test_a_list_of_json_that_breaks_off_ends_its_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def each() -> AsyncIterator[Any]:
        yield 1
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        await print_json_list({}, "rows", each())
    assert capsys.readouterr().out.endswith("1\n")


def test_a_file_for_ci_in_pieces_is_that_in_one() -> None:
    made = manifest(*TASKS)
    whole = ci_run(made, units(), summary(made, units()))
    head, tail = junit_frame(whole)
    assert b"".join([head, *map(unit_case, units()), tail]) == junit_xml(whole)
    assert head.count(b"\n") > 3
    assert junit_xml(whole).count(b"<testcase") == 20


def test_samples_of_many_tasks_are_as_wide_as_those_drawn_one_by_one() -> None:
    tallies = {str(number): Tally(number % 3, 2) for number in range(900)}
    more = {str(number): Tally(number % 3, 2) for number in range(1100)}
    few, many = (Bootstrap(each, "seed").mean(lambda t: pass_hat(t, 1)) for each in (tallies, more))
    assert few is not None
    assert many is not None
    assert many.value == pytest.approx(few.value, abs=0.001)
    assert many.hi - many.lo == pytest.approx(few.hi - few.lo, rel=0.2)
    again = Bootstrap(more, "seed").mean(lambda t: pass_hat(t, 1))
    assert again == many


def test_differences_of_many_tasks_are_as_sure_as_those_drawn_one_by_one() -> None:
    pairs = {str(n): (Tally(n % 2, 1), Tally(n % 3 > 0, 1)) for n in range(2000)}
    fewer = {name: pairs[name] for name in list(pairs)[:990]}
    few, many = share_difference(fewer, "seed"), share_difference(pairs, "seed")
    assert few is not None
    assert many is not None
    assert many.difference == pytest.approx(few.difference, abs=0.01)
    assert many.hi - many.lo == pytest.approx((few.hi - few.lo) / 2**0.5, rel=0.2)


def test_a_sample_holds_as_many_as_there_are() -> None:
    drawn = counts_drawn([600, 0, 900], random.Random(1), 50)
    assert set(drawn.sum(axis=1).tolist()) == {1500}
    assert not drawn[:, 1].any()


def test_of_many_trials_only_some_numbers_are_told() -> None:
    assert list(trial_numbers(5)) == [1, 2, 3, 4, 5]
    assert list(trial_numbers(200)) == [*range(1, 33), 64, 128, 200]
    assert list(evenly(range(10), 3)) == [0, 3, 6]
