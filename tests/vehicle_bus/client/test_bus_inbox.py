import asyncio

import pytest

from vehicle_bus.bus import BusRefused, Message
from vehicle_bus.client.inbox import Inbox


def message(number: int) -> Message:
    return Message("t", b"%d" % number)


async def test_a_queue_is_full_at_its_size_and_has_room_again_when_half_empty() -> None:
    room: list[int] = []
    inbox = Inbox(4, lambda: room.append(1))
    for number in range(5):
        inbox.put(message(number))
    assert inbox.full
    await anext(inbox)
    await anext(inbox)
    assert (inbox.full, room) == (True, [])
    await anext(inbox)
    assert (inbox.full, room) == (False, [1])
    assert [m.payload for m in await inbox.batch()] == [b"3", b"4"]


async def test_a_queue_of_one_is_never_stuck() -> None:
    inbox = Inbox(1, lambda: None)
    inbox.put(message(0))
    assert inbox.full
    await anext(inbox)
    assert not inbox.full


async def test_closing_ends_the_iteration_after_the_last_message() -> None:
    inbox = Inbox(10, lambda: None)
    inbox.put(message(0))
    inbox.close()
    inbox.put(message(1))
    assert [m.payload async for m in inbox] == [b"0"]
    assert await inbox.batch() == []


async def test_an_error_reaches_everybody_who_waits() -> None:
    inbox = Inbox(10, lambda: None)

    async def wait() -> None:
        with pytest.raises(BusRefused, match="no"):
            await anext(inbox)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(3):
            tasks.create_task(wait())
        await asyncio.sleep(0)
        inbox.close(BusRefused("no"))
