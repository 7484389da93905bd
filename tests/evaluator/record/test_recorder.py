import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from evaluator.record.record import Entry
from evaluator.record.recorder import Recorder, recorder
from tests.evaluator.episodes import Episode
from vehicle_bus.broker.choose import broker, connect
from vehicle_bus.bus import Bus, Message, Publication
from vehicle_bus.contract import Topics

TOPICS = Topics()


def episode(vin: str) -> Episode:
    return Episode(vin=vin).call("set_fan_speed", level=2).turn().end()


def messages(vin: str, entries: Iterable[Entry]) -> list[Message]:
    return [Message(f"{TOPICS.prefix}/{vin}/{entry.rest}", entry.payload) for entry in entries]


def listening(*vins: str) -> Recorder:
    listener = Recorder(TOPICS)
    for vin in vins:
        listener.expect(vin)
    return listener


@asynccontextmanager
async def on_a_bus() -> AsyncIterator[tuple[Bus, Bus, Recorder]]:
    """A car's and a gateway's connection, and a recorder on its own."""
    async with (
        broker(None, prefer="embedded") as address,
        connect(address, "car") as car,
        connect(address, "gateway") as gateway,
        connect(address, "evaluator") as evaluator,
        recorder(evaluator, TOPICS) as listener,
    ):
        yield car, gateway, listener


async def play(car: Bus, gateway: Bus, played: Episode) -> None:
    for bus, src in ((gateway, "gateway"), (car, "car")):
        entries = [entry for entry in played.entries if entry.src == src]
        topics = [message.topic for message in messages(played.vin, entries)]
        await bus.publish_all(
            [
                Publication(topic, entry.payload)
                for topic, entry in zip(topics, entries, strict=True)
            ]
        )


async def test_an_episode_over_a_real_broker_is_recorded_whole() -> None:
    played = episode("car-1")
    async with on_a_bus() as (car, gateway, listener):
        listener.expect("car-1")
        await play(car, gateway, played)
        record = await listener.finished("car-1")
    assert record.gap is None
    assert sorted(e.order for e in record.entries) == sorted(e.order for e in played.entries)
    assert record.calls == played.record.calls
    assert all(entry.mono_ns for entry in record.entries)


async def test_many_episodes_at_once_do_not_mix() -> None:
    episodes = [episode(f"car-{number}") for number in range(20)]
    async with on_a_bus() as (car, gateway, listener):
        for played in episodes:
            listener.expect(played.vin)
        async with asyncio.TaskGroup() as tasks:
            for played in episodes:
                tasks.create_task(play(car, gateway, played), name=played.vin)
        for played in episodes:
            record = await listener.finished(played.vin)
            assert record.gap is None
            assert len(record.entries) == len(played.entries)


async def test_finished_waits_for_what_end_announced() -> None:
    listener = listening("car-1")
    *early, late = messages("car-1", reversed(episode("car-1").entries))
    listener.take(early)
    async with asyncio.TaskGroup() as tasks:
        record = tasks.create_task(listener.finished("car-1"))
        await asyncio.sleep(0)
        assert not record.done()
        listener.take([late])
    assert record.result().gap is None


async def test_a_gap_is_given_up_on_and_the_record_kept() -> None:
    listener = listening("car-1")
    played = messages("car-1", episode("car-1").entries)
    listener.take(played[:2] + played[3:])
    record = await listener.finished("car-1", gap_timeout_s=0.01)
    assert len(record.entries) == len(played) - 1
    assert list(record.missing()) == ["gateway"]


async def test_without_an_end_the_record_says_so() -> None:
    listener = listening("car-1")
    listener.take(messages("car-1", Episode(vin="car-1").entries))
    record = await listener.finished("car-1", gap_timeout_s=0.01)
    assert record.end is None
    assert record.gap is not None


async def test_what_is_delivered_twice_is_recorded_once() -> None:
    listener = listening("car-1")
    played = messages("car-1", episode("car-1").entries)
    listener.take([message for message in played for _ in range(2)])
    assert len((await listener.finished("car-1")).entries) == len(played)


async def test_only_expected_vins_are_recorded_and_only_until_finished() -> None:
    listener = listening("car-1")
    listener.take(messages("car-2", episode("car-2").entries))
    listener.take([Message("elsewhere/car-1/snapshot", b"{}"), Message("codriver/v1/car-1", b"{}")])
    assert listener.partial("car-1").entries == ()
    listener.take(messages("car-1", episode("car-1").entries))
    whole = await listener.finished("car-1")
    listener.take(messages("car-1", whole.entries))
    listener.expect("car-1")
    assert listener.partial("car-1").entries == ()


def test_clearing_a_retained_topic_is_no_message() -> None:
    listener = listening("car-1")
    listener.take([Message("codriver/v1/car-1/snapshot", b"", retain=True)])
    assert listener.partial("car-1").entries == ()


def test_a_partial_record_grows() -> None:
    listener = listening("car-1")
    played = messages("car-1", episode("car-1").entries)
    listener.take(played[:3])
    assert len(listener.partial("car-1").entries) == 3
    listener.take(played[3:])
    assert listener.partial("car-1").gap is None
