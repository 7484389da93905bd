"""`codriver serve`: a car, an assistant and a page to talk to it, until it is interrupted."""

import asyncio
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from assistant_gateway.net.web import listening, serving
from assistant_gateway.timing.timeline import MS
from evaluator.cockpit.stored_runs import stored_runs
from evaluator.cockpit.viewers import viewers
from evaluator.cockpit.web_server import HEADERS, web_app
from evaluator.event_loop import run_until_interrupted
from evaluator.live import LiveCar, LiveSettings, live_car
from evaluator.live.settings import CarRequest
from evaluator.run.agents import EXTERNAL
from evaluator.views.captions import FAULTS, caption
from vehicle_bus.broker.address import BrokerAddress
from vehicle_bus.world.world import World

RUNS = Path("runs")  # where `run` stores them


@dataclass(frozen=True, slots=True)
class Shown:
    """A page that can be opened: its address, with the token, and the car on it."""

    url: str
    car: LiveCar


def serve(
    settings: LiveSettings, world: World, request: CarRequest, port: int, runs: Path = RUNS
) -> None:
    """Show a car until interrupted; raises `Problem`."""
    run_until_interrupted(_serve(settings, world, request, port, runs))


async def _serve(
    settings: LiveSettings, world: World, request: CarRequest, port: int, runs: Path
) -> None:
    async with shown(settings, world, request, port, runs) as page:
        gate = page.car.servers.gateway
        sys.stdout.write(f"{page.url}\n")
        sys.stdout.flush()
        sys.stderr.write(
            f"{settings.agent.name} in {page.car.vin}; open the address above, Ctrl-C ends it\n"
            f"{watching(page.car.servers.address, page.car.vin)}\n"
        )
        if settings.agent.kind in EXTERNAL:
            sys.stderr.write(
                f"your assistant connects to {gate.url}/agent "
                f"with 'Authorization: Bearer {gate.tokens.agent}'\n"
            )
        await asyncio.Event().wait()


@asynccontextmanager
async def shown(
    settings: LiveSettings, world: World, request: CarRequest, port: int, runs: Path = RUNS
) -> AsyncIterator[Shown]:
    """Entered means that the page can be opened; raises `PortTaken`."""
    with listening("127.0.0.1", port) as at:
        port, token = at.getsockname()[1], secrets.token_urlsafe(12)
        async with live_car(settings, world, request) as car:
            about = {
                "agent": settings.agent.name,
                "setting": setting_of(settings),
                "turn_classes": request.effective_turn_classes,
                "word_ms": settings.speech.assistant_word_ns / MS,
            }
            async with (
                viewers(car, world, about, settings.budgets_in(request), request) as opened,
                stored_runs(runs, HEADERS) as stored,
                serving(web_app(opened, stored, token, port), at, "page"),
            ):
                yield Shown(f"http://127.0.0.1:{port}/?token={token}", car)


def watching(address: BrokerAddress, vin: str) -> str:
    """How another MQTT client may watch the car; nobody is let into a broker that is closed."""
    if address.access is not None:
        return "its broker lets nobody else in; for other MQTT clients add --broker-port 1883"
    return f"watch: mosquitto_sub {address.client_options} -t '{address.prefix}/{vin}/#' -v"


def setting_of(settings: LiveSettings) -> str:
    """The latency profile, where one is simulated, and the injected faults."""
    paced = settings.agent.in_process and settings.latency_profile != "zero"
    kinds = dict.fromkeys(caption(FAULTS, fault.kind) for fault in settings.faults)
    parts = [f"latency of {settings.latency_profile}"] if paced else []
    return "; ".join([*parts, *([f"injected faults: {', '.join(kinds)}"] if kinds else [])])
