"""Persons who take part: in a run, or as the assistant of `serve`; on a page or in the terminal.

Pages and seats are imported only where somebody takes part.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from evaluator.allowed_values import one_of
from evaluator.options import PERSON_AT, RunOptions, ServeOptions
from evaluator.printable import rich_console
from evaluator.problems import InfraProblem
from evaluator.results.manifest import HUMAN, WIZARD
from evaluator.run.units import RunSettings
from evaluator.terminal.keyboard import Lines, typed_lines
from vehicle_bus.background_tasks import background

if TYPE_CHECKING:
    from rich.console import Console

    from evaluator.cockpit.seat_socket import AnySeat
    from evaluator.cockpit.serve import Beside
    from evaluator.person.driver_seat import DriverSeat
    from evaluator.person.wizard_seat import WizardSeat


@dataclass(frozen=True, slots=True)
class Persons:
    """Who takes part; nobody in most runs."""

    assistant: "WizardSeat | None" = None
    driver: "DriverSeat | None" = None
    at: str = RunOptions.person_at
    port: int = RunOptions.page_port

    @property
    def seats(self) -> "list[AnySeat]":
        return [seat for seat in (self.assistant, self.driver) if seat is not None]

    @property
    def in_terminal(self) -> bool:
        """Whether one of them plays in the terminal."""
        if len(self.seats) != 1 or self.at == "page":
            return False
        return self.at == "terminal" or _has_terminal()

    def seated(self, settings: RunSettings) -> RunSettings:
        """The settings of a run in which they take part."""
        agent = replace(settings.agent, desk=self.assistant)
        return replace(settings, agent=agent, user_desk=self.driver)

    def scored(self, line: str) -> None:
        """Tell everybody how a unit was scored."""
        for seat in self.seats:
            seat.scored(line)

    @asynccontextmanager
    async def open_seats(self) -> AsyncIterator[None]:
        """Their pages and terminals are open for as long as the block runs."""
        async with AsyncExitStack() as stack:
            if self.seats and self.at != "terminal":
                from evaluator.cockpit.person_pages import person_pages

                urls = await stack.enter_async_context(person_pages(self.seats, self.port))
                for seat, url in zip(self.seats, urls, strict=True):
                    sys.stderr.write(f"you play the {seat.name} at {url}\n")
            if self.in_terminal:
                alone = self.at == "terminal"
                await stack.enter_async_context(terminal(self.seats[0], alone=alone))
            yield


@asynccontextmanager
async def terminal(seat: "AnySeat", *, alone: bool) -> AsyncIterator[None]:
    """A person may play in the terminal for as long as the block runs.

    If the terminal is `alone`, without a page, the end of its input is an `InfraProblem`.
    """
    console = rich_console(stderr=True)
    async with typed_lines() as lines, background(_play(seat, lines, console, alone), "person"):
        yield


async def _play(seat: "AnySeat", lines: Lines, console: "Console", alone: bool) -> None:
    from evaluator.person.wizard_seat import WizardSeat
    from evaluator.terminal.human import DriverInTerminal
    from evaluator.terminal.wizard import WizardInTerminal

    person = (
        WizardInTerminal(seat, lines, console)
        if isinstance(seat, WizardSeat)
        else DriverInTerminal(seat, lines, console)
    )
    await person.play()
    if alone:
        raise InfraProblem(
            "the input of the terminal has ended, and nobody plays on; --person-at page opens a "
            "page instead"
        )
    person.print("You have left the terminal; the page goes on.", "dim")


def in_terminal(options: ServeOptions) -> "Beside":
    """Where besides the page of `serve` a person may play the assistant; raises `UsageProblem`."""
    one_of("--person-at", options.person_at, PERSON_AT)
    wanted = options.person_at == "terminal" or (options.person_at == "auto" and _has_terminal())
    if WIZARD in (options.agent, options.agent_b) and wanted:
        return partial(terminal, alone=False)
    return lambda _: nullcontext()


def _has_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def persons(options: RunOptions) -> Persons:
    """The persons whom the options ask for."""
    nobody = Persons(at=options.person_at, port=options.page_port)
    if options.agent != WIZARD and options.user != HUMAN:
        return nobody
    from evaluator.person.driver_seat import DriverSeat
    from evaluator.person.wizard_seat import WizardSeat

    return replace(
        nobody,
        assistant=WizardSeat() if options.agent == WIZARD else None,
        driver=DriverSeat() if options.user == HUMAN else None,
    )
