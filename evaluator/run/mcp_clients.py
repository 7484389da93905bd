"""MCP clients as the agents of a run: at our stdio, at an address, or started by a command."""

import asyncio
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assistant_gateway.server import Gateway
from evaluator.options import RunOptions
from evaluator.problems import InfraProblem
from evaluator.results.store import AGENT_LOG
from evaluator.run.agent_process import command_line, crashed
from evaluator.run.agents import SEATED, named
from evaluator.run.settings import sessions_at_a_time
from evaluator.run.units import RunSettings
from vehicle_bus.background_tasks import background
from vehicle_bus.child_process import child_process

if TYPE_CHECKING:
    from assistant_gateway.agents.mcp.seat import McpSeat

PATH = "/mcp"
GRACE_S = 10.0  # for a program to end, or to ask for the next conversation


@dataclass(frozen=True, slots=True)
class McpClients:
    """The seats of a run and how their clients come; most runs have none."""

    options: RunOptions
    seats: "Sequence[McpSeat]" = ()

    def seated(self, settings: RunSettings) -> RunSettings:
        """The settings of a run in which they take part."""
        if not self.seats:
            return settings
        free = iter(self.seats)

        async def serve(url: str, token: str) -> None:
            await next(free).serve(url, token)

        return replace(settings, agent=replace(settings.agent, seats=serve))

    def for_units(self, units: int) -> "McpClients":
        """Without the seats that no session of so many units can need."""
        return replace(self, seats=self.seats[:units])

    @asynccontextmanager
    async def open(self, gate: Gateway, folder: Path) -> AsyncIterator[None]:
        """Clients may come for as long as the block runs, or are started."""
        if not self.seats:
            yield
        elif self.options.stdio:
            async with background(_at_stdio(self.seats[0]), "MCP client at stdio"):
                yield
        else:
            from assistant_gateway.mcp_server.serving import http_servers

            paths = [PATH, *(f"{PATH}/{number}" for number in range(2, len(self.seats) + 1))]
            served = {path: seat.tools for path, seat in zip(paths, self.seats, strict=True)}
            token, port = gate.tokens.agent, self.options.mcp_port or 0
            async with (
                http_servers(served, port=port, option="--mcp-port", token=token) as address,
                asyncio.TaskGroup() as tasks,
            ):
                urls = [f"{address}{path}" for path in paths]
                if self.options.agent_command:
                    started = [
                        tasks.create_task(
                            self._start(seat, url, gate, folder), name=f"MCP client of {url}"
                        )
                        for seat, url in zip(self.seats, urls, strict=True)
                    ]
                else:
                    started = []
                    self._invite(urls, token)
                yield
                for task in started:
                    task.cancel()

    def _invite(self, urls: Sequence[str], token: str) -> None:
        wait_s = self.options.agent_wait_s
        each = "".join(f"  {url}\n" for url in urls)
        sys.stderr.write(
            f"waiting {wait_s:g} s for an MCP client (streamable HTTP) at\n{each}"
            f"with 'Authorization: Bearer {token}', or ?token={token} behind the address\n"
        )

    async def _start(self, seat: "McpSeat", url: str, gate: Gateway, folder: Path) -> None:
        """Start the command whenever an agent is needed: a program plays what it asks for."""
        log, token = folder / AGENT_LOG, gate.tokens.agent
        variables = {"CODRIVER_URL": url, "CODRIVER_TOKEN": token}
        command = self.options.agent_command.replace("{url}", f"{url}?token={token}")
        words, environment = command_line(command, variables)
        while True:
            await gate.agent_sought.wait()
            with log.open("ab") as output:
                async with child_process(words, output, environment=environment) as process:
                    await ended(process, seat, log)
            await seat.leave()


async def ended(process: Process, seat: "McpSeat", log: Path) -> None:
    """Return once a program has ended in order, or has no more to do; raises `AgentCrashed`."""
    ending = asyncio.ensure_future(process.wait())
    idle = asyncio.ensure_future(seat.done(GRACE_S))
    try:
        await asyncio.wait((ending, idle), return_when=asyncio.FIRST_COMPLETED)
    finally:
        ending.cancel()
        idle.cancel()
    if ending.done() and not ending.cancelled():
        code = ending.result()
        if code or not (seat.is_used or seat.was_sent_away):
            raise crashed(code, log)


async def _at_stdio(seat: "McpSeat") -> None:
    from assistant_gateway.mcp_server.serving import serve_stdio

    await serve_stdio(seat.tools)
    raise InfraProblem("the MCP client has closed our standard input before the run was over")


def mcp_clients(options: RunOptions) -> McpClients:
    """The seats for the clients of a run, if its agent is one of them."""
    if named(options.agent)[0] not in SEATED:
        return McpClients(options)
    from assistant_gateway.agents.mcp.seat import McpSeat

    return McpClients(options, [McpSeat() for _ in range(sessions_at_a_time(options))])
