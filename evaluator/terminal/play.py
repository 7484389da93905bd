"""`codriver play`: talk to a car in the terminal until the input ends."""

import sys
from collections.abc import Iterable
from dataclasses import replace

from rich.console import Console
from rich.text import Text

from assistant_gateway.server import NoAgent
from assistant_gateway.timing.speech import Speech
from evaluator.cockpit.spectator import Spectator, Trouble
from evaluator.event_loop import run_async
from evaluator.live import ConversationBroken, Feed, LiveCar, LiveSettings, live_car
from evaluator.live.settings import CarRequest
from evaluator.printable import rich_console
from evaluator.record.record import Entry
from evaluator.run.agents import EXTERNAL
from evaluator.terminal.keyboard import typed_lines
from evaluator.terminal.screen import Screen
from vehicle_bus.background_tasks import background
from vehicle_bus.world.world import World

READING_WPM = 1_000_000
INTERRUPTED = 130
NEW, HELP, QUIT = "/new", "/help", "/quit"
COMMANDS = {
    NEW: "hang up and begin a new conversation; the car stays as it is",
    HELP: "list the commands",
    QUIT: "end, as Ctrl-D; Ctrl-C also stops an answer",
}


def play(settings: LiveSettings, world: World, request: CarRequest) -> None:
    """Talk until the end of input; exits with 130 if interrupted, raises `Problem`."""
    try:
        run_async(_play(settings, world, request))
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        sys.exit(INTERRUPTED)


async def _play(settings: LiveSettings, world: World, request: CarRequest) -> None:
    console = rich_console()
    read = settings.speech.profile.model_copy(update={"assistant_wpm": READING_WPM})
    settings = replace(settings, speech=Speech(read))
    async with live_car(settings, world, request) as car, typed_lines() as lines:
        gate = car.servers.gateway
        hint = f"{settings.agent.name} is in the car. {HELP} lists commands, Ctrl-D ends."
        console.print(Text(hint, style="dim"))
        if settings.agent.kind in EXTERNAL:
            console.print(
                Text(f"It connects to {gate.url}/agent with the token {gate.tokens.agent}")
            )
        with car.observer.feed() as feed:
            conversation = _Conversation(car, feed, Screen(console, world))
            conversation.show(car.observer.since().entries)
            while (line := await lines.line("you  ")) is not None:
                if not lines.echoed:
                    console.print(Text(f"you  {line}"), soft_wrap=True)
                match line.strip():
                    case "":
                        continue
                    case command if command == QUIT:
                        return
                    case command if command.startswith("/") and command != NEW:
                        _explain(console, command)
                    case text:
                        await conversation.say(text)
        console.print()


def _explain(console: Console, command: str) -> None:
    """Print the commands, and that the one given is unknown."""
    if command != HELP:
        console.print(Text(f"     unknown command {command}; known are", style="yellow"))
    for name, meaning in COMMANDS.items():
        console.print(Text.assemble((f"     {name:6}", "bold"), f"  {meaning}"), soft_wrap=True)


class _Conversation:
    """Says what is typed, and shows everything that follows."""

    def __init__(self, car: LiveCar, feed: Feed[Entry], screen: Screen) -> None:
        self._car = car
        self._feed = feed
        self._screen = screen
        self._spectator = Spectator()

    def show(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            for shown in self._spectator.take(entry):
                self._screen.show(shown)

    async def say(self, line: str) -> None:
        trouble = ""
        async with background(self._follow(), "screen"):
            try:
                if line == NEW:
                    await self._car.new_conversation()
                else:
                    await self._car.say(line)
            except (ConversationBroken, NoAgent) as error:
                trouble = str(error)
        self.show(self._feed.rest())
        if trouble:
            self._screen.show(Trouble(trouble))

    async def _follow(self) -> None:
        async for entry in self._feed:
            self.show((entry,))
