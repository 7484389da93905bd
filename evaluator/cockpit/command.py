"""`codriver serve`: a car, an assistant and a page to talk to it, until it is interrupted."""

import asyncio
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from assistant_gateway.net.web import listening, serving
from assistant_gateway.timing.timeline import MS
from evaluator.cockpit.room import room
from evaluator.cockpit.site import site
from evaluator.live import LiveCar, LiveSettings, live_car
from evaluator.live.settings import CarRequest
from evaluator.run.agents import EXTERNAL
from evaluator.run_async import run_async
from vehicle_bus.world.world import World


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What is shown and where: settings of the bench, the car, and the port of the page."""

    settings: LiveSettings
    world: World
    wish: CarRequest
    port: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A page that is up: its address, with the token, and the car on it."""

    url: str
    car: LiveCar


def serve(show: ServeOptions) -> None:
    """Show until interrupted; raises `Problem`."""
    try:
        run_async(_serve(show))
    except KeyboardInterrupt:
        return


async def _serve(show: ServeOptions) -> None:
    async with shown(show) as page:
        gate = page.car.stage.gateway
        sys.stdout.write(f"{page.url}\n")
        sys.stdout.flush()
        address = page.car.stage.address
        sys.stderr.write(
            f"{show.settings.agent.name} in {page.car.vin}, on the broker at "
            f"{address.host}:{address.port}; open the address above, Ctrl-C ends it\n"
        )
        if show.settings.agent.kind in EXTERNAL:
            sys.stderr.write(
                f"your assistant connects to {gate.url}/agent "
                f"with 'Authorization: Bearer {gate.tokens.agent}'\n"
            )
        await asyncio.Event().wait()


@asynccontextmanager
async def shown(show: ServeOptions) -> AsyncIterator[Shown]:
    """Entered means that the page can be opened; raises `PortTaken`."""
    settings = show.settings
    with listening("127.0.0.1", show.port) as at:
        port, token = at.getsockname()[1], secrets.token_urlsafe(12)
        async with live_car(settings, show.world, show.wish) as car:
            about = {
                "agent": settings.agent.name,
                "setting": _setting(settings),
                "turn_classes": show.wish.budgets,
                "word_ms": settings.speech.assistant_word_ns / MS,
            }
            async with (
                room(car, show.world, about, settings.budgets_in(show.wish)) as opened,
                serving(site(opened, token, port), at, "page"),
            ):
                yield Shown(f"http://127.0.0.1:{port}/?token={token}", car)


def _setting(settings: LiveSettings) -> str:
    """How fast the agent is, where that is not its own doing."""
    if not settings.agent.in_process or settings.latency_profile == "zero":
        return ""
    return f"latency of {settings.latency_profile}"
