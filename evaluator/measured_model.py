"""How exactly the latency of an assistant behind an API is told: its model takes a known time.

The model is `codriver mock-llm`, and the assistant sits in a process of its own, as in life.
Drivers begin one after the other, so that no two of them speak at the same moment by design.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from assistant_gateway.access import NO_KEY, Access
from assistant_gateway.agents.client import Seat
from assistant_gateway.conversation import SessionPlan
from assistant_gateway.model import ModelChoice
from assistant_gateway.timeline import MS, sleep_until, wall_ns
from evaluator.agents import AgentChoice, served
from evaluator.endings import GO_ON, STOP
from evaluator.measured_bus import parked_car
from evaluator.measured_start import COMMAND
from evaluator.problems import InfraProblem
from evaluator.run import Bench
from user_sim.driver import driver_seat
from user_sim.script import Interjection
from user_sim.scripted import Decision

SESSIONS = 16
TURNS = 50
WARM_UP = 2
SPAN = "ttft_text"
ATTEND = "from evaluator.measured_model import attend; attend()"
SCRIPT = "otherwise: {say: Everything is as it should be.}\n"
TOKEN = "CODRIVER_TOKEN"


@dataclass(slots=True)
class Talkative:
    """A driver who asks the same again and again."""

    turns_left: int
    impatient_after_s: float | None = None

    def opening(self) -> str:
        return "How is the car?"

    def after_turn(self, heard: str) -> Decision:
        self.turns_left -= 1
        if not self.turns_left:
            return Decision(STOP, None, "that was all")
        return Decision(GO_ON, self.opening(), "")

    def after_silence(self) -> Decision:
        return self.after_turn("")

    def interjections(self, turn: int) -> tuple[Interjection, ...]:
        return ()

    def interrupted(self, heard: str, said: str) -> None:
        """It lets everybody finish."""


async def model_delay_errors_ns(
    up: Bench, delay_ms: int, *, sessions: int = SESSIONS, turns: int = TURNS
) -> list[int]:
    """By how much the first word was late, turn by turn, of a model that begins after a delay."""
    gate = up.gateway
    async with (
        _mock_model(delay_ms) as model_url,
        _process("-c", ATTEND, gate.url, model_url, str(sessions), token=gate.tokens.agent),
    ):
        await gate.agent_connected()
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
    vin = f"model-delay-{number}"
    up.recorder.expect(vin)
    up.gateway.announce(SessionPlan(vin, vin, pace="fast", max_steps=turns))
    async with (
        parked_car(up, vin),
        driver_seat(up.gateway.url, up.gateway.tokens.user) as seat,
    ):
        await seat.drive(vin, Talkative(turns))
        played = await up.gateway.result(vin)
        record = await up.recorder.finished(vin)
    up.recorder.forget(vin)
    spans = [turn.spans.get(SPAN) for turn in record.turns]
    told = [span for span in spans if span is not None]
    if len(told) < turns:
        raise InfraProblem(
            f"the assistant answered {len(told)} of {turns} turns ({played.infra or played.reason})"
        )
    return told[WARM_UP:]


@asynccontextmanager
async def _mock_model(delay_ms: int) -> AsyncIterator[str]:
    with tempfile.TemporaryDirectory(prefix="codriver-bench-") as folder:
        script = Path(folder) / "script.yaml"
        script.write_text(SCRIPT)
        options = ("--script", str(script), "--first-token-ms", str(delay_ms), "--port", "0")
        async with _process("-c", COMMAND, "mock-llm", *options) as process:
            assert process.stdout is not None
            url = (await process.stdout.readline()).decode().strip()
            if not url:
                raise InfraProblem("codriver mock-llm did not start")
            yield url


@asynccontextmanager
async def _process(*arguments: str, token: str = "") -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, TOKEN: token},
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def attend() -> None:
    """The process of the assistant: `GATEWAY MODEL_URL SOCKETS`, the token in the environment."""
    gateway, model_url, sockets = sys.argv[1:]
    choice = AgentChoice("openai", "mock", ModelChoice("mock", Access(model_url, NO_KEY)))
    asyncio.run(_attend(choice, gateway, int(sockets)))


async def _attend(choice: AgentChoice, gateway: str, sockets: int) -> None:
    seats: dict[str, Seat] = {}
    async with served(choice, seats.__getitem__) as serve, asyncio.TaskGroup() as tasks:
        for number in range(sockets):
            tasks.create_task(serve(gateway, os.environ[TOKEN]), name=f"agent {number}")
