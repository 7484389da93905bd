"""An agent that looks wherever it can: on the bus, with its own login, and at its socket."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection

from assistant_gateway.agents.reference import ReferenceAgent
from assistant_gateway.protocol import GO_ON, TO_AGENT, Frame, SessionStart
from evaluator.reference.plan import reference_plan
from evaluator.run.units import Bench, Unit, bench, opaque
from evaluator.scoring.conversation_end import is_limit_awareness, words_offered
from evaluator.task.task import Task
from tests.conftest import BrokerKind
from tests.evaluator.runs import BY_ID, OWN, TaskSet, guest, play_units, public, published, settings
from tests.evaluator.taken_away import Way, masked_results, offered, telling_signals, values_at
from vehicle_bus.broker.choose import connect
from vehicle_bus.bus import Bus, BusError, BusRefused, Message, Publication, Subscription
from vehicle_bus.contract import Capabilities, Command, Reply, Topics, decode, encode
from vehicle_bus.vehicle import Vehicle

TOPICS = Topics()
BYSTANDER = "bystander"
UNKNOWN = "unknown"
CONTROL_WORDS = {GO_ON}.union(
    *map(words_offered, ("hallucination_missing_tool", "disambiguation_internal", "base"))
)
each_set = pytest.mark.parametrize("whose", ["own", pytest.param("public", marks=published)])


def limited(whose: str) -> TaskSet:
    """The limit-awareness tasks."""
    every = OWN if whose == "own" else public()
    return TaskSet([t for t in every.tasks if is_limit_awareness(t.task_type)], every.world)


def vin_of(task: Task) -> str:
    return Unit(task, 0).vin(settings(), 0)


# --- on the bus


@asynccontextmanager
async def bench_with_logins(kind: BrokerKind, played: TaskSet) -> AsyncIterator[Bench]:
    """A bench on which the agent of every task may log in, and a car of somebody else."""
    vins = tuple(map(vin_of, played.tasks))
    chosen = settings(broker_kind=kind, signals="all", bus_agents=vins)
    async with asyncio.timeout(150), bench(chosen, played.world) as up:
        await up.cars.place(BYSTANDER, Vehicle(played.tasks[0].car, up.world))
        yield up


def may_hear(vin: str, client: str) -> list[str]:
    return [
        TOPICS.capabilities(vin), TOPICS.status(vin), TOPICS.event(vin, "+"),
        TOPICS.signal(vin, "#"), TOPICS.reply(vin, client),
    ]  # fmt: skip


def wants_to_hear(vin: str) -> list[str]:
    kinds = ("frame", "turn", "control", "end", "verdict")
    session = [f"{TOPICS.prefix}/{vin}/session/{s}/{kind}" for kind in kinds for s in (vin, "+")]
    return [
        "#", "+/#", "codriver/#", "$SYS/#", TOPICS.everything(), TOPICS.everything(vin),
        TOPICS.everything(BYSTANDER), TOPICS.snapshot(vin), TOPICS.snapshot("+"),
        f"{TOPICS.prefix}/{vin}/+", f"{TOPICS.prefix}/{vin}/session/#", *session,
        TOPICS.reply(vin, "+"), TOPICS.reply(vin, "#"), TOPICS.command(vin, "+"), TOPICS.clock(vin),
        TOPICS.signal("+", "#"), f"$share/spies/{TOPICS.everything(vin)}",
        f"$share/spies/{TOPICS.session(vin, vin, 'control')}",
    ]  # fmt: skip


@dataclass
class Spy:
    """An agent on the bus and all it gets to hear."""

    bus: Bus
    queues: list[Subscription] = field(default_factory=list)

    async def overheard(self, up: Bench, vin: str) -> list[Message]:
        """What arrived, up to a fence that is sent last; each queue holds its own copy."""
        fence = TOPICS.event(vin, "fence")
        await up.buses[0].publish(Publication(fence, b"{}"))
        heard: list[Message] = []
        async with asyncio.timeout(10):
            while fence not in {message.topic for message in heard}:
                heard += await self.queues[0].batch()
        for queue in self.queues[1:]:
            with suppress(TimeoutError):
                async with asyncio.timeout(0):
                    heard += await queue.batch()
        return [message for message in heard if message.topic != fence]


@asynccontextmanager
async def spy_on(up: Bench, vin: str) -> AsyncIterator[Spy]:
    async with (
        connect(up.address, "agent", vin=vin) as bus,
        bus.subscribe(*may_hear(vin, bus.client_id)) as allowed,
        AsyncExitStack() as stack,
    ):
        spy = Spy(bus, [allowed])
        for pattern in wants_to_hear(vin):
            with suppress(BusError):
                spy.queues.append(await stack.enter_async_context(bus.subscribe(pattern)))
        yield spy


@each_set
async def test_nothing_secret_is_overheard_on_the_bus(broker_kind: BrokerKind, whose: str) -> None:
    played = limited(whose)
    async with bench_with_logins(broker_kind, played) as up:
        for task in played.tasks:
            vin = vin_of(task)
            async with spy_on(up, vin) as spy:
                [episode] = await play_units(up, [task])
                heard = await spy.overheard(up, vin)
                assert episode.score.reward == 1.0, task.task_id
                allowed = tuple(f.rstrip("#+") for f in may_hear(vin, spy.bus.client_id))
                assert [m.topic for m in heard if not m.topic.startswith(allowed)] == []
                check_received(task, played, heard)


def check_received(task: Task, played: TaskSet, heard: list[Message]) -> None:
    """Declarations and signals of one car, as its agent heard them."""
    vin = vin_of(task)
    [tools] = {m.payload for m in heard if m.topic == TOPICS.capabilities(vin) and m.payload}
    declared = decode(Capabilities, tools).tools
    assert not [entry for entry in task.car.removed if offered(entry, declared)], task.task_id
    root = TOPICS.signal(vin, "")
    paths = {
        m.topic.removeprefix(root).replace("/", ".") for m in heard if m.topic.startswith(root)
    }
    assert len(paths) > 20
    assert paths & telling_signals(task, played.world) == set(), task.task_id


MASKED_STATES = {
    "limit_trunk_unknown": "Vehicle.Body.Trunk.Rear.IsOpen",
    "limit_beams_unknown": "Vehicle.Body.Lights.Beam.High.IsOn",
}


@pytest.mark.parametrize(("task_id", "path"), MASKED_STATES.items())
async def test_a_masked_state_of_the_car_is_in_no_signal_and_no_reply(
    broker_kind: BrokerKind, task_id: str, path: str
) -> None:
    task, vin = BY_ID[task_id], vin_of(BY_ID[task_id])
    assert telling_signals(task, OWN.world) == {path}
    async with (
        bench_with_logins(broker_kind, TaskSet([task], OWN.world)) as up,
        connect(up.address, "observer") as observer,
        observer.subscribe(TOPICS.everything(vin)) as everything,
    ):
        await play_units(up, [task])
        heard = await Spy(observer, [everything]).overheard(up, vin)
    signals = {m.topic for m in heard if m.topic.startswith(TOPICS.signal(vin, ""))}
    assert len(signals) > 20
    assert TOPICS.signal(vin, path) not in signals
    replies = (m.payload for m in heard if m.topic.startswith(TOPICS.reply(vin, "")))
    answers = [decode(Reply, payload).output for payload in replies]
    [(_, ways)] = masked_results(task).items()
    assert [value for answer in answers for way in ways for value in values_at(answer, way)] == [
        UNKNOWN
    ]


@each_set
async def test_direct_commands_reach_no_removed_part(broker_kind: BrokerKind, whose: str) -> None:
    played = limited(whose)
    async with bench_with_logins(broker_kind, played) as up:
        for task in played.tasks:
            vin = vin_of(task)
            await up.cars.place(vin, Vehicle(task.car, up.world))
            async with connect(up.address, "agent", vin=vin) as agent:
                for tool, arguments in uses_of(task):
                    reply = await ask(agent, vin, tool, arguments)
                    assert (reply.status, reply.revision_after) == ("REMOVED", 0), task.task_id
                for tool, ways in masked_results(task).items():
                    reply = await ask(agent, vin, tool, {})
                    assert known(reply.output, ways) == [], task.task_id
            await up.cars.remove(vin)


def uses_of(task: Task) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of what was removed: of the tool, or with the parameter."""
    for entry in task.car.removed:
        tool, *way = entry.split(".")
        if tool != "result":
            arguments: Any = 1
            for name in reversed(way):
                arguments = {name: arguments}
            yield tool, arguments if way else {}


async def ask(agent: Bus, vin: str, tool: str, arguments: dict[str, Any]) -> Reply:
    payload = encode(Command(src="gateway", call_id="c1", arguments=arguments))
    answer = await agent.request(Publication(TOPICS.command(vin, tool), payload), timeout_s=5)
    return decode(Reply, answer.payload)


@pytest.mark.malformed("forged payloads")
async def test_an_agent_can_only_command_its_own_car(broker_kind: BrokerKind) -> None:
    played = limited("own")
    vin = vin_of(played.tasks[0])
    async with (
        bench_with_logins(broker_kind, played) as up,
        connect(up.address, "agent", vin=vin) as agent,
        connect(up.address, "observer") as observer,
        observer.subscribe(TOPICS.everything()) as everything,
    ):
        await up.cars.place(vin, Vehicle(played.tasks[0].car, up.world))
        forbidden = [
            TOPICS.command(BYSTANDER, "set_fog_lights"), TOPICS.snapshot(vin), TOPICS.clock(vin),
            TOPICS.capabilities(vin), TOPICS.status(vin), TOPICS.event(vin, "crash"),
            TOPICS.signal(vin, "Vehicle.Body.Lights.Fog.Front.IsOn"),
            TOPICS.reply(vin, "gateway"), TOPICS.session(vin, vin, "turn"),
            TOPICS.session(vin, vin, "control"), TOPICS.session(vin, vin, "end"),
            TOPICS.session(vin, vin, "verdict"),
        ]  # fmt: skip
        forged = encode(Command(src="liar", call_id="forged", arguments={"on": True}))
        for topic in forbidden:  # mosquitto hangs up on who publishes such
            async with connect(up.address, "agent", vin=vin) as forger:
                with pytest.raises(BusRefused):
                    await forger.publish(Publication(topic, forged))
        assert (await ask(agent, vin, "get_car_color", {})).status == "SUCCESS"
        assert up.cars.vehicle(BYSTANDER).revision == 0
        heard: list[Message] = []
        async with asyncio.timeout(10):
            while not any(message.topic.startswith(TOPICS.reply(vin, "")) for message in heard):
                heard += await everything.batch()
        assert [message.topic for message in heard if b"liar" in message.payload] == []


async def test_a_reply_goes_nowhere_but_to_the_replies_of_its_car(broker_kind: BrokerKind) -> None:
    played = limited("own")
    vin = vin_of(played.tasks[0])
    targets = [
        TOPICS.reply(BYSTANDER, "somebody"), TOPICS.snapshot(vin), TOPICS.capabilities(vin),
        TOPICS.signal(vin, "Vehicle.Speed"), TOPICS.event(vin, "crash"), TOPICS.status(BYSTANDER),
        TOPICS.session(vin, vin, "control"), TOPICS.reply(vin, "a/b"), "elsewhere",
    ]  # fmt: skip
    async with (
        bench_with_logins(broker_kind, played) as up,
        connect(up.address, "agent", vin=vin) as agent,
        connect(up.address, "observer") as observer,
        observer.subscribe(TOPICS.everything()) as everything,
    ):
        await up.cars.place(vin, Vehicle(played.tasks[0].car, up.world))
        command = TOPICS.command(vin, "get_car_color")
        for number, target in enumerate(targets):
            payload = encode(Command(src="liar", call_id=f"forged {number}"))
            await agent.publish(Publication(command, payload, response_topic=target))
        await ask(agent, vin, "get_car_color", {})
        answered: list[str] = []
        async with asyncio.timeout(10):
            while len(answered) <= len(targets):
                answered += [
                    message.topic
                    for message in await everything.batch()
                    if b'"output"' in message.payload
                ]
    assert answered == [TOPICS.reply(vin, "liar")] * len(targets) + [
        TOPICS.reply(vin, agent.client_id)
    ]


# --- at its socket


@each_set
async def test_nothing_secret_is_sent_to_the_agent(whose: str) -> None:
    played = limited(whose)
    by_sid = {opaque(vin_of(task)): task for task in played.tasks}
    told_to_agent: dict[str, list[str]] = {sid: [] for sid in by_sid}

    def reference(sid: str) -> ReferenceAgent:
        return ReferenceAgent(reference_plan(by_sid[sid], played.world))

    async def keep(_socket: ClientConnection, raw: str, frame: Frame) -> None:
        told_to_agent[frame.sid].append(raw)

    chosen = settings(agent="ws", pace="fast", max_concurrency=1)
    async with (
        asyncio.timeout(150),
        bench(chosen, played.world) as up,
        guest(up, reference, keep),
    ):
        episodes = await play_units(up, played.tasks)
    for episode in episodes:
        task, raws = episode.unit.task, told_to_agent[opaque(episode.record.vin)]
        assert episode.score.reward == 1.0
        check_frames(task, raws)
        judgements = {control.reason for control in episode.record.controls} | CONTROL_WORDS
        assert episode.record.controls
        assert not any(task.task_id in raw or episode.record.vin in raw for raw in raws)
        assert not [word for word in judgements for raw in raws[1:] if word and word in raw]


def check_frames(task: Task, raws: list[str]) -> None:
    """No frame has a field beyond its model, an offer of what was removed, or a masked value."""
    for frame in map(json.loads, raws):
        body = TO_AGENT[frame["type"]]
        assert set(frame["data"]) <= set(body.model_fields)
        if body is SessionStart:
            tools = frame["data"]["tools"]
            assert not [entry for entry in task.car.removed if offered(entry, tools)]
        for ways in masked_results(task).values():
            assert known(frame["data"].get("output", ""), ways) == [], task.task_id


def known(output: str, ways: list[Way]) -> list[Any]:
    """What an answer tells of what it should not."""
    return [value for way in ways for value in values_at(output, way) if value != UNKNOWN]
