"""The assistant played in the terminal."""

import json
from typing import ClassVar

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.wizard import WizardMessage
from evaluator.live.update import Update
from evaluator.person.updates import (
    Asked,
    AssistantPart,
    CarAnswered,
    DriverSaid,
    SessionOver,
    UnitScored,
    WizardInterrupted,
)
from evaluator.person.wizard_seat import WizardSeat, phrases
from evaluator.terminal.call_line import BadLine, form, read_call
from evaluator.terminal.person import PersonInTerminal

HINT = (
    "You are the assistant: a line is said, a line that begins with a tool is a call; /help lists "
    "more."
)


class WizardInTerminal(PersonInTerminal[WizardSeat]):
    """Lines are said, lines that begin with the name of a tool are calls."""

    prompt = "assistant  "
    commands: ClassVar = {
        "TEXT": "say it and hand over to the driver",
        "TOOL name=value …": "call a tool of the car; quote values with spaces",
        "/wait TEXT": 'say it and keep the turn, such as "One moment, please."',
        "/done": "hand over without a word",
        "/N": "say the ready phrase number N",
        "/phrases": "list the ready phrases",
        "/tools [WORD]": "list the tools, or those with this word",
        "/tool NAME": "show the arguments of a tool",
        "/instructions": "show the instructions of the assistant",
    }

    def show(self, update: Update) -> None:
        match update:
            case AssistantPart():
                self.print(f"A conversation begins; the car has {len(update.tools)} tools.", "bold")
                self.print(HINT, "dim")
            case DriverSaid():
                self.print(f"driver     {update.text}", "bold")
            case CarAnswered(call):
                mark, style = ("✓", "green") if update.succeeded else ("✗", "red")
                self.print(f"{mark} {call_text(call)}", style)
                self.print(f"  {update.output}")
            case WizardInterrupted(heard):
                text = f"the driver went on; heard of you: {heard or 'nothing'}"
                self.print(text, "yellow")
            case SessionOver():
                self.print("The conversation is over.", "bold")
            case UnitScored(text):
                self.print(text, "bold")
            case Asked():
                return

    def say(self, line: str) -> None:
        call = read_call(line, self.seat.tools)
        self.seat.send(WizardMessage(calls=(call,)) if call else WizardMessage(line))

    def command(self, command: str, rest: str) -> None:
        match command:
            case "/wait":
                self.seat.send(WizardMessage(rest, keeps_turn=True))
            case "/done":
                self.seat.send(WizardMessage())
            case "/phrases":
                self.lines(f"  /{n}  {each['text']}" for n, each in enumerate(phrases(), start=1))
            case "/tools":
                self._list_tools(rest)
            case "/tool" if rest in self.seat.tools:
                self.lines(form(self.seat.tools[rest]))
            case "/tool":
                raise BadLine(f"this car has no tool {rest!r}; /tools lists them")
            case "/instructions":
                self.print(self.seat.instructions)
            case _:
                self._phrase(command)

    def _phrase(self, command: str) -> None:
        number = command.removeprefix("/")
        if not number.isdecimal() or not 0 < int(number) <= len(phrases()):
            raise BadLine(f"unknown command {command}; /help lists them")
        phrase = phrases()[int(number) - 1]
        self.print(f"  {phrase['text']}")
        self.seat.send(WizardMessage(phrase["text"], keeps_turn=phrase["keeps_turn"]))

    def _list_tools(self, word: str) -> None:
        for name, tool in self.seat.tools.items():
            if word.lower() in f"{name} {tool.get('description', '')}".lower():
                self.print(f"  {name}  {tool.get('description', '')}", "dim")


def call_text(call: Call) -> str:
    """A call as it may be typed."""
    given = (f"{name}={json.dumps(value)}" for name, value in call.arguments.items())
    return " ".join([call.name, *given])
