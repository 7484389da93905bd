"""Persons who take part in a run: where each sits, on a page or in the terminal."""

import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Console

from evaluator.cockpit.person_pages import person_pages
from evaluator.cockpit.seat_socket import AnySeat
from evaluator.options import RunOptions
from evaluator.person.driver_seat import DriverSeat
from evaluator.person.wizard_seat import WizardSeat
from evaluator.printable import rich_console
from evaluator.problems import InfraProblem
from evaluator.results.manifest import HUMAN, WIZARD
from evaluator.run.units import RunSettings
from evaluator.terminal.human import DriverInTerminal
from evaluator.terminal.keyboard import Lines, typed_lines
from evaluator.terminal.person import PersonInTerminal
from evaluator.terminal.wizard import WizardInTerminal
from vehicle_bus.background_tasks import background


@dataclass(frozen=True, slots=True)
class Persons:
    """Who takes part; nobody in most runs."""

    assistant: WizardSeat | None = None
    driver: DriverSeat | None = None
    at: str = RunOptions.person_at
    port: int = RunOptions.page_port

    @property
    def seats(self) -> list[AnySeat]:
        return [seat for seat in (self.assistant, self.driver) if seat is not None]

    @property
    def in_terminal(self) -> bool:
        """Whether one of them plays in the terminal."""
        if len(self.seats) != 1 or self.at == "page":
            return False
        return self.at == "terminal" or sys.stdin.isatty()

    def seated(self, settings: RunSettings) -> RunSettings:
        """The settings of a run in which they take part."""
        agent = replace(settings.agent, desk=self.assistant)
        return replace(settings, agent=agent, user_desk=self.driver)

    def scored(self, line: str) -> None:
        """Tell everybody how a unit was scored."""
        for seat in self.seats:
            seat.scored(line)

    @asynccontextmanager
    async def seated_there(self) -> AsyncIterator[None]:
        """Their pages and terminals are open for as long as the block runs."""
        async with AsyncExitStack() as stack:
            if self.seats and self.at != "terminal":
                urls = await stack.enter_async_context(person_pages(self.seats, self.port))
                for seat, url in zip(self.seats, urls, strict=True):
                    sys.stderr.write(f"{seat.name}: {url}\n")
            if self.in_terminal:
                lines = await stack.enter_async_context(typed_lines())
                console = rich_console(stderr=True)
                await stack.enter_async_context(background(self._play(lines, console), "person"))
            yield

    async def _play(self, lines: Lines, console: Console) -> None:
        """Play in the terminal; the end of its input ends the run."""
        person: PersonInTerminal[Any]
        if self.assistant is not None:
            person = WizardInTerminal(self.assistant, lines, console)
        else:
            assert self.driver is not None
            person = DriverInTerminal(self.driver, lines, console)
        await person.play()
        raise InfraProblem(
            "the input of the terminal has ended, and nobody plays on; --person-at page opens a "
            "page instead"
        )


def persons(options: RunOptions) -> Persons:
    """The persons whom the options ask for."""
    return Persons(
        WizardSeat() if options.agent == WIZARD else None,
        DriverSeat() if options.user == HUMAN else None,
        options.person_at,
        options.page_port,
    )
