"""Hostile peers, bus clients and model servers, beside good sessions in the same event loop."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from random import Random
from time import monotonic, monotonic_ns, thread_time_ns

import orjson
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from websockets.exceptions import ConnectionClosed

from assistant_gateway.agents.chat.agent import ChatAgent
from assistant_gateway.agents.chat.request_options import RequestOptions
from assistant_gateway.agents.remote import AgentFailed, AgentUnavailable
from assistant_gateway.models.access import Access
from assistant_gateway.models.errors import ModelUnusable
from assistant_gateway.models.model import ModelChoice
from assistant_gateway.protocol import FROM_AGENT
from evaluator.run.units import bench
from tests.assistant_gateway.agents.test_openai_chat import START, all_of
from tests.assistant_gateway.chat_server import called, chat_server, said
from tests.assistant_gateway.gateways import VIN, Rig, raw, rig
from tests.assistant_gateway.mock_models import KEY, QUICK
from tests.evaluator.runs import OWN, play_units, settings
from tests.torture.figures import Figures
from tests.torture.mutation import mutated
from vehicle_bus.broker.choose import connect
from vehicle_bus.bus import BusError, Publication
from vehicle_bus.contract import Clock, Command, FaultOrder, Stamped, Topics, encode

TOPICS = Topics()
GOOD = OWN.tasks[::12]
LIMIT_S = 30.0
SAMPLE_S = 0.01
FRAMES = [
    orjson.dumps({"type": kind, "cid": "c1", "data": data})
    for kind in FROM_AGENT
    for data in (
        {"delta": "hello "},
        {"name": "set_fan_speed", "arguments": {"level": 3}},
        {"status": "completed", "usage": {"input_tokens": 1}},
        {"code": "x", "message": "y"},
        {"upto_seq": 1},
    )
]
CONNECT = b"\x10\x10\x00\x04MQTT\x05\x02\x00\x3c\x00\x00\x03abc"
STREAM = [orjson.dumps(chunk) for chunk in (*said("Yes."), *called(("c", "set_fan_speed", "{}")))]


async def torture(figures: Figures, for_s: float, random: Random) -> None:
    """Good units one after the other, and beside them hostile input of all kinds."""
    until_s = monotonic() + for_s
    hostile = (_fuzz_agent, _fuzz_bus, _fuzz_model)
    with _counting(figures):
        async with _watched(figures), asyncio.TaskGroup() as tasks:
            tasks.create_task(_good_units(figures, until_s))
            while monotonic() < until_s:
                attack = random.choice(hostile)
                try:
                    async with asyncio.timeout(LIMIT_S):
                        await attack(figures, random)
                except TimeoutError:
                    figures.found("hangs", f"{attack.__name__} was not over in {LIMIT_S:g} s")


async def _good_units(figures: Figures, until_s: float) -> None:
    async with bench(settings(pace="fast", max_concurrency=2), OWN.world) as up:
        trial = 0
        while monotonic() < until_s:
            trial += 1
            for played in await play_units(up, GOOD):
                figures.good_units += 1
                if played.score.reward != 1.0:
                    name = played.unit.task.task_id
                    figures.found("spoilt", f"{name}: {played.score.outcome} {played.score.reason}")


async def _fuzz_agent(figures: Figures, random: Random) -> None:
    """An agent that answers with whatever it likes, then leaves or is hung up on."""
    async with rig(pace=random.choice(("fast", "live"))) as rigged:
        await _knock(figures, rigged, random)
        async with raw(rigged, "user") as user, raw(rigged, "agent") as agent:
            await user.send("session.open", scenario_id=VIN)
            await agent.until("session.start")
            await agent.send("session.ready", name="hostile")
            await user.until("session.opened")
            await user.send("user.speech.start", utt="1", planned_words=["hello"])
            await agent.until("input.transcript.final")
            with suppress(ConnectionClosed, AttributeError):  # our end may be lost while it writes
                for _ in range(random.choice((10, 200, 3000))):
                    figures.inputs += 1
                    frame = mutated(random.choice(FRAMES), random)
                    await agent.socket.send(frame, text=random.random() < 0.9)
            if random.random() < 0.5:
                figures.cuts += 1
                agent.socket.transport.abort()
            with suppress(ConnectionClosed):
                await user.send("user.hangup")
            await rigged.result()


async def _knock(figures: Figures, rigged: Rig, random: Random) -> None:
    """Bytes that are no handshake."""
    request = b"GET /agent HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer y\r\n\r\n"
    for _ in range(5):
        figures.inputs += 1
        figures.cuts += 1
        await _send_bytes(rigged.gateway.port, mutated(request, random))


async def _send_bytes(port: int, data: bytes) -> None:
    with suppress(ConnectionError):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(data)
        await writer.drain()
        writer.transport.abort()


async def _fuzz_bus(figures: Figures, random: Random) -> None:
    """Clients that send packets that are none, and payloads to a car that still has to answer."""
    async with rig() as rigged, connect(rigged.address, "gateway") as bus:
        for _ in range(20):
            figures.inputs += 1
            figures.cuts += 1
            await _send_bytes(rigged.address.port, mutated(CONNECT, random))
        for _ in range(random.choice((10, 300))):
            figures.inputs += 1
            with suppress(BusError):
                await bus.publish(_odd_publication(random))
        command = encode(Command(src="gateway", call_id="sane"))
        asked = Publication(TOPICS.command(VIN, "get_climate_settings"), command)
        try:
            await bus.request(asked, timeout_s=10)
        except BusError as error:
            figures.found("lost", f"the car does not answer after odd payloads: {error}")


def _odd_publication(random: Random) -> Publication:
    number = random.choice((0, 1, -1, 1 << 52, 1 << 53, 1 << 61, 10**18))
    pace = random.choice(("live", "fast", "virtual"))
    fault = {"kind": "delay", "delay_ms": 1, "tool": random.choice((".*", "((a+)+)+x"))}
    topic, payload = random.choice(
        (
            (TOPICS.command(VIN, "set_fan_speed"), Command(call_id="c", at_ns=number, n=1)),
            (TOPICS.clock(VIN), Clock(t_ns=abs(number), pace=pace)),
            (TOPICS.fault(VIN), FaultOrder(fault=fault)),
        )
    )
    assert isinstance(payload, Stamped)
    written = encode(payload)
    return Publication(topic, mutated(written, random) if random.random() < 0.7 else written)


async def _fuzz_model(figures: Figures, random: Random) -> None:
    """A server of models whose stream is odd or stops."""
    stream = [mutated(chunk, random) if random.random() < 0.4 else chunk for chunk in STREAM]
    figures.inputs += 1
    ending = random.choice((b"", b"data: [DONE]\n\n"))
    figures.cuts += not ending
    async with (
        chat_server(*[stream] * 20, ending=ending) as chat,
        AsyncOpenAI(
            api_key=KEY,
            base_url=chat.url,
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(verify=False),  # certificates take long to read
        ) as client,
    ):
        choice = ModelChoice("mock", Access(chat.url, KEY))
        agent = ChatAgent(client, choice, RequestOptions(), START, QUICK)
        try:
            await all_of(agent.heard("Hello."))
        except (AgentFailed, AgentUnavailable, ModelUnusable):
            pass
        except Exception as error:
            figures.found("tracebacks", f"{stream!r}: {error!r}")


# --- what is watched


@asynccontextmanager
async def _watched(figures: Figures) -> AsyncIterator[None]:
    """The longest time for which one step kept the loop busy; other programs do not count."""
    watching = asyncio.create_task(_watch(figures), name="watch the loop")
    try:
        yield
    finally:
        watching.cancel()


async def _watch(figures: Figures) -> None:
    while True:
        before_ns, computed_ns = monotonic_ns(), thread_time_ns()
        await asyncio.sleep(SAMPLE_S)
        computed_ms = (thread_time_ns() - computed_ns) / 1e6
        late_ms = (monotonic_ns() - before_ns) / 1e6 - SAMPLE_S * 1000
        figures.blocked_ms = max(figures.blocked_ms, round(min(late_ms, computed_ms), 1))


class _counting(logging.Handler):
    """Counts what is logged with a traceback."""

    def __init__(self, figures: Figures) -> None:
        super().__init__(logging.ERROR)
        self._figures = figures

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self._figures.found("tracebacks", self.format(record)[-1500:])

    def __enter__(self) -> None:
        logging.getLogger().addHandler(self)

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self)
