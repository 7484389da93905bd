"""`codriver.open_run`: typed objects of a stored run, one unit after the other."""

import builtins
import dataclasses
import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

import codriver
from assistant_gateway.protocol import ToolCall
from evaluator.record.stored_form import encode_record
from evaluator.results.broken_agent import diagnosed_unit, diagnosed_units
from evaluator.results.store import open_store
from evaluator.scoring.failure_kinds import Failure
from evaluator.stored_run.rows import Level, rows
from evaluator.stored_run.unit import StoredUnit
from tests.assistant_gateway.session.test_trace_context import CALL, SESSION
from tests.evaluator.episodes import Episode, manifest, unit
from tests.evaluator.exports.test_exports import LEVELS, SOLVED, UNITS, stored
from tests.evaluator.small_runs import fan, written

__all__ = ["stored"]

ROOT = Path(__file__).parents[3]
NOTEBOOK = ROOT / "examples" / "stored_run.ipynb"
GUIDE = ROOT / "docs" / "guides" / "python.md"


def test_units_come_in_the_order_of_the_plan(stored: Path) -> None:
    run = codriver.open_run(stored)
    assert [unit.name for unit in run] == [
        f"{name}:{trial}" for name in LEVELS for trial in range(3)
    ]
    assert (len(run), run.planned, run.agent) == (UNITS, UNITS, run.manifest.agent)
    assert sum(unit.solved for unit in run) == SOLVED


def test_a_unit_tells_what_was_said_done_and_measured(stored: Path) -> None:
    unit = codriver.open_run(str(stored)).unit("base_2:1")
    assert (unit.outcome, unit.reward, unit.counts) == ("failure", 0.0, True)
    [turn] = unit.turns
    assert (turn.driver, turn.agent) == ("do it", "done")
    [call] = turn.calls
    assert (call.tool, call.arguments, call.status) == ("set_fan_speed", {"level": 2}, "SUCCESS")
    heard = turn.span("upl")
    assert heard is not None
    assert (heard.ms, heard.ns) == (1000.0, 1_000_000_000)
    assert turn.span("never measured") is None
    assert list(unit.spans) == [(turn, span) for span in turn.spans]


def test_a_unit_without_a_record_still_has_its_verdict(stored: Path) -> None:
    unit = codriver.open_run(stored).unit("base_3:2")
    assert (unit.outcome, unit.counts, unit.reason) == (
        "infra_error",
        False,
        "the broker went away",
    )
    assert (unit.record, unit.turns, unit.calls, unit.ended_ns) == (None, (), (), None)


def test_a_frame_that_was_ignored_gives_no_call_its_span() -> None:
    call = ToolCall(name="set_fan_speed", arguments={"level": 3})
    episode = Episode(fan("base_1")).said("driver", "Fan to three, please.")
    episode.frames(call, traceparent=SESSION, way="ignored").frames(call, traceparent=CALL)
    episode.call("set_fan_speed", level=3)
    [stored_call] = StoredUnit(unit("base_1"), encode_record(episode.record)).calls
    assert stored_call.traceparent == CALL


async def test_of_several_attempts_the_last_one_counts(tmp_path: Path) -> None:
    await written(tmp_path / "mine")
    run = codriver.open_run(tmp_path / "mine")
    async with open_store(run.folder, manifest=run.manifest, resume=True) as store:
        again = run.unit("base_1:0").result.model_copy(update={"attempt": 1, "title": "again"})
        await store.save(again)
        assert len(run) == UNITS
        assert [unit.attempt for unit in run] == [1, *[0] * 8]


def test_what_was_read_cannot_be_changed(stored: Path) -> None:
    unit = next(iter(codriver.open_run(stored)))
    for part in (unit, unit.turns[0], unit.calls[0], unit.turns[0].spans[0]):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(part, dataclasses.fields(part)[0].name, "other")


def test_a_folder_without_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(codriver.StoreError, match="is no run folder"):
        codriver.open_run(tmp_path)
    (tmp_path / "run.sqlite").write_text("not a database, and longer than its header is")
    with pytest.raises(codriver.Problem, match="cannot be used"):
        codriver.open_run(tmp_path)


@pytest.mark.parametrize("name", ["base_9", "base_1:01", "base_1:x", f"base_1:{'9' * 20}"])
async def test_a_unit_that_is_not_there_is_named(stored: Path, name: str) -> None:
    with pytest.raises(codriver.UsageProblem, match=f"no unit '{name}'"):
        codriver.open_run(stored).unit(name)
    async with open_store(stored) as store:
        with pytest.raises(codriver.UsageProblem, match=f"no unit '{name}'"):
            await store.unit(name)


async def test_the_failures_of_a_broken_agent_are_of_one_kind_for_all_readers(
    tmp_path: Path,
) -> None:
    wrong = Failure(kind="logical_error", evidence="fan_speed is 0, expected 3")
    names = ("base_1", "base_2", "base_3")
    plan = manifest().model_copy(update={"tasks": dict.fromkeys(names, "")})
    async with open_store(tmp_path, manifest=plan) as store:
        for name in names:
            failed = unit(name, outcome="failure", failure=wrong, same_answer="Sorry.")
            await store.save(failed)
        run = codriver.open_run(tmp_path)
        assert [each.result for each in run] == [each async for each in diagnosed_units(store)]
        assert [each.failure for each in run] == ["broken_agent"] * 3
        assert run.unit("base_1").result == await diagnosed_unit(store, "base_1")


@pytest.mark.parametrize("level", ["units", "turns", "calls", "spans"])
def test_tables_have_the_rows_of_the_run(stored: Path, level: Level) -> None:
    run = codriver.open_run(stored)
    table = run.to_dataframe(level)
    assert len(table) == len(list(rows(run, level)))
    assert {"task_id", "trial"} <= set(table.columns)


def test_without_pandas_it_is_said_what_to_install(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name == "pandas":
            raise ImportError(name)
        return usual(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(codriver.UsageProblem, match="needs the extra notebook"):
        codriver.open_run(stored).to_dataframe()


def test_the_guide_names_all_that_objects_have() -> None:
    page = GUIDE.read_text(encoding="utf-8")
    for kind in (
        codriver.StoredRun,
        codriver.StoredUnit,
        codriver.StoredTurn,
        codriver.StoredCall,
        codriver.Span,
    ):
        [row] = re.findall(rf"^\| `{kind.__name__}` \|(.*)$", page, re.MULTILINE)
        fields = {field.name for field in dataclasses.fields(kind)}
        shown = {
            name
            for name, value in inspect.getmembers(kind)
            if not name.startswith("_") and not inspect.isfunction(value)
        }
        assert (fields | shown) - {"stored_record", "units"} == set(re.findall(r"`(\w+)`", row)), (
            kind
        )


def test_the_notebook_runs_from_its_first_cell_to_the_last(
    stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 4
    names: dict[str, Any] = {}
    for cell in code:
        exec(cell.replace("runs/mine", str(stored)), names)
    printed = capsys.readouterr().out
    assert f"{UNITS} of {UNITS} units" in printed
    assert "set_fan_speed({'level': 3}) -> SUCCESS" in printed
