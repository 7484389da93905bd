"""How exactly the latency of an assistant behind an API is measured: its model has a known delay.

The model is `codriver mock-llm`, and the assistant is a process of its own.
Drivers begin one after the other, so that no two of them speak at the same moment by design. One
more talks before them: whoever comes first would be late by what all have to load, and so fall in
with the second.
"""

import asyncio
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from assistant_gateway.agents.client import PacedAgent
from assistant_gateway.models.access import NO_KEY, Access
from assistant_gateway.models.model import ModelChoice
from assistant_gateway.timing.timeline import MS, sleep_until, wall_ns
from evaluator.event_loop import on_uvloop
from evaluator.measuring.rig.own_process import own_process
from evaluator.measuring.rig.players import LocalDrivers, serve_until_end
from evaluator.measuring.rig.small_talk import SmallTalk, first_words_ns, play_small_talk
from evaluator.measuring.start import COMMAND
from evaluator.problems import InfraProblem
from evaluator.run.agents import AgentChoice, served
from evaluator.run.units import Bench

WARM_UP = 2
SCRIPT = "otherwise: {say: Everything is as it should be.}\n"


async def model_delay_errors_ns(
    up: Bench, delay_ms: int, *, sessions: int, turns: int
) -> list[int]:
    """By how much the first word was late, turn by turn, of a model that begins after a delay."""
    gate = up.gateway
    async with (
        _mock_model(delay_ms) as model_url,
        own_process(serve_model_agent, gate.url, gate.tokens.agent, model_url, sessions),
    ):
        await gate.agents_connected(sessions)
        drivers = LocalDrivers(SmallTalk(), gate.url, gate.tokens.user)
        await play_small_talk(up, "model-delay-first", WARM_UP, drivers)
        started_ns = wall_ns()
        async with asyncio.TaskGroup() as tasks:
            talks = [
                tasks.create_task(
                    _talk(up, number, turns, started_ns + number * delay_ms * MS // sessions),
                    name=f"driver {number}",
                )
                for number in range(sessions)
            ]
    return [took_ns - delay_ms * MS for talk in talks for took_ns in talk.result()]


async def _talk(up: Bench, number: int, turns: int, begin_ns: int) -> list[int]:
    await sleep_until(begin_ns)
    drivers = LocalDrivers(SmallTalk(), up.gateway.url, up.gateway.tokens.user)
    record = await play_small_talk(up, f"model-delay-{number}", turns, drivers)
    first_ns = first_words_ns(record)
    if len(first_ns) < turns:
        raise InfraProblem(f"the assistant answered {len(first_ns)} of {turns} turns")
    return first_ns[WARM_UP:]


@asynccontextmanager
async def _mock_model(delay_ms: int) -> AsyncIterator[str]:
    with tempfile.TemporaryDirectory(prefix="codriver-bench-") as folder:
        script = Path(folder) / "script.yaml"
        script.write_text(SCRIPT)
        options = ["--script", str(script), "--first-token-ms", str(delay_ms), "--port", "0"]
        if on_uvloop():
            options.append("--uvloop")
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", COMMAND, "mock-llm", *options),
            stdin=DEVNULL,
            stdout=PIPE,
            process_group=0,
        )
        try:
            assert process.stdout is not None
            url = (await process.stdout.readline()).decode().strip()
            if not url:
                raise InfraProblem("codriver mock-llm did not start")
            yield url
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


async def serve_model_agent(
    orders: asyncio.StreamReader, url: str, token: str, model_url: str, sockets: int
) -> None:
    """The process of the assistant."""
    choice = AgentChoice("openai", "mock", ModelChoice("mock", Access(model_url, NO_KEY)))
    agents: dict[str, PacedAgent] = {}
    async with served(choice, agents.__getitem__) as serve:
        await serve_until_end(orders, lambda: serve(url, token), sockets)
