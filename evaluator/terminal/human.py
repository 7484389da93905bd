"""The driver played in the terminal."""

from typing import ClassVar

from assistant_gateway.protocol import GO_ON
from evaluator.live.update import Update
from evaluator.person.driver_seat import DriverSeat
from evaluator.person.updates import DriverHeard, DriverPart, UnitScored
from evaluator.terminal.call_line import BadLine
from evaluator.terminal.person import PersonInTerminal
from evaluator.terminal.wizard import call_text

HINT = "You are the driver: a line is said, /WORD ends the conversation; /help lists more."


class DriverInTerminal(PersonInTerminal[DriverSeat]):
    """Lines are said; a control word with a slash ends the conversation."""

    prompt = "driver     "
    commands: ClassVar = {
        "TEXT": "say it",
        "/WORD [REASON]": "end with a control word; its first letters suffice",
        "/N": "say the line number N of what you know",
        "/goal": "show again what you want, what you know and the control words",
    }
    _part: DriverPart | None = None

    def show(self, update: Update) -> None:
        match update:
            case DriverPart():
                self._part = update
                self.print("A conversation begins.", "bold")
                self.print(HINT, "dim")
                self._show_part(update)
            case DriverHeard():
                self.print(f"assistant  {update.text or '(says nothing)'}", "bold")
                self.lines(f"  the car did {call_text(call)}" for call in update.done)
            case UnitScored(text):
                self.print(text, "bold")

    def _show_part(self, part: DriverPart) -> None:
        self.print(f"Who you are: {part.persona}")
        self.print(f"What you want: {part.goal}")
        if part.advice:
            self.print(part.advice)
        self.print("What you may say:")
        for number, line in enumerate(part.lines, start=1):
            self.print(f"  /{number}  ({line['when']}) {line['text']}", "dim")
        self.print("How you may end it:")
        words = (pair for pair in part.words.items() if pair[0] != GO_ON)
        self.lines(f"  /{word.lower()}  {meaning}" for word, meaning in words)

    def say(self, line: str) -> None:
        self.seat.decide(GO_ON, line)

    def command(self, command: str, rest: str) -> None:
        typed = command.removeprefix("/").upper().replace("-", "_")
        if command == "/goal" and self._part:
            self._show_part(self._part)
        elif typed.isdecimal():
            self._say_line(int(typed))
        else:
            found = [word for word in self.seat.words if typed and word.startswith(typed)]
            if len(found) != 1:
                raise BadLine(f"unknown command {command}; /help and /goal list them")
            self.seat.decide(found[0], rest if found[0] == GO_ON else "", rest)

    def _say_line(self, number: int) -> None:
        lines = self._part.lines if self._part else ()
        if not 0 < number <= len(lines):
            raise BadLine(f"there is no line {number}; /goal lists them")
        text = lines[number - 1]["text"]
        self.print(f"  {text}")
        self.seat.decide(GO_ON, text)
