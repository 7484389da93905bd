import asyncio
import os
from pathlib import Path

import orjson
import pytest

from evaluator.problems import UsageProblem
from evaluator.record.record import Entry, Record
from evaluator.report import stored
from evaluator.report.car_course import car_course
from evaluator.results.store import FILE
from tests.evaluator.small_runs import played, written


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two runs, one of them deeper, a file that is no run, and a folder of something else."""
    asyncio.run(written(tmp_path / "one", options={"label": "first try"}))
    asyncio.run(written(tmp_path / "deep" / "two", created_at="2030-01-01T00:00:00+00:00"))
    for name, file in (("broken", FILE), ("foreign", "notes.txt")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text("something else, long enough to be read as a database")
    return tmp_path


def test_the_list_has_names_labels_and_figures_and_a_line_for_what_is_broken(runs: Path) -> None:
    listed = stored.run_list(runs)["runs"]
    assert [row["run"] for row in listed] == ["deep/two", "one", "broken"]
    newest, one, broken = listed
    assert (one["label"], one["evaluated"], one["planned"]) == ("first try", 9, 9)
    assert newest["reward_mean"] == pytest.approx(4 / 9)
    assert (newest["first_speech_p50_ms"], newest["trusted"]) == (1000, True)
    assert "cannot be used" in broken["problem"]
    assert stored.run_list(runs / "nowhere")["runs"] == []


def test_nothing_outside_the_folder_is_a_run(runs: Path) -> None:
    for name in ("../one", "deep/../one", str(runs / "one"), "", ".", "foreign", "deep"):
        with pytest.raises(UsageProblem, match="there is no run"):
            stored.one_run(runs / "deep" if name == "../one" else runs, name)


def test_a_run_that_was_written_to_is_read_again(runs: Path) -> None:
    before = stored.run_list(runs)["runs"][1]
    asyncio.run(written(runs / "another", options={"label": "second try"}))
    os.replace(runs / "another" / FILE, runs / "one" / FILE)
    after = next(row for row in stored.run_list(runs)["runs"] if row["run"] == "one")
    assert (before["label"], after["label"]) == ("first try", "second try")


def test_a_run_has_its_headline_and_a_conversation_its_lines_and_the_car(runs: Path) -> None:
    run = stored.one_run(runs, "one")
    assert run["headline"] == "44 % of the tasks solved, 44 % in time"
    assert len(run["units"]) == 9
    assert [each["value"] for each in run["figures"]] == ["44 %", "44 %", "1.00 s"]
    unit = stored.one_unit(runs, "one", "base_2:1")
    assert (unit["unit"]["id"], unit["unit"]["trial"]) == ("base_2", 1)
    assert (unit["before"], unit["after"]) == (["base_2:0"], ["base_2:2"])
    assert stored.one_unit(runs, "one", "base_1")["before"] == []
    assert "Fan to three, please." in [line[3] for line in unit["told"]["lines"]]
    assert [name for _, name, *_ in unit["told"]["car"]["changes"]] == ["fan_speed"]
    with pytest.raises(UsageProblem, match="has no unit 'base_9'"):
        stored.one_unit(runs, "one", "base_9")


def test_runs_that_do_not_compare_say_so_and_can_be_forced(runs: Path) -> None:
    asyncio.run(written(runs / "live", pace="live"))
    refused = stored.comparison(runs, "one", "live")
    assert refused == {
        "incomparable": "these runs cannot be compared: they differ in pace (fast, live)"
    }
    assert "forced" in stored.comparison(runs, "one", "live", "1")["warnings"][0]


def test_values_of_the_car_are_texts_that_change_at_a_moment() -> None:
    _, record = played("base_1", 0, 3)
    course = car_course(record)
    assert course["start"]["fan_speed"] == ("off", 0)
    assert course["changes"] == [(0, "fan_speed", "level 3", 3)]


def test_what_a_signal_tells_late_is_unknown_at_the_start() -> None:
    speeds = [(33_000_000_000, 50.0), (33_100_000_000, 52.0), (35_000_000_000, 54.0)]
    entries = [
        Entry(
            "signal/Vehicle/Speed", orjson.dumps({"src": "car", "n": n, "t_ns": at, "value": kmh})
        )
        for n, (at, kmh) in enumerate(speeds)
    ]
    course = car_course(Record("car-1", tuple(entries)))
    assert course["start"] == {}
    assert [(ms, text) for ms, _, text, _ in course["changes"]] == [
        (33_000, "50 km/h"), (35_000, "54 km/h")
    ], "what moves by itself is told at most twice a second"  # fmt: skip
