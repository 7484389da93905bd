"""Whatever ends a command from outside ends it in one way."""

import asyncio
import os
import signal

import pytest

from evaluator import event_loop
from evaluator.event_loop import ENDING, run_async
from evaluator.problems import InfraProblem


@pytest.mark.parametrize("number", ENDING)
def test_what_breaks_while_everything_is_taken_down_is_an_interrupt_all_the_same(
    number: signal.Signals,
) -> None:
    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise KeyError("somebody else was faster")

    async def ended() -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(work(), name="work")
            await asyncio.sleep(0)
            os.kill(os.getpid(), number)

    before = signal.signal(number, signal.SIG_DFL)  # `nohup` would have it ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            run_async(ended())
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize("signals", [1, 2])
def test_a_clean_up_that_waits_for_ever_is_left_after_a_while_or_when_asked_twice(
    signals: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_loop, "ORDERLY_END_S", 60 if signals > 1 else 0.01)

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            try:
                await asyncio.Event().wait()  # such as for a broker that is gone
            finally:
                await asyncio.Event().wait()

    async def ended() -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(work(), name="work")
            for _ in range(signals):
                await asyncio.sleep(0)
                os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run_async(ended())


def test_who_was_started_with_nohup_outlives_the_terminal() -> None:
    async def closed() -> str:
        os.kill(os.getpid(), signal.SIGHUP)
        await asyncio.sleep(0)
        return "still there"

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert run_async(closed()) == "still there"
    finally:
        signal.signal(signal.SIGHUP, before)


def test_what_breaks_by_itself_is_reported() -> None:
    async def broken() -> None:
        raise InfraProblem("no disk")

    async def work() -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(broken(), name="broken")

    with pytest.raises(InfraProblem, match="no disk"):
        run_async(work())
