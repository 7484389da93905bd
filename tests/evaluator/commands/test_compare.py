import asyncio
import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.commands.compare import compare_runs
from evaluator.problems import GateFailed, InfraProblem, UsageProblem
from evaluator.results.comparison import Side, compare, mixed
from evaluator.results.store import open_store
from evaluator.scoring.judgements import Judged
from evaluator.views.gates import USUAL, Tolerance
from tests.evaluator.episodes import KEPT, Episode, manifest, unit

MS = 1_000_000

Results = dict[str, list[bool]]
RESULTS = st.dictionaries(
    st.sampled_from([f"base_{i}" for i in range(12)]),
    st.lists(st.booleans(), min_size=1, max_size=4),
    min_size=1,
)


def side(results: Results, **changes: Any) -> Side:
    units = [
        unit(name, trial, "success" if solved else "failure", reason=f"{name} went wrong")
        for name, trials in results.items()
        for trial, solved in enumerate(trials)
    ]
    return Side(manifest(*results, **changes), units)


def many(solved: int, of: int = 60) -> Results:
    return {f"base_{i}": [i < solved] for i in range(of)}


@settings(max_examples=20)
@given(RESULTS)
def test_a_run_does_not_differ_from_itself(results: Results) -> None:
    found = compare(side(results), side(results))
    assert found.solved is not None
    assert (found.solved.difference, found.solved.verdict) == (0, "equal")
    assert found.solved.lo < 0 < found.solved.hi
    assert found.changes == ()


@settings(max_examples=20)
@given(RESULTS, RESULTS)
def test_turned_around_it_is_the_negative(one: Results, two: Results) -> None:
    there, back = compare(side(one), side(two)).solved, compare(side(two), side(one)).solved
    if there is None or back is None:
        assert not one.keys() & two.keys()
        return
    assert there.difference == pytest.approx(-back.difference)
    assert there.tasks == len(one.keys() & two.keys())
    assert -1 <= there.lo <= there.difference + 1e-9
    assert there.difference - 1e-9 <= there.hi <= 1


def test_a_clear_gain_is_better_and_a_clear_loss_worse() -> None:
    gain, loss = compare(side(many(20)), side(many(45))), compare(side(many(45)), side(many(20)))
    assert gain.solved is not None
    assert loss.solved is not None
    assert (gain.solved.verdict, loss.solved.verdict) == ("better", "worse")
    assert len(loss.changes) == 25
    assert loss.changes[0].reason.endswith("went wrong")


def test_one_task_more_may_be_chance() -> None:
    found = compare(side(many(30)), side(many(31))).solved
    assert found is not None
    assert found.verdict == "undecided"


def test_tasks_pair_up_so_that_equal_ones_do_not_blur_the_difference() -> None:
    steady = {f"base_{i}": [i % 2 == 0] for i in range(100)}
    gained = {**steady, **{f"base_{i}": [True] for i in range(1, 20, 2)}}
    found = compare(side(steady), side(gained)).solved
    assert found is not None
    assert found.difference == pytest.approx(0.1)
    assert found.lo > 0


def test_only_tasks_of_the_same_wording_count() -> None:
    one, two = (
        side({"base_1": [True], "base_2": [True]}),
        side({"base_2": [True], "base_3": [True]}),
    )
    changed = {**two.manifest.tasks, "base_2": "another wording"}
    found = compare(one, Side(two.manifest.model_copy(update={"tasks": changed}), two.units))
    assert (found.only_first, found.only_second, found.reworded) == (
        ("base_1",),
        ("base_3",),
        ("base_2",),
    )
    assert found.solved is None


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"user": "llm:x"}, "user (scripted, llm:x)"),
        ({"pace": "live"}, "pace (fast, live)"),
        ({"profile": "car-bench"}, "profile (codriver, car-bench)"),
    ],
)
def test_other_drivers_paces_and_profiles_do_not_mix(change: dict[str, str], named: str) -> None:
    assert mixed(side(many(1)), side(many(1), **change)) == [named]
    assert mixed(side(many(1)), side(many(1), agent="ws", seed=3, latency_profile="x")) == []


def test_other_conditions_are_reported_and_runs_are_still_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = {"budget_profile": "default", "motion": False, "faults": []}
    harder = {"budget_profile": "strict", "motion": False, "faults": [{"kind": "late"}], "new": 1}
    asyncio.run(stored(tmp_path / "a", many(2, 3), conditions=usual))
    asyncio.run(stored(tmp_path / "b", many(1, 3), conditions=harder))
    compare_runs(tmp_path / "a", tmp_path / "b", force=False, gate=False, as_json=False)
    line = "played under different conditions: budget_profile (default, strict), faults\n"
    assert line in capsys.readouterr().out


def test_judged_and_not_judged_do_not_mix() -> None:
    word = Judged(
        judge="m@1", profile="codriver", task_id="base_1", trial=0, policy="002",
        followed=True, reason="",
    )  # fmt: skip
    plain = side(many(1))
    assert mixed(plain, Side(plain.manifest, plain.units, word.judge)) == ["judge (None, m@1)"]


def test_another_world_does_not_mix_but_one_that_was_not_noted_does() -> None:
    assert mixed(side(many(1), world="a"), side(many(1), world="b")) == ["world"]
    assert mixed(side(many(1), world=""), side(many(1), world="b")) == []


def test_another_prompt_of_the_driver_does_not_mix() -> None:
    assert mixed(
        side(many(1), prompts={"driver": "a", "agent": "x"}),
        side(many(1), prompts={"driver": "b", "agent": "x"}),
    ) == ["driver prompt"]


async def stored(folder: Path, results: Results, **changes: Any) -> None:
    await store_side(folder, side(results, **changes))


async def store_side(folder: Path, made: Side) -> None:
    async with open_store(folder, manifest=made.manifest) as store:
        for result in made.units:
            await store.save(result, Episode().record)


def test_runs_of_different_tasks_are_compared_as_a_whole_whatever_their_world(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(stored(tmp_path / "a", many(50), world="ours"))
    fresh = {f"base_fresh_{i}": [i < 20] for i in range(60)}
    asyncio.run(stored(tmp_path / "b", fresh, world="another"))
    folders = tmp_path / "a", tmp_path / "b"
    compare_runs(*folders, force=False, as_json=False)
    shown = capsys.readouterr().out
    assert "these are different tasks" in shown
    assert shown.startswith("no task is in both runs")
    assert re.search(r"tasks solved +83 % +33 % +-50.0 .* 60 +60 +worse", shown)
    assert "only in the first run" not in shown
    compare_runs(*folders, force=False, as_json=True)
    printed = orjson.loads(capsys.readouterr().out)
    assert (printed["solved"], printed["unpaired"]["solved"]["second_tasks"]) == (None, 60)
    with pytest.raises(UsageProblem, match="no task is in both"):
        compare_runs(*folders, force=True, gate=True, as_json=False)


def timed(upl_ms: int, of: int = 12, late_ms: float = 0.0, **changes: Any) -> Side:
    """A run in which everything was solved, each turn after so long; in time up to 3 s."""
    verdict = KEPT if upl_ms < 3000 else {**KEPT, "first_speech": "hard", "hard_miss": True}
    names = [f"base_{i}" for i in range(of)]
    units = [
        unit(
            name,
            components={"r_realtime": float(upl_ms < 3000)},
            episode=Episode().turn(verdict, late_ms=late_ms, upl=(upl_ms + 10 * place) * MS),
        )
        for place, name in enumerate(names)
    ]
    return Side(manifest(*names, **changes), units)


def printed(
    tmp_path: Path,
    one: Side,
    two: Side,
    capsys: pytest.CaptureFixture[str],
    *,
    as_json: bool = False,
) -> str:
    """What the command says about two runs."""
    for name, made in (("a", one), ("b", two)):
        asyncio.run(store_side(tmp_path / name, made))
    compare_runs(tmp_path / "a", tmp_path / "b", force=False, as_json=as_json)
    return capsys.readouterr().out


def test_the_first_line_says_which_run_is_faster_and_better_and_how_sure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faster = printed(tmp_path / "faster", timed(1420), timed(1000), capsys).splitlines()[0]
    assert re.fullmatch(
        r"second run: speaks first 0.42 s earlier \(p50 of 12 paired turns, 95 % \d.* s\); "
        r"solved: equal \(100 %\); solved in time: equal \(100 %\)",
        faster,
    )
    worse = printed(tmp_path / "worse", side(many(45)), side(many(20)), capsys).splitlines()[0]
    assert re.search(r": solved 42 points less \(75 %, now 33 %, 95 % -\d+ to -\d+\); ", worse)
    [chance, *_] = printed(tmp_path / "c", side(many(30)), side(many(31)), capsys).splitlines()
    assert "solved: no difference that is more than chance (50 % and 52 %)" in chance
    fields = orjson.loads(
        printed(tmp_path / "json", timed(1420), timed(1000), capsys, as_json=True)
    )
    assert fields["headline"] == faster


def test_the_command_tells_people_and_scripts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(stored(tmp_path / "a", many(45)))
    asyncio.run(stored(tmp_path / "b", many(20)))
    compare_runs(tmp_path / "a", tmp_path / "b", force=False, gate=False, as_json=False)
    printed = capsys.readouterr().out
    assert "worse" in printed
    assert "base_20" in printed
    with pytest.raises(GateFailed, match=r"solved 75.0 %, now 33.3 %"):
        compare_runs(tmp_path / "a", tmp_path / "b", force=False, gate=True, as_json=True)
    fields = orjson.loads(capsys.readouterr().out)
    assert fields["solved"]["difference"] == pytest.approx(-25 / 60)
    assert len(fields["changes"]) == 25


def test_test_cases_of_a_comparison_fail_where_the_gate_does(tmp_path: Path) -> None:
    worse = cases(tmp_path / "worse", side(many(45)), side(many(20)))
    assert worse == {"solved": "failure", "solved in time": "failure"}
    accepted = cases(tmp_path / "accepted", side(many(45)), side(many(20)), Tolerance(50))
    assert accepted == {"solved": "system-out", "solved in time": "system-out"}
    for name in ("worse", "accepted"):
        shown = (tmp_path / name).with_suffix(".xml").read_text()
        assert "lost base_20: 1 of 1, now 0 of 1: base_20 went wrong" in shown
    same = cases(tmp_path / "same", side(many(45)), side(many(45)))
    assert set(same.values()) == {"system-out"}
    assert "lost" not in (tmp_path / "same.xml").read_text()
    slower = cases(tmp_path / "slower", timed(1000), timed(4000))
    assert (slower["solved"], slower["first speech p50"]) == ("system-out", "failure")
    untrusted = cases(tmp_path / "untrusted", timed(1000), timed(4000, late_ms=500))
    assert untrusted == {"solved": "system-out", "bench": "error"}
    with pytest.raises(UsageProblem, match="add --gate"):
        compare_runs(tmp_path, tmp_path, force=False, as_json=True, junit=tmp_path / "new.xml")


def cases(folder: Path, first: Side, second: Side, tolerance: Tolerance = USUAL) -> dict[str, str]:
    """What each test case of a comparison holds: as many failures or errors as the gate raises."""
    file, folders = folder.with_suffix(".xml"), (folder / "first", folder / "second")
    for path, made in zip(folders, (first, second), strict=True):
        asyncio.run(store_side(path, made))
    raised = ""
    try:
        compare_runs(
            *folders, force=False, as_json=True, gate=True, junit=file, tolerance=tolerance
        )
    except GateFailed:
        raised = "failure"
    except InfraProblem:
        raised = "error"
    root = ElementTree.parse(file).getroot()
    found = {str(case.get("name")): case[0].tag for case in root.iter("testcase")}
    tags = Counter(found.values())
    assert {tag for tag in ("failure", "error") if tags[tag]} == {raised} - {""}
    counts = {"tests": len(found), "failures": tags["failure"], "errors": tags["error"]}
    assert root.attrib == {name: str(count) for name, count in counts.items()}
    return found


def test_the_command_refuses_what_does_not_compare_unless_forced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(stored(tmp_path / "a", many(2, 3)))
    asyncio.run(stored(tmp_path / "b", many(1, 3), pace="live"))
    with pytest.raises(UsageProblem, match=r"pace \(fast, live\)"):
        compare_runs(tmp_path / "a", tmp_path / "b", force=False, gate=False, as_json=False)
    compare_runs(tmp_path / "a", tmp_path / "b", force=True, gate=False, as_json=False)
    assert "forced, although they differ in pace" in capsys.readouterr().out


# --- few tasks


@pytest.mark.parametrize("tasks", [1, 2, 3])
@pytest.mark.parametrize("lost", [True, False])
def test_few_tasks_are_never_sure(tasks: int, lost: bool) -> None:
    every, none = side(many(tasks, tasks)), side(many(0, tasks))
    found = compare(every, none) if lost else compare(none, every)
    assert found.solved is not None
    assert abs(found.solved.difference) == 1
    assert found.solved.verdict == "undecided"
    slower = compare(timed(1000, tasks), timed(9000, tasks)).latencies["upl"]
    assert (slower.difference, slower.verdict) == (8000, "undecided")


def test_six_tasks_that_were_all_lost_are_sure() -> None:
    found = compare(side(many(6, 6)), side(many(0, 6))).solved
    assert found is not None
    assert found.verdict == "worse"


# --- latencies


def test_latencies_are_compared_turn_by_turn_with_an_interval() -> None:
    found = compare(timed(1000), timed(1400)).latencies
    assert set(found) == {"upl", "upl_content"}
    assert (found["upl"].difference, found["upl"].tasks) == (400, 12)
    assert 0 < found["upl"].lo < 400 <= found["upl"].hi
    assert (found["upl"].verdict, found["upl_content"].verdict) == ("worse", "equal")
    assert compare(timed(1400), timed(1000)).latencies["upl"].verdict == "better"


def test_turns_of_another_number_or_class_and_silent_ones_are_no_pairs() -> None:
    one, two = timed(1000, 1), timed(2000, 1)
    longer = Episode().turn(upl=1000 * MS).turn(upl=9000 * MS)
    assert (
        compare(one, Side(two.manifest, [unit("base_0", episode=longer)])).latencies["upl"].verdict
        == "equal"
    )
    silent = Side(two.manifest, [unit("base_0", episode=Episode().turn(upl=None))])
    assert "upl" not in compare(one, silent).latencies


def test_a_latency_is_no_better_or_worse_within_the_measurement_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = compare(timed(1000), timed(1003, late_ms=4)).latencies["upl"]
    assert (found.difference, found.lo > 0, found.error_ms) == (3, True, 4)
    assert found.verdict == "within_error"
    assert compare(timed(1003, late_ms=4), timed(1000)).latencies["upl"].verdict == "within_error"
    assert compare(timed(1000), timed(1005, late_ms=4)).latencies["upl"].verdict == "worse"
    shown = printed(tmp_path, timed(1000), timed(1003, late_ms=4), capsys)
    assert re.search(r"first speech, p50 .* within the measurement error of 4 ms", shown)
    assert "first speech: any difference is within the measurement error of 4 ms" in shown
    assert "slower in the second run" not in shown


def test_a_bench_that_was_too_slow_compares_no_latencies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = printed(tmp_path, timed(1000), timed(4000, late_ms=500), capsys).splitlines()
    assert shown[0].startswith("second run: the bench was too slow to tell how fast it was")
    assert not [line for line in shown if line.endswith(("worse", "better"))]
    assert [line for line in shown if re.search("solved in time .* the bench was too slow", line)]


def test_a_change_of_some_turns_shows_in_the_p50_of_all() -> None:
    """As view and report count: the difference of two p50, not the p50 of differences."""
    first, second = timed(1000, 60), timed(1000, 60)
    slower = timed(4000, 60)
    mixed_units = [*second.units[:35], *slower.units[35:]]
    some = compare(first, Side(second.manifest, mixed_units)).latencies["upl"]
    assert (some.first, some.second) == (1290, 1290)
    assert (some.first_p95, some.second_p95) == (1560, 4560)
    most = compare(first, Side(second.manifest, [*second.units[:20], *slower.units[20:]]))
    assert most.latencies["upl"].verdict == "worse"


@pytest.mark.parametrize("changes", [{"conditions": {"patience_s": 60}}, {"pace": "recorded"}])
def test_latencies_that_are_not_judged_are_not_compared(changes: dict[str, Any]) -> None:
    found = compare(timed(1000), timed(1400, **changes))
    assert (found.latencies, found.slower, found.in_time) == ({}, (), None)


def spoken(*upl_ms: int) -> Side:
    """Eight tasks whose turns take so long; too late beyond 3 s."""
    names = [f"base_{i}" for i in range(8)]
    late = {**KEPT, "first_speech": "hard", "hard_miss": True}
    units = []
    for place, name in enumerate(names):
        episode = Episode()
        for ms in upl_ms:
            episode.turn(late if ms > 3000 else KEPT, upl=(ms + place) * MS)
        in_time = float(max(upl_ms) < 3000)
        units.append(unit(name, components={"r_realtime": in_time}, episode=episode))
    return Side(manifest(*names, options={"label": f"run {upl_ms[0]}"}), units)


def test_first_turns_are_told_apart_from_later_ones_that_changed_differently(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steady, cold = spoken(1500, 1500, 1500, 1500), spoken(5000, 700, 700, 700)
    first, later = compare(steady, cold).apart["upl"].values()
    assert (first.difference, later.difference) == (3500, -800)
    assert (first.verdict, later.verdict) == ("worse", "better")
    assert compare(steady, spoken(1600, 1400, 1400, 1400)).apart == {}
    shown = printed(tmp_path, steady, cold, capsys)
    assert re.match(
        r"run 5000 against run 1500: solved in time 100 points less .*; "
        r"first turn of a conversation: speaks first 3.50 s later .*, "
        r"100 % too late \(0 % before\); later turns: speaks first 0.80 s earlier",
        shown,
    )
    assert re.search(r"first speech, p50 .* see first and later turns", shown)


def test_turns_too_late_are_compared_over_turns_that_both_runs_have() -> None:
    late = compare(spoken(1000, 1000), spoken(4000, 1000, 4000)).late_share
    assert late is not None
    assert (late.first, late.second, late.turns, late.tasks) == (0, 0.5, 16, 8)
    assert late.verdict == "worse"
    assert 0 < late.lo <= 0.5 <= late.hi
    assert compare(spoken(4000), spoken(1000)).late_share.verdict == "better"  # type: ignore[union-attr]


# --- the gate


def gate(tmp_path: Path, one: Side, two: Side, tolerance: Tolerance = Tolerance()) -> None:  # noqa: B008  # frozen
    for name, made in (("a", one), ("b", two)):
        asyncio.run(store_side(tmp_path / name, made))
    compare_runs(
        tmp_path / "a", tmp_path / "b", force=False, gate=True, tolerance=tolerance, as_json=False
    )


def test_the_gate_fails_on_what_came_too_late_although_all_was_solved(tmp_path: Path) -> None:
    with pytest.raises(GateFailed, match=r"solved in time 100.0 %, now 0.0 %") as problem:
        gate(tmp_path, timed(1000), timed(4000))
    assert problem.value.exit_code == 1


def test_the_gate_fails_on_slower_answers_that_are_still_in_time(tmp_path: Path) -> None:
    with pytest.raises(GateFailed, match="first speech p50 1050 ms, now 1450 ms"):
        gate(tmp_path, timed(1000), timed(1400))


def test_the_gate_passes_what_is_tolerated_unclear_or_better(tmp_path: Path) -> None:
    gate(tmp_path / "faster", timed(1400), timed(1000))
    gate(tmp_path / "a_little", timed(1000), timed(1090))
    gate(tmp_path / "tolerated", timed(1000), timed(1400), Tolerance(slower_ms=500))
    gate(tmp_path / "few", timed(1000, 1), timed(9000, 1))
    gate(tmp_path / "drop", side(many(45)), side(many(20)), Tolerance(drop_points=50))


def test_a_bench_that_was_late_is_no_worse_agent(tmp_path: Path) -> None:
    with pytest.raises(InfraProblem, match="the bench itself delayed 12 turns") as problem:
        gate(tmp_path, timed(1000), timed(4000, late_ms=500))
    assert problem.value.exit_code == 3


# --- names


def test_runs_are_named_by_label_folder_and_where_their_model_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {"label": "old prompt", "models_at": {"agent": "http://127.0.0.1:8099/v1"}}
    one = timed(1000, agent="openai:mock", options=options)
    for name, made in (("a", one), ("b", timed(9000, agent="openai:mock"))):
        asyncio.run(store_side(tmp_path / name, made))
    compare_runs(tmp_path / "a", tmp_path / "b", force=False, as_json=False)
    printed = capsys.readouterr().out
    place = "agent openai:mock at http://127.0.0.1:8099/v1"
    assert printed.startswith("second run")
    assert f"old prompt  {tmp_path / 'a'}  r1  {place}" in printed
    assert f"second      {tmp_path / 'b'}  r1  agent openai:mock" in printed
    assert re.search(r"old prompt +second +change", printed)
    assert "slower in the second run" in printed
    compare_runs(tmp_path / "a", tmp_path / "b", force=False, as_json=True)
    fields = orjson.loads(capsys.readouterr().out)
    assert [run["label"] for run in fields["runs"]] == ["old prompt", None]
    assert fields["latency_difference_ms"]["upl"]["difference"] == 8000
