"""Recorded runs driven through the car again: the same calls over a real bus, in the same batches.

A replay takes the place of the gateway, so what it leaves behind is a record like any other.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from assistant_gateway.conversation.tool_calls import TOOL_NAME
from evaluator.car_bench.declared_differences import ComparedCall, explanation
from evaluator.car_bench.recordings import RecordedCall, RecordedRun
from evaluator.car_bench.replay_in_process import GatewaySide
from evaluator.car_bench.same_answer import NO_SUCH_TOOL
from evaluator.record.record import Record
from evaluator.record.recorder import Recorder, recorder
from evaluator.run.servers import joining
from evaluator.run.units import RunSettings
from evaluator.task.task import Task
from vehicle_bus.broker.address import BrokerAddress
from vehicle_bus.broker.choose import broker
from vehicle_bus.bus import Bus, Publication
from vehicle_bus.contract import (
    Reply,
    Snapshot,
    Topics,
    decode,
    encode,
)
from vehicle_bus.host.host import VehicleHost, vehicle_host
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

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
        joining(address)("car") as car,
        joining(address)("gateway") as gateway,
        joining(address)("evaluator") as evaluator,
        vehicle_host(car, topics) as cars,
        recorder(evaluator, topics) as records,
    ):
        yield ReplayRig(address, gateway, cars, records, topics, world)


async def replay(up: ReplayRig, recording: RecordedRun, task: Task, vin: str) -> Replayed:
    """Play one run again on a fresh car; a `BusError` if the car does not answer."""
    gateway = GatewaySide(recording, task, vin)
    compared: list[ComparedCall] = []
    up.recorder.expect(vin)
    await up.cars.place(vin, Vehicle(task.car, up.world))
    try:
        async with up.gateway.subscribe(up.topics.snapshot(vin)) as snapshots:
            gateway.saw(decode(Snapshot, (await anext(snapshots)).payload))
        script = gateway.script()
        event = next(script, None)
        while event is not None:
            if isinstance(event, RecordedCall):
                reply = await _answer(up, gateway, event)
                if event.output is not None:
                    compared.append(_compared(event, event.output, reply, compared))
                event = script.send(reply)
            else:
                kind, payload = event
                topic = up.topics.session(vin, vin, kind)
                await up.gateway.publish(Publication(topic, encode(payload)))
                event = next(script, None)
        record = await up.recorder.finished(vin)
    finally:
        up.recorder.forget(vin)
        await up.cars.remove(vin)
    return Replayed(recording, tuple(compared), record)


def _compared(
    recorded: RecordedCall, output: str, reply: Reply, earlier: list[ComparedCall]
) -> ComparedCall:
    call = ComparedCall(recorded.tool, recorded.arguments, output, reply)
    if call.equal:
        return call
    return replace(call, difference=explanation(call, earlier))


async def _answer(up: ReplayRig, gateway: GatewaySide, call: RecordedCall) -> Reply:
    """Run one tool. A name that can stand in no topic is unknown without asking the car."""
    if TOOL_NAME.fullmatch(call.tool) is None:
        return Reply(
            call_id="",
            status="FAILURE",
            output=f"{NO_SUCH_TOOL}{call.tool}",
            revision_before=gateway.revision,
            revision_after=gateway.revision,
            error="UNKNOWN_TOOL",
        )
    topic = up.topics.command(gateway.vin, call.tool)
    command = Publication(topic, encode(gateway.command(call)))
    answer = await up.gateway.request(command, timeout_s=CALL_TIMEOUT_S)
    reply = decode(Reply, answer.payload)
    gateway.saw(reply)
    return reply
