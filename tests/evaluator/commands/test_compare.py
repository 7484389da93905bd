import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.commands.compare import Worse, compare_runs
from evaluator.problems import UsageProblem
from evaluator.results.comparison import Side, compare, mixed
from evaluator.results.store import open_store
from evaluator.scoring.judgements import Judged
from tests.evaluator.episodes import Episode, manifest, unit

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
    assert (found.solved.difference, found.solved.lo, found.solved.hi) == (0, 0, 0)
    assert found.solved.verdict == "equal"
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
    assert mixed(plain, Side(plain.manifest, plain.units, [word])) == ["judge (None, m@1)"]


def test_another_world_does_not_mix_but_one_that_was_not_noted_does() -> None:
    assert mixed(side(many(1), world="a"), side(many(1), world="b")) == ["world"]
    assert mixed(side(many(1), world=""), side(many(1), world="b")) == []


def test_another_prompt_of_the_driver_does_not_mix() -> None:
    assert mixed(
        side(many(1), prompts={"driver": "a", "agent": "x"}),
        side(many(1), prompts={"driver": "b", "agent": "x"}),
    ) == ["driver prompt"]


async def stored(folder: Path, results: Results, **changes: Any) -> None:
    made = side(results, **changes)
    async with open_store(folder, manifest=made.manifest) as store:
        for result in made.units:
            await store.save(result, Episode().record)


def test_the_command_tells_people_and_scripts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(stored(tmp_path / "a", many(45)))
    asyncio.run(stored(tmp_path / "b", many(20)))
    compare_runs(tmp_path / "a", tmp_path / "b", force=False, gate=False, as_json=False)
    printed = capsys.readouterr().out
    assert "worse" in printed
    assert "base_20" in printed
    with pytest.raises(Worse):
        compare_runs(tmp_path / "a", tmp_path / "b", force=False, gate=True, as_json=True)
    fields = orjson.loads(capsys.readouterr().out)
    assert fields["solved"]["difference"] == pytest.approx(-25 / 60)
    assert len(fields["changes"]) == 25


def test_the_command_refuses_what_does_not_compare_unless_forced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(stored(tmp_path / "a", many(2, 3)))
    asyncio.run(stored(tmp_path / "b", many(1, 3), pace="live"))
    with pytest.raises(UsageProblem, match=r"pace \(fast, live\)"):
        compare_runs(tmp_path / "a", tmp_path / "b", force=False, gate=False, as_json=False)
    compare_runs(tmp_path / "a", tmp_path / "b", force=True, gate=False, as_json=False)
    assert "forced, although they differ in pace" in capsys.readouterr().out
