"""The driver speaks while the assistant speaks: over a real broker and real sockets."""

import asyncio

from assistant_gateway.protocol import AgentSpeechStart, Interrupt, ResponseTextDelta
from evaluator.live import LiveCar
from evaluator.live.reply import Reply
from evaluator.record.record import Record
from tests.evaluator.live.test_live_car import a_car

QUESTION = "How far is it to Graz?"


def audible(seen: Record) -> bool | None:
    return any(isinstance(frame.body, AgentSpeechStart) for frame in seen.frames) or None


async def cut(car: LiveCar) -> Reply:
    """Ask, and interrupt the answer as soon as it is audible."""
    async with asyncio.TaskGroup() as tasks:
        asked = tasks.create_task(car.say(QUESTION), name="driver")
        await car.observer.until(audible)
        await car.interrupt()
    return asked.result()


async def test_an_interrupted_answer_is_what_was_heard_and_the_next_words_count() -> None:
    async with a_car(pace="live", typed=True) as car:
        reply = await cut(car)
        said = "".join(
            frame.body.delta
            for frame in car.observer.since().frames
            if isinstance(frame.body, ResponseTextDelta)
        )
        assert not reply.turn.handed_over
        assert said.startswith(reply.text)
        assert len(reply.text) < len(said)
        again = await car.say("Switch on the fog lights.")
        assert again.turn.turn == 2
        assert "fog" in again.turn.heard_user
        [interrupt] = [f.body for f in car.observer.since().frames if isinstance(f.body, Interrupt)]
        assert interrupt.heard_text == reply.text


async def test_an_interruption_while_nobody_speaks_does_nothing() -> None:
    async with a_car(typed=True) as car:
        await car.interrupt()
        reply = await car.say("Switch on the fog lights.")
        await car.interrupt()
        assert reply.turn.handed_over


async def test_after_an_interruption_without_words_one_can_hang_up() -> None:
    async with a_car(pace="live", typed=True) as car:
        await cut(car)
        await car.new_conversation()
        reply = await car.say("Switch on the fog lights.")
        assert reply.turn.turn == 1


async def test_after_an_interruption_without_words_one_can_end_the_task() -> None:
    async with a_car(pace="live", typed=True) as car:
        await cut(car)
        await car.end_conversation("STOP")
        record = await car.observer.until(lambda seen: seen if seen.end else None)
        assert record.end is not None
        assert (record.end.reason, len(record.turns)) == ("STOP", 1)
        assert [(control.word, control.turn) for control in record.controls] == [("STOP", 1)]
