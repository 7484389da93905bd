"""A stored run as files of other tools: their shape, and that counts are those of the run."""

import csv
import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from assistant_gateway.protocol import ResponseDone, SessionReady, ToolCall, ToolResult
from evaluator.exports.junit import write_cases
from evaluator.exports.otlp import export_request
from evaluator.record.record import Record
from evaluator.results.store import UnitResult, open_store
from evaluator.scoring.scores import Score, score
from evaluator.stored_run.rows import UNIT_COLUMNS
from evaluator.stored_run.run import StoredRun, open_run
from evaluator.views.ci_files import CiRun, junit_xml
from tests.assistant_gateway.session.test_trace_context import CALL, SESSION
from tests.evaluator.command_line import USAGE, Here
from tests.evaluator.episodes import SECOND, Episode, manifest, unit
from tests.evaluator.small_runs import fan
from tests.vehicle_bus.cars import WORLD

ROOT = Path(__file__).parents[3]
UNITS, SOLVED, BROKEN = 9, 4, 1
OUTPUT = '{"status": "SUCCESS", "result": {"level": 3}}'
LEVELS = {"base_1": (3, 3, 3), "base_2": (3, 2, 2), "base_3": (1, 1, 1)}


def played(task_id: str, trial: int, level: int) -> tuple[UnitResult, Record]:
    """The agent sets the fan to a level, in a trace of its own, and says that it is done."""
    made = fan(task_id)
    call = ToolCall(name="set_fan_speed", arguments={"level": level})
    episode = Episode(made).frames(SessionReady(name="a"), traceparent=SESSION)
    episode.said("driver", "Fan to three, please.").frames(call, traceparent=CALL)
    episode.call("set_fan_speed", level=level)
    episode.frames(ResponseDone(), ToolResult(output=OUTPUT))
    episode.said("agent", "It is at three.").turn(upl=SECOND).end()
    scored = score(episode.record, made, WORLD)
    return unit(task_id, trial).model_copy(update={"score": scored}), episode.record


@pytest.fixture
async def stored(tmp_path: Path) -> Path:
    """Nine units, of which the bench spoilt the last, which has no record."""
    made = manifest(*LEVELS, num_trials=3)
    units = [
        played(name, trial, level)
        for name, levels in LEVELS.items()
        for trial, level in enumerate(levels)
    ]
    async with open_store(tmp_path / "mine", manifest=made) as store:
        for result, record in units[:-1]:
            await store.save(result, record)
        result, _ = units[-1]
        spoilt = {"outcome": "infra_error", "reason": "the broker went away", "reward": None}
        broken = Score(**{**result.score.model_dump(), **spoilt, "turns": ()})
        await store.save(result.model_copy(update={"score": broken}))
    return tmp_path / "mine"


def export(here: Here, stored: Path, *options: object) -> dict[str, Any]:
    done = here("export", stored, *options, "--json")
    assert done.code == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def test_inspect_gets_a_sample_for_each_unit(stored: Path, here: Here, tmp_path: Path) -> None:
    printed = export(here, stored, "--format", "inspect", "--out", tmp_path / "mine.eval")
    assert (printed["samples"], printed["errors"]) == (UNITS, BROKEN)
    with zipfile.ZipFile(tmp_path / "mine.eval") as file:
        names = file.namelist()
        header = json.loads(file.read("header.json"))
        summaries = json.loads(file.read("summaries.json"))
        samples = [json.loads(file.read(name)) for name in names if name.startswith("samples/")]
    assert len(names) == len(set(names))
    assert (header["version"], header["status"]) == (2, "success")
    assert {"_journal/start.json", "samples/base_1_epoch_1.json"} <= set(names)
    assert [len(summaries), len(samples)] == [UNITS, UNITS]
    reward = next(each for each in header["results"]["scores"] if each["name"] == "reward")
    assert reward["scored_samples"] == UNITS - BROKEN
    assert reward["metrics"]["mean"]["value"] == pytest.approx(SOLVED / (UNITS - BROKEN))
    spoilt = [sample for sample in samples if sample["error"]]
    assert [sample["error"]["message"] for sample in spoilt] == [
        "infra_error: the broker went away"
    ]
    assert spoilt[0]["scores"] == {}
    first = next(each for each in samples if (each["id"], each["epoch"]) == ("base_1", 1))
    assert [message["role"] for message in first["messages"]][:2] == ["user", "assistant"]
    [call] = first["messages"][1]["tool_calls"]
    assert (call["function"], call["arguments"]) == ("set_fan_speed", {"level": 3})


def test_traces_have_a_span_for_each_session_turn_and_call(
    stored: Path, here: Here, tmp_path: Path
) -> None:
    printed = export(here, stored, "--format", "otlp", "--out", tmp_path / "traces.jsonl")
    requests = lines_of(tmp_path / "traces.jsonl")
    spans = [span for each in requests for span in spans_of(each)]
    assert (len(requests), len(spans)) == (UNITS, printed["spans"])
    kinds = Counter(span["name"].split()[0] for span in spans)
    assert kinds == {"invoke_agent": UNITS, "turn": UNITS - BROKEN, "execute_tool": UNITS - BROKEN}
    for request in requests:
        check_tree(spans_of(request))
    errors = [span for span in spans if span["status"]["code"] == 2]
    sessions = [span for span in errors if span["name"].startswith("invoke_agent")]
    assert len(sessions) == UNITS - SOLVED
    [call] = [
        span for span in spans_of(requests[0]) if span["name"] == "execute_tool set_fan_speed"
    ]
    values = attributes(call)
    assert values["gen_ai.tool.name"] == {"stringValue": "set_fan_speed"}
    assert values["gen_ai.tool.call.arguments"] == {"stringValue": '{"level":3}'}


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def spans_of(request: dict[str, Any]) -> list[dict[str, Any]]:
    [resource] = request["resourceSpans"]
    [scope] = resource["scopeSpans"]
    spans: list[dict[str, Any]] = scope["spans"]
    return spans


def attributes(span: dict[str, Any]) -> dict[str, Any]:
    return {each["key"]: each["value"] for each in span["attributes"]}


def check_tree(spans: list[dict[str, Any]]) -> None:
    """One session in one trace, ids of the right length, nothing before what it belongs to."""
    by_id = {span["spanId"]: span for span in spans}
    assert len(by_id) == len(spans)
    [trace] = {span["traceId"] for span in spans}
    assert (len(trace), {len(each) for each in by_id}) == (32, {16})
    for span in spans:
        assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
        if parent := by_id.get(span["parentSpanId"]):
            assert int(parent["startTimeUnixNano"]) <= int(span["startTimeUnixNano"])


def test_ids_of_a_trace_are_the_same_each_time(stored: Path) -> None:
    run = open_run(stored)
    unit = run.unit("base_1:0")
    assert export_request(run, unit) == export_request(run, unit)


def test_a_trace_of_the_agent_is_joined(stored: Path) -> None:
    """The session stands below the agent's span, and a call below that of its frame."""
    run = open_run(stored)
    request, _ = export_request(run, run.unit("base_1:0"))
    session, turn, call = spans_of(request)
    _, trace, outer, _ = SESSION.split("-")
    assert {span["traceId"] for span in (session, turn, call)} == {trace}
    assert session["parentSpanId"] == outer
    assert turn["parentSpanId"] == session["spanId"]
    assert call["parentSpanId"] == CALL.split("-")[2]


def test_junit_tells_failures_of_the_agent_from_errors_of_the_bench(
    stored: Path, here: Here, tmp_path: Path
) -> None:
    printed = export(here, stored, "--format", "junit", "--out", tmp_path / "run.xml")
    failed = UNITS - SOLVED - BROKEN
    assert (printed["cases"], printed["failures"], printed["errors"]) == (UNITS, failed, BROKEN)
    root = ElementTree.parse(tmp_path / "run.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == (
        str(UNITS),
        str(failed),
        str(BROKEN),
    )
    found = [len(root.findall(f".//testcase{part}")) for part in ("", "/failure", "/error")]
    assert found == [UNITS, failed, BROKEN]


def test_tables_have_the_same_row_for_each_unit(stored: Path, here: Here, tmp_path: Path) -> None:
    export(here, stored, "--format", "csv", "--out", tmp_path / "run.csv")
    export(here, stored, "--format", "jsonl", "--out", tmp_path / "run.jsonl")
    with (tmp_path / "run.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    lines = lines_of(tmp_path / "run.jsonl")
    assert len(table) == len(lines) == UNITS
    for row, line in zip(table, lines, strict=True):
        assert tuple(row) == tuple(line) == UNIT_COLUMNS
        texts = {name: "" if value is None else str(value) for name, value in line.items()}
        assert row == texts
    assert lines[0]["task_id"] == "base_1"
    assert sum(line["reward"] or 0 for line in lines) == SOLVED
    assert lines[0]["upl_ms_max"] == 1000


def test_the_guide_explains_every_column() -> None:
    page = (ROOT / "docs" / "guides" / "exports.md").read_text(encoding="utf-8")
    assert [name for name in UNIT_COLUMNS if f"`{name}`" not in page] == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "name a --format: inspect"),
        (("--format", "xlsx", "--out", "a"), "--format is one of inspect"),
        (("--format", "csv"), "name the file to write: --out FILE"),
        (("--format", "csv", "--to", "http://h"), "--to sends traces"),
        (("--format", "csv", "--out", "a", "--header", "a: b"), "--header is for the collector"),
        (("--format", "csv", "--out", "a", "--tasks-from", "."), "--tasks-from is only for"),
        (("--format", "csv", "--car-bench", "a"), "name only one"),
        (("--format", "otlp", "--to", "collector"), "--to is no address"),
        (("--format", "otlp", "--to", "http://h", "--header", "x"), "is no header"),
        (("--format", "csv", "--out", "/no/such/folder/a"), "cannot write /no/such/folder/a"),
    ],
)
def test_what_cannot_be_exported_is_said_in_a_line(
    stored: Path, here: Here, options: tuple[str, ...], said: str
) -> None:
    done = here("export", stored, *options)
    assert (done.code, done.stdout, done.stderr.count("\n")) == (USAGE, "", 1)
    assert said in done.stderr


async def test_a_run_without_units_is_not_exported(tmp_path: Path, here: Here) -> None:
    made = manifest(*LEVELS, num_trials=3)
    async with open_store(tmp_path / "empty", manifest=made):
        assert StoredRun(tmp_path / "empty", made).planned == UNITS
        done = here("export", tmp_path / "empty", "--format", "csv", "--out", tmp_path / "x.csv")
    assert "has no unit yet" in done.stderr


def test_the_cases_of_a_stored_run_are_those_of_a_run_in_memory(
    stored: Path, tmp_path: Path
) -> None:
    run, out = open_run(stored), tmp_path / "cases.xml"
    units = tuple(each.result for each in run)
    outcomes = Counter(each.outcome for each in run)
    ended = CiRun(
        name="mine",
        agent="rules",
        pace="live",
        units=units,
        outcomes=outcomes,
        missed=("reward 0.5",),
    )
    write_cases(run, ended, out)
    assert out.read_bytes() == junit_xml(ended)
