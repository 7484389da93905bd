import threading

from tests.vehicle_bus.reading import room_taken
from vehicle_bus.broker.embedded import embedded_broker
from vehicle_bus.bus import Publication
from vehicle_bus.client.codec_link import Hello, codec_bus
from vehicle_bus.mqtt.exact_reads import READ_BYTES, ExactReads

LONG = b"x" * (3 * READ_BYTES)


async def test_a_message_on_the_bus_takes_no_more_room_than_it_needs() -> None:
    async with (
        embedded_broker() as port,
        codec_bus("127.0.0.1", port, Hello("a")) as bus,
        bus.subscribe("t") as heard,
    ):
        await bus.publish(Publication("t", b"first"))
        await anext(heard)
        with room_taken() as room:
            await bus.publish(Publication("t", b"second"))
            message = await anext(heard)
    assert message.payload == b"second"
    assert 0 < room.most < READ_BYTES / 4


async def test_a_message_longer_than_a_read_arrives_whole() -> None:
    async with (
        embedded_broker() as port,
        codec_bus("127.0.0.1", port, Hello("a")) as bus,
        bus.subscribe("t") as heard,
    ):
        await bus.publish(Publication("t", LONG))
        message = await anext(heard)
    assert message.payload == LONG


def test_loops_in_two_threads_do_not_read_into_the_same_place() -> None:
    here, there = ExactReads().get_buffer(-1), list[memoryview]()
    thread = threading.Thread(target=lambda: there.append(ExactReads().get_buffer(-1)))
    thread.start()
    thread.join()
    here[:4] = b"here"
    there[0][:5] = b"there"
    assert bytes(here[:4]) == b"here"
    assert ExactReads().get_buffer(-1) is here
