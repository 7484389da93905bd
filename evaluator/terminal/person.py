"""A person takes part in the terminal: reads what happens, and types what to do when asked."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from rich.console import Console
from rich.text import Text

from evaluator.live import Feed
from evaluator.live.update import Update
from evaluator.person.seat import NotAccepted, Seat
from evaluator.person.updates import Asked
from evaluator.terminal.call_line import BadLine
from evaluator.terminal.keyboard import Lines
from vehicle_bus.background_tasks import background

HELP, QUIT = "/help", "/quit"
ANY = {HELP: "list the commands", QUIT: "leave, as Ctrl-D"}
AnySeat = TypeVar("AnySeat", bound=Seat[Any])


class PersonInTerminal(ABC, Generic[AnySeat]):
    """Plays at a seat until the input ends."""

    prompt = "> "
    commands: ClassVar[Mapping[str, str]] = {}

    def __init__(self, seat: AnySeat, lines: Lines, console: Console) -> None:
        self.seat = seat
        self._lines = lines
        self._console = console

    async def play(self) -> None:
        """Return when there is no more input and some is asked for."""
        with self.seat.feed() as feed:
            async for update in feed:
                self.show(update)
                if isinstance(update, Asked) and self.seat.asked and not await self._turn(feed):
                    return

    async def _turn(self, feed: Feed[Update]) -> bool:
        """Read lines as long as the person is asked; False if there is none."""
        async with background(self._follow(feed), "terminal"):
            while self.seat.asked:
                line = await self._lines.line(self.prompt)
                if line is None or line.strip() == QUIT:
                    return False
                if not self._lines.echoed:
                    self.print(f"{self.prompt}{line}")
                self._take(line.strip())
        return True

    async def _follow(self, feed: Feed[Update]) -> None:
        async for update in feed:
            self.show(update)

    def _take(self, line: str) -> None:
        command, _, rest = line.partition(" ")
        try:
            if command == HELP:
                self.help()
            elif command.startswith("/"):
                self.command(command, rest.strip())
            elif line:
                self.say(line)
        except (NotAccepted, BadLine) as refused:
            self.print(str(refused), style="yellow")

    @abstractmethod
    def show(self, update: Update) -> None: ...

    @abstractmethod
    def say(self, line: str) -> None:
        """A line that is no command."""

    @abstractmethod
    def command(self, command: str, rest: str) -> None:
        """A line that begins with a slash; raises `BadLine` if it is unknown."""

    def help(self) -> None:
        commands = {**self.commands, **ANY}
        width = max(map(len, commands))
        self.lines(f"  {name:{width}}  {meaning}" for name, meaning in commands.items())

    def print(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style), soft_wrap=True)

    def lines(self, texts: Iterable[str], style: str = "dim") -> None:
        for text in texts:
            self.print(text, style)
