"""Whole runs over a broker and sockets: rewards, digests, what a run costs on the bus."""

import asyncio
from collections import Counter

import pytest

from assistant_gateway.agents.client import PacedAgent
from assistant_gateway.agents.rules.language.patterns import table, words_of
from evaluator.run.agents import AgentChoice, served
from evaluator.scoring.conversation_end import is_limit_awareness
from tests.conftest import Serve, need_mosquitto
from tests.evaluator.runs import OWN, SOME, TaskSet, digests, outcomes, play, public, published

UNITS = {f"{task.task_id}:0" for task in SOME.tasks}
PARTS = 4  # of the public tasks, each a test of its own
MOST_MESSAGES = 60  # for each thing the driver asks for


@pytest.fixture(scope="module")
def alone() -> dict[str, str]:
    """The digests of some tasks when one is played after the other on the embedded broker."""
    return digests(asyncio.run(play(latency_profile="cloud_fast", max_concurrency=1)))


async def test_the_reference_passes_every_task_with_few_messages_on_the_bus() -> None:
    attempts = await play(OWN, agent="reference")
    units = (f"{task.task_id}:0" for task in OWN.tasks)
    assert outcomes(attempts) == dict.fromkeys(units, "success")
    assert {played.score.reward for played in attempts} == {1.0}
    too_many = {
        task.task_id: len(played.record.entries)
        for played in attempts
        if (task := played.unit.task)
        and len(played.record.entries) > MOST_MESSAGES * max(1, len(task.expect.requests))
    }
    assert too_many == {}


async def test_one_seed_gives_one_record_at_any_concurrency_on_any_broker(
    serve: Serve, alone: dict[str, str]
) -> None:
    assert set(alone) == UNITS
    async with serve() as port:
        url = f"mqtt://127.0.0.1:{port}"
        assert digests(await play(latency_profile="cloud_fast", broker_url=url)) == alone
    assert digests(await play(latency_profile="cloud_fast", max_concurrency=8)) == alone


async def test_a_mosquitto_of_our_own_carries_the_same_records(alone: dict[str, str]) -> None:
    need_mosquitto()
    child = digests(await play(latency_profile="cloud_fast", broker_kind="mosquitto"))
    assert child == alone


async def test_another_seed_gives_other_records(alone: dict[str, str]) -> None:
    other = digests(await play(latency_profile="cloud_fast", seed=2))
    assert {unit for unit in UNITS if alone[unit] == other[unit]} == set()


async def test_trials_of_one_task_have_records_of_their_own() -> None:
    trials = digests(await play(latency_profile="cloud_fast", trials=2))
    assert len(set(trials.values())) == 2 * len(UNITS)


@published
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("agent", ["reference", "null"])
async def test_every_public_task_this_car_can_play_is_passed_by_the_reference_alone(
    agent: str, part: int
) -> None:
    playable = public()
    chosen = playable.tasks[part::PARTS]
    attempts = await play(TaskSet(chosen, playable.world), agent=agent)
    reward = 1.0 if agent == "reference" else 0.0
    wrong = {
        played.unit.task.task_id: played.score.why
        for played in attempts
        if played.score.reward != reward
    }
    assert wrong == {}
    assert len(attempts) == len(chosen)
    assert len(playable.tasks) >= 153
    main_types = Counter(is_limit_awareness(task.task_type) for task in playable.tasks)
    assert min(main_types.values()) >= 50


async def test_rules_has_looked_up_its_words_before_anybody_waits_for_them() -> None:
    words_of.cache_clear()
    table.cache_clear()
    agents: dict[str, PacedAgent] = {}
    async with served(AgentChoice("rules"), agents.__getitem__):
        assert words_of.cache_info().currsize > 0
