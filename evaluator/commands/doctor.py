"""`codriver doctor`: does this machine have what a run needs, and what to do if not."""

import asyncio
import logging
import os
import platform
import resource
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager, redirect_stdout, suppress
from dataclasses import asdict, dataclass, replace
from io import StringIO
from typing import Literal

from assistant_gateway.models.access import environment
from assistant_gateway.sound.voice import INSTALL, WITHOUT, NoSynthesiser, espeak
from assistant_gateway.timing.timeline import MS, wall_ns
from assistant_gateway.wording.spoken import counted
from evaluator.event_loop import run_async
from evaluator.options import RunOptions
from evaluator.problems import InfraProblem, Problem, first_cause
from evaluator.run.settings import run_settings
from evaluator.run.units import Bench, RunSettings, bench
from evaluator.task.worlds import own_world
from evaluator.views.printing import print_json, print_rich
from evaluator.workers.ray_cluster import check_on, connected
from evaluator.workers.sizes import AUTO
from vehicle_bus.broker.choose import connect
from vehicle_bus.bus import Bus, BusError, Publication
from vehicle_bus.car.state import CarSetup
from vehicle_bus.contract import Command, Reply, decode, encode
from vehicle_bus.vehicle import Vehicle

VIN = "doctor"
OPEN_FILES = 1024


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was examined; `advice` says what to do when it is not ok."""

    name: str
    state: Literal["ok", "note", "failed"]
    detail: str
    advice: str = ""


def examine(broker: str, on: str = "", *, as_json: bool) -> None:
    """Print all checks, with those of a cluster if one is named; `InfraProblem` if one failed."""
    check_on(RunOptions(on=on))
    settings = replace(run_settings(RunOptions(broker=broker), "doctor"), bus_agents=(VIN,))
    with _refusals_unlogged():
        checks = run_async(_examine(settings))
    if on:
        with redirect_stdout(StringIO()):  # Ray prints there what happens to nodes
            checks.append(_cluster(on))
    failed = [check.name for check in checks if check.state == "failed"]
    if as_json:
        print_json({"ok": not failed, "findings": [asdict(check) for check in checks]})
    else:
        print_rich(*(_line(check) for check in checks))
    if failed:
        raise InfraProblem(f"not ready: {', '.join(failed)}")
    if not as_json:
        print_rich(_ready(broker, [check.name for check in checks if check.state == "note"]))


@contextmanager
def _refusals_unlogged() -> Iterator[None]:
    """A check tries what the broker has to refuse."""
    log = logging.getLogger("vehicle_bus.broker")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


def _ready(broker: str, notes: Sequence[str]) -> str:
    """What to do next; a broker that was given by URL may hold a password and is not repeated."""
    found = f"ready, but see {', '.join(notes)}" if notes else "ready"
    chosen = "" if broker == "auto" else f" --broker {'URL' if '://' in broker else broker}"
    return f"{found}; next: codriver run --agent rules{chosen}"


def _line(check: Check) -> str:
    advice = f"; {check.advice}" if check.advice and check.state != "ok" else ""
    return f"{check.state:<7}{check.name:<14}{check.detail}{advice}"


def _cluster(on: str) -> Check:
    """Whether workers could begin there."""
    try:
        ray = connected(on, AUTO)
    except Problem as problem:
        return Check("cluster", "failed", str(problem))
    try:
        nodes = [node for node in ray.nodes() if node["Alive"]]
        cpus = int(ray.cluster_resources().get("CPU", 0))
    finally:
        ray.shutdown()
    return Check(
        "cluster",
        "ok" if cpus else "failed",
        f"Ray {ray.__version__}: {counted(len(nodes), 'node')}, {counted(cpus, 'CPU')}",
        "there is no CPU for a worker; start nodes",
    )


async def _examine(settings: RunSettings) -> list[Check]:
    return [*_machine(), await _voice(), *[check async for check in _bench(settings)]]


def _machine() -> list[Check]:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    busy, cores = os.getloadavg()[0], os.cpu_count() or 1
    keyed = bool(environment().get("OPENAI_API_KEY"))
    return [
        Check("python", "ok", f"{platform.python_version()} on {platform.platform()}"),
        Check(
            "open files",
            "ok" if soft >= OPEN_FILES else "note",
            f"limit {soft}",
            f"for many sessions raise it: ulimit -n {OPEN_FILES * 4}",
        ),
        Check(
            "load",
            "ok" if busy < cores else "note",
            f"{busy:.1f} on {cores} cores",
            "latencies of a busy machine are not exact; end other programs first",
        ),
        Check(
            "model key",
            "ok" if keyed else "note",
            "OPENAI_API_KEY is set" if keyed else "no OPENAI_API_KEY",
            "needed only for a model behind an API (agent, driver or judge)",
        ),
    ]


async def _voice() -> Check:
    try:
        return Check("voice", "ok", (await espeak()).name)
    except NoSynthesiser:
        return Check("voice", "note", WITHOUT, f"needed only for sound: {INSTALL}")


async def _bench(settings: RunSettings) -> AsyncIterator[Check]:
    try:
        async with bench(settings, own_world()) as up, asyncio.timeout(20):
            kind, client = up.address.kind, up.address.client
            yield Check("broker", "ok", f"{kind} on port {up.address.port}, {client} client")
            await up.cars.place(VIN, Vehicle(CarSetup(), up.world))
            yield await _round_trip(up)
            yield Check("gateway", "ok", f"listens at {up.gateway.url}")
            yield await _access(up)
            await up.cars.remove(VIN)
    except (BaseExceptionGroup, BusError, OSError, TimeoutError) as error:
        cause = first_cause(error)
        yield Check("broker", "failed", str(cause) or type(cause).__name__, "see --broker")


async def _round_trip(up: Bench) -> Check:
    """A command to the car and its answer, the median of many."""
    gateway = up.buses[1]
    topic = up.settings.topics.command(VIN, "get_climate_settings")
    took_ns = []
    for number in range(50):
        command = Command(src=gateway.client_id, call_id=str(number))  # 3.1.1 answers to src
        started_ns = wall_ns()
        answer = await gateway.request(Publication(topic, encode(command)), timeout_s=5)
        took_ns.append(wall_ns() - started_ns)
        assert decode(Reply, answer.payload).status == "SUCCESS"
    median_ms = sorted(took_ns)[len(took_ns) // 2] / MS
    return Check(
        "car",
        "ok" if median_ms < 20 else "note",
        f"answers in {median_ms:.1f} ms (median of {len(took_ns)})",
        "latencies shorter than this cannot be measured; a mosquitto of your own answers faster "
        "with `set_tcp_nodelay true`",
    )


async def _access(up: Bench) -> Check:
    """An agent on the bus must not read the topics that its score comes from."""
    if up.address.access is None:
        advice = "let agents log in with a user that may not read snapshot, control and verdict"
        return Check(
            "access rules",
            "note",
            "not checked: an external broker has its own access rules",
            advice,
        )
    async with connect(up.address, "agent", vin=VIN) as agent:
        seen = await readable(up, agent, VIN)
    if seen:
        advice = "do not let agents onto this broker"
        return Check("access rules", "failed", f"an agent can read {', '.join(seen)}", advice)
    return Check("access rules", "ok", "an agent cannot read what it is judged by")


async def readable(up: Bench, agent: Bus, vin: str) -> list[str]:
    """Which secret topics an agent can read; something is published on each of them.

    Brokers may grant a subscription and deliver nothing, so only what arrives counts.
    """
    car, gateway, evaluator = up.buses
    topics = up.settings.topics
    secrets = (
        ("snapshot", car, topics.snapshot(vin)),
        ("control", gateway, topics.session(vin, vin, "control")),
        ("frames", gateway, topics.session(vin, vin, "frame")),
        ("verdict", evaluator, topics.session(vin, vin, "verdict")),
        ("another car", car, topics.event(f"{vin}-another", "noise")),
    )
    fence = topics.event(vin, "noise")
    received: set[str] = set()
    async with AsyncExitStack() as stack:
        queues = [await stack.enter_async_context(agent.subscribe(fence))]
        for _, _, topic in secrets:
            with suppress(BusError):
                queues.append(await stack.enter_async_context(agent.subscribe(topic)))
        for _, sender, topic in secrets:
            await sender.publish(Publication(topic, b"{}"))
        await car.publish(Publication(fence, b"{}"))
        async with asyncio.timeout(10):
            await anext(queues[0])
        for queue in queues[1:]:
            with suppress(TimeoutError):
                async with asyncio.timeout(0):
                    received |= {message.topic for message in await queue.batch()}
    return [name for name, _, topic in secrets if topic in received]
