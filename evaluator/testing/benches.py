"""The benches of one pytest session: one for each agent and broker that tests ask for."""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from evaluator.live import LiveBench, LiveSettings, live_bench
from evaluator.run.agent_process import connecting_agent
from evaluator.run.agents import EXTERNAL
from evaluator.task.selection import load_world
from evaluator.testing.blocking_contexts import Held, held
from evaluator.testing.requested_car import RequestedCar
from vehicle_bus.world.world import World


@dataclass(slots=True)
class Benches:
    """Benches by what cannot be shared: broker, agent, gateway."""

    portal: BlockingPortal
    config: pytest.Config
    folder: Path
    _stack: ExitStack
    _worlds: dict[Path | None, World] = field(default_factory=dict)
    _open: dict[tuple[object, ...], Held[LiveBench]] = field(default_factory=dict)

    def bench(self, wanted: RequestedCar) -> Held[LiveBench]:
        """A bench that is up; one that broke down is replaced."""
        settings = wanted.settings
        key = (
            settings.agent.name,
            settings.broker_url or settings.broker_kind,
            settings.gateway_port,
            wanted.world,
            wanted.agent_command,
        )
        known = self._open.get(key)
        if known is None or known.broken is not None:
            known = self._open[key] = self._stack.enter_context(
                held(self.portal, self._opened(wanted))
            )
        return known

    @asynccontextmanager
    async def _opened(self, wanted: RequestedCar) -> AsyncIterator[LiveBench]:
        settings = wanted.settings
        async with live_bench(settings, self._world(wanted.world)) as bench:
            gate = bench.servers.gateway
            if command := wanted.agent_command:
                async with connecting_agent(command, self.folder, gate, settings.agent_wait_s):
                    yield bench
                return
            if settings.agent.kind in EXTERNAL:
                self._print(f"waiting {settings.agent_wait_s:g} s for an agent at {gate.url}/agent")
                await gate.agents_connected()
            yield bench

    def _world(self, path: Path | None) -> World:
        if path not in self._worlds:
            self._worlds[path] = load_world(None, path)
        return self._worlds[path]

    def _print(self, line: str) -> None:
        """Print in spite of pytest's capturing: the user has to act now."""
        capturing = self.config.pluginmanager.getplugin("capturemanager")
        writer = self.config.get_terminal_writer()
        with ExitStack() as stack:
            if capturing is not None:
                stack.enter_context(capturing.global_and_fixture_disabled())
            writer.line(f"\ncodriver: {line}")


@contextmanager
def benches(config: pytest.Config, folder: Path) -> Iterator[Benches]:
    """An event loop beside pytest for all benches; the output of agents is in `folder`."""
    with start_blocking_portal(name="codriver") as portal, ExitStack() as stack:
        yield Benches(portal, config, folder, stack)


def for_one_test(bench: LiveBench, settings: LiveSettings) -> LiveBench:
    """The same bench with the pace, latency and timeout of one test."""
    return replace(
        bench,
        settings=replace(
            bench.settings,
            pace=settings.pace,
            latency_profile=settings.latency_profile,
            tool_timeout_s=settings.tool_timeout_s,
        ),
    )
