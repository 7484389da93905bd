"""Faults in whole runs: deterministic, got over by the reference, never an error of the bench."""

import asyncio
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.agents.reference import ReferenceAgent, went_wrong
from assistant_gateway.protocol import Frame
from evaluator.problems import UsageProblem
from evaluator.run.units import Unit, bench, play_and_collect
from evaluator.task.fault_sets import fault_set, shipped_sets
from tests.conftest import BrokerKind
from tests.evaluator.runs import (
    BY_ID,
    SOME,
    TASKS,
    WORLD,
    TaskSet,
    digests,
    guest,
    outcomes,
    play,
    play_units,
    settings,
)  # fmt: skip
from vehicle_bus.car.fault import KINDS, Fault, FaultKind

FAULTY = TaskSet([task for task in TASKS if task.car.faults], WORLD)
TRIED: dict[FaultKind, Fault] = {
    "delay": Fault(kind="delay", delay_ms=1500, chance=0.5, times=None),
    "loss": Fault(kind="loss", chance=0.5, times=2),
    "lost_command": Fault(kind="lost_command", chance=0.5, times=2),
    "duplicate": Fault(kind="duplicate", times=None),
    "reorder": Fault(kind="reorder", times=None),
    "refusal": Fault(kind="refusal", chance=0.5, times=2),
    "stale": Fault(kind="stale", chance=0.7),
    "contradiction": Fault(kind="contradiction", chance=0.7),
    "offline": Fault(kind="offline", chance=0.5, for_s=3.0),
    "knob": Fault(kind="knob", chance=0.5, times=2, set={"reading_light_driver_rear": True}),
}


def test_there_are_tasks_about_every_kind_of_fault() -> None:
    assert len(FAULTY.tasks) >= 12
    assert {fault.kind for task in FAULTY.tasks for fault in task.car.faults} == set(KINDS)


async def test_the_reference_gets_over_every_fault_of_a_task(broker_kind: BrokerKind) -> None:
    attempts = await play(FAULTY, broker_kind=broker_kind)
    names = [f"{task.task_id}:0" for task in FAULTY.tasks]
    assert outcomes(attempts) == dict.fromkeys(names, "success")
    # Where the car lacks something the reference may stop before the fault.
    whole = [played for played in attempts if not played.unit.task.car.removed]
    recoveries = {played.unit.task.task_id: played.score.recovery for played in whole}
    assert len(recoveries) > 40
    assert [name for name, found in recoveries.items() if not (found and found.recovered)] == []


@pytest.mark.parametrize("named", sorted(shipped_sets()))
async def test_faults_strike_alike_at_any_concurrency(named: str) -> None:
    faults = fault_set(named)
    one = await play(SOME, faults=faults, max_concurrency=1)
    many = await play(SOME, faults=faults, max_concurrency=16)
    assert digests(one) == digests(many)
    assert any(played.score.recovery for played in one)
    assert {played.score.outcome for played in one} <= {"success", "failure"}


async def test_another_seed_is_another_stroke_of_bad_luck() -> None:
    faults = fault_set("flaky")
    one, other = [await play(SOME, faults=faults, seed=seed) for seed in (1, 2)]
    assert digests(one) != digests(other)


async def test_real_time_gets_over_what_virtual_time_does() -> None:
    tasks = TaskSet([BY_ID["fault_slow_wheel"], BY_ID["fault_little_hands"]], WORLD)
    attempts = await play(tasks, pace="fast")
    assert set(outcomes(attempts).values()) == {"success"}
    delayed = attempts[0].record.calls[0]
    if attempts[0].unit.task.task_id != "fault_slow_wheel":
        delayed = attempts[1].record.calls[0]
    assert delayed.reply is not None
    assert delayed.reply.t_ns - delayed.command.t_ns >= 2_600_000_000


@pytest.mark.parametrize("kind", KINDS)
async def test_the_reference_recovers_from_every_kind_of_fault(kind: FaultKind) -> None:
    about = [task for task in FAULTY.tasks if kind in {fault.kind for fault in task.car.faults}]
    car = {"faults": (TRIED[kind],)}
    sound = [
        task.model_copy(update={"car": task.car.model_copy(update=car)})
        for task in SOME.tasks
        if not task.car.faults
    ]
    tasks = [*islice(cycle(about), 10), *islice(cycle(sound), 10)]
    units = [Unit(task, trial) for trial, task in enumerate(tasks)]
    async with asyncio.timeout(500), bench(settings(), WORLD) as up:
        played = await play_and_collect(up, units)
    wrong = {unit.unit.task.task_id: unit.score.why for unit in played if not unit.score.reward}
    assert wrong == {}
    assert [unit.record.gap for unit in played] == [None] * 20
    recoveries = [unit.score.recovery for unit in played if unit.score.recovery]
    assert len(recoveries) >= 5
    assert all(recovery.recovered for recovery in recoveries)


class Stubborn(ReferenceAgent):
    """Calls again and again what does not work."""

    def on_results(self, results: tuple[tuple[Call, str], ...]) -> AgentMessage | None:
        failed = tuple(call for call, output in results if went_wrong(output))
        return AgentMessage(calls=failed) if failed else super().on_results(results)


async def test_sixteen_identical_retries_are_a_finding_and_no_recovery() -> None:
    task = BY_ID["fault_fan_tries_again"]
    refusal = Fault(kind="refusal", tool="set_fan_speed", times=16)
    car = task.car.model_copy(update={"faults": (refusal,)})
    calls = [Call(action.name, action.arguments) for action in task.expect.actions]

    async def before(_socket: ClientConnection, _raw: str, _frame: Frame) -> None:
        return

    async with (
        asyncio.timeout(30),
        bench(settings(agent="ws", pace="fast"), WORLD) as up,
        guest(up, lambda _sid: Stubborn(tuple(calls)), before),
    ):
        [played] = await play_units(up, [task.model_copy(update={"car": car})])
    assert played.score.components["r_actions_final"] == 1.0
    assert played.score.recovery is not None
    assert (played.score.recovery.retries, played.score.recovery.hammered) == (16, True)
    assert not played.score.recovery.recovered


def test_a_fault_set_of_ones_own_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("- {kind: delay, delay_ms: 700}\n- {kind: loss, set: {}, chance: 0.5}\n")
    assert [fault.kind for fault in fault_set(str(file))] == ["delay", "loss"]
    assert fault_set("none") == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- {kind: gremlin}", r"mine\.yaml:1: 0\.kind: "),
        ("- {kind: loss}\n- {kind: delay}", r"mine\.yaml:2: 1: .*needs delay_ms"),
        ("kind: loss", "a list of faults"),
        ("- [", r"mine\.yaml:1: expected YAML"),
    ],
)
def test_a_bad_fault_set_is_reported_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(UsageProblem, match=message):
        fault_set(str(file))


def test_an_unknown_fault_set_names_those_there_are() -> None:
    with pytest.raises(UsageProblem, match="none, flaky, lying, offline_once, slow_bus"):
        fault_set("gremlins")


async def test_a_run_keeps_its_own_task_whatever_the_faults() -> None:
    task = BY_ID["base_fog_lights"]
    chosen = replace(settings(), faults=fault_set("flaky"))
    async with asyncio.timeout(30), bench(chosen, WORLD) as up:
        [played] = await play_units(up, [task])
    assert played.unit.task is task
