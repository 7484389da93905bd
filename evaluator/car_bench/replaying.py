"""Recorded runs driven through the car again: the same calls over a real bus, in the same batches.

A replay stands where the gateway stands: it sends commands, says at which revision the floor was
handed over, and ends the session. So what it leaves behind is a record like any other.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Literal

from assistant_gateway.conversation.tool_calls import TOOL_NAME
from evaluator.car_bench.declared_differences import ComparedCall, explanation
from evaluator.car_bench.recordings import RecordedCall, RecordedRun
from evaluator.car_bench.same_answer import NO_SUCH_TOOL
from evaluator.record.record import Record
from evaluator.record.recorder import Recorder, recorder
from evaluator.run.units import RunSettings
from evaluator.task.task import Task
from vehicle_bus.broker.address import BrokerAddress
from vehicle_bus.broker.choose import broker, connect
from vehicle_bus.bus import Bus, Publication
from vehicle_bus.contract import (
    Command,
    Reply,
    SessionEnd,
    Snapshot,
    Stamped,
    Stamper,
    Topics,
    TurnFinished,
    decode,
    encode,
)
from vehicle_bus.host.host import VehicleHost, vehicle_host
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

SRC = "gateway"
CALL_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class ReplayRig:
    """Everything that is up while recordings are replayed."""

    address: BrokerAddress
    gateway: Bus
    cars: VehicleHost
    recorder: Recorder
    topics: Topics
    world: World


@dataclass(frozen=True, slots=True)
class Replayed:
    """One recorded run, its calls compared, and the record of playing it again."""

    recording: RecordedRun
    calls: tuple[ComparedCall, ...]
    without_answer: int
    record: Record

    @property
    def differences(self) -> set[str]:
        """The declared differences that showed."""
        return {call.difference for call in self.calls if call.difference is not None}


@asynccontextmanager
async def replay_rig(settings: RunSettings, world: World) -> AsyncIterator[ReplayRig]:
    """Broker, car, recorder and a connection with the rights of a gateway."""
    topics = settings.topics
    async with (
        broker(settings.broker_url, prefer=settings.broker_kind) as address,
        connect(address, "car") as car,
        connect(address, "gateway") as gateway,
        connect(address, "evaluator") as evaluator,
        vehicle_host(car, topics) as cars,
        recorder(evaluator, topics) as records,
    ):
        yield ReplayRig(address, gateway, cars, records, topics, world)


async def replay(up: ReplayRig, recording: RecordedRun, task: Task, vin: str) -> Replayed:
    """Play one run again on a fresh car; a `BusError` if the car does not answer."""
    up.recorder.expect(vin)
    await up.cars.place(vin, Vehicle(task.car, up.world))
    try:
        session = _Session(up, vin)
        await session.begin()
        compared: list[ComparedCall] = []
        without_answer = 0
        for batch in recording.messages:
            for recorded in batch:
                reply = await session.call(recorded)
                if recorded.output is None:
                    without_answer += 1
                else:
                    compared.append(_compared(recorded, recorded.output, reply, compared))
            if not batch:
                await session.hand_over()
        await session.end()
        record = await up.recorder.finished(vin)
    finally:
        up.recorder.forget(vin)
        await up.cars.remove(vin)
    return Replayed(recording, tuple(compared), without_answer, record)


def _compared(
    recorded: RecordedCall, output: str, reply: Reply, earlier: list[ComparedCall]
) -> ComparedCall:
    call = ComparedCall(recorded.tool, recorded.arguments, output, reply)
    if call.equal:
        return call
    return replace(call, difference=explanation(call, earlier))


class _Session:
    """The gateway's numbers of one replay."""

    def __init__(self, up: ReplayRig, vin: str) -> None:
        self._up = up
        self._vin = vin
        self._stamper = Stamper(SRC)
        self._car_seq = 0
        self._revision = 0
        self._calls = 0
        self._turns = 0

    async def begin(self) -> None:
        """Wait until the car has said in which state it starts."""
        async with self._up.gateway.subscribe(self._up.topics.snapshot(self._vin)) as snapshots:
            self._note(decode(Snapshot, (await anext(snapshots)).payload))

    async def call(self, recorded: RecordedCall) -> Reply:
        """Run one tool. A name that can stand in no topic is unknown without asking the car."""
        self._calls += 1
        call_id = f"c{self._calls}"
        if TOOL_NAME.fullmatch(recorded.tool) is None:
            return Reply(
                call_id=call_id,
                status="FAILURE",
                output=f"{NO_SUCH_TOOL}{recorded.tool}",
                revision_before=self._revision,
                revision_after=self._revision,
                error="UNKNOWN_TOOL",
            )
        command = Command(
            **self._stamper.next(),
            call_id=call_id,
            arguments=recorded.arguments,
            session=self._vin,
        )
        topic = self._up.topics.command(self._vin, recorded.tool)
        answer = await self._up.gateway.request(
            Publication(topic, encode(command)), timeout_s=CALL_TIMEOUT_S
        )
        reply = decode(Reply, answer.payload)
        self._note(reply)
        self._revision = reply.revision_after
        return reply

    async def hand_over(self) -> None:
        self._turns += 1
        turn = TurnFinished(
            **self._stamper.next(),
            turn=self._turns,
            turn_class="A",
            revision=self._revision,
            spans={},
            verdict={},
            heard_user="",
            heard_agent="",
        )
        await self._publish("turn", turn)

    async def end(self) -> None:
        stamps = self._stamper.next()
        counts = {"car": self._car_seq, SRC: stamps["seq"]}
        end = SessionEnd(**stamps, reason="replayed", counts=counts, revision=self._revision)
        await self._publish("end", end)

    async def _publish(self, kind: Literal["turn", "end"], payload: Stamped) -> None:
        topic = self._up.topics.session(self._vin, self._vin, kind)
        await self._up.gateway.publish(Publication(topic, encode(payload)))

    def _note(self, payload: Stamped) -> None:
        self._car_seq = max(self._car_seq, payload.seq)
        self._stamper.saw(payload.n)
