"""`codriver serve`: cars, assistants and a page to talk to them, until it is interrupted."""

import asyncio
import secrets
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from assistant_gateway.net.web import listening, serving
from evaluator.cockpit.access import Access, reachable_name
from evaluator.cockpit.cockpit import Cockpit, cockpit
from evaluator.cockpit.stored_runs import stored_runs
from evaluator.cockpit.web_server import web_app
from evaluator.event_loop import run_until_interrupted
from evaluator.live import LiveCar
from evaluator.options import ServeOptions
from evaluator.person.wizard_seat import WizardSeat
from evaluator.record.record import State
from evaluator.results.manifest import WIZARD
from evaluator.run.agents import EXTERNAL, named
from evaluator.task.selection import load_world
from vehicle_bus.broker.address import BrokerAddress
from vehicle_bus.world.world import World

Beside = Callable[[WizardSeat], AbstractAsyncContextManager[None]]


@dataclass(frozen=True, slots=True)
class Shown:
    """A page that can be opened: its address, with the token, and what it shows."""

    url: str
    cockpit: Cockpit

    @property
    def car(self) -> LiveCar:
        """The car of the first assistant."""
        return self.cockpit.car


def serve(options: ServeOptions, beside: Beside) -> None:
    """Show cars until interrupted; raises `Problem`.

    `beside` is where else than on the page a person may play the assistant.
    """
    run_until_interrupted(_serve(options, beside))


async def _serve(options: ServeOptions, beside: Beside) -> None:
    async with (
        shown(options, load_world(options.tasks_from, options.world)) as page,
        beside(page.cockpit.wizard),
    ):
        sys.stdout.write(f"{page.url}\n")
        sys.stdout.flush()
        cars = ", ".join(f"{lane.agent} in {lane.car.vin}" for lane in page.cockpit.lanes)
        sys.stderr.write(
            f"{cars}; open the address above, Ctrl-C ends it\n"
            f"{watching(page.car.servers.address, page.car.vin)}\n"
        )
        for each in page.cockpit.lanes:
            gate = each.car.servers.gateway
            if named(each.agent)[0] in EXTERNAL:
                sys.stderr.write(
                    f"your assistant connects to {gate.url}/agent "
                    f"with 'Authorization: Bearer {gate.tokens.agent}'\n"
                )
        if WIZARD in (options.agent, options.agent_b):
            sys.stderr.write(f"you play the assistant at {page.url}#wizard\n")
        await asyncio.Event().wait()


@asynccontextmanager
async def shown(
    options: ServeOptions, world: World, start: State | None = None
) -> AsyncIterator[Shown]:
    """Entered means that the page can be opened; raises `PortTaken` and `Problem`."""
    with listening(options.host, options.port) as at:
        port, token = at.getsockname()[1], secrets.token_urlsafe(12)
        access = Access(token, options.host)
        async with (
            cockpit(options, world, start) as opened,
            stored_runs(options.runs) as stored,
            serving(web_app(opened, stored, access), at, "page"),
        ):
            yield Shown(f"http://{reachable_name(options.host)}:{port}/?token={token}", opened)


def watching(address: BrokerAddress, vin: str) -> str:
    """How another MQTT client may watch the car; nobody is let into a broker that is closed."""
    if address.access is not None:
        return "its broker lets nobody else in; for other MQTT clients add --broker-port 1883"
    return f"watch: mosquitto_sub {address.client_options} -t '{address.prefix}/{vin}/#' -v"
