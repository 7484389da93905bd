"""A conversation in the terminal, line by line: words as they come, calls and changes."""

import json
from typing import Any

from rich.console import Console
from rich.text import Text

from assistant_gateway.timing.budgets import TurnVerdict, limits_of
from evaluator.cockpit.spectator import (
    Answered,
    Called,
    CarEventSeen,
    CarPresence,
    Changed,
    ConversationOver,
    Trouble,
    TurnOver,
    Words,
)
from evaluator.live.update import Update
from evaluator.views.captions import MARKS, WAITS
from evaluator.views.car_values import ROWS, written
from evaluator.views.sentences import event_sentence, refusal, with_names
from evaluator.views.unit_timeline import MARK_STYLE
from vehicle_bus.world.world import World

WIDTH = 20
LONGEST = 160


class Screen:
    """Prints one update of a conversation after the other."""

    def __init__(self, console: Console, world: World) -> None:
        self._console = console
        self._world = world
        self._texts: dict[str, str] = {}
        self._calls: dict[str, Text] = {}
        self._changes: list[Text] = []
        self._speaking = False

    def show(self, update: Update) -> None:
        match update:
            case Words(text, aside):
                self._words(text, aside=aside)
            case Called(call, tool, arguments):
                self._calls[call] = self._call(tool, arguments)
            case Answered(call):
                self._line(self._answered(self._calls.pop(call, Text("?")), update))
                self._show_changes()
            case Changed(values, first):
                self._changed(values, first=first)
            case TurnOver():
                self._line(_took(update), " ")
            case ConversationOver("driver_hung_up"):
                return
            case ConversationOver(reason):
                self._line(Text(f"the conversation is over: {reason}", style="yellow"))
            case CarEventSeen(event, detail):
                self._line(Text(event_sentence(event, detail), style="yellow"))
            case CarPresence(online):
                where = "is back on the bus" if online else "has left the bus"
                self._line(Text(f"the car {where}", style="yellow" if online else "red"))
            case Trouble(text):
                self._line(Text(text, style="red"))

    def _words(self, text: str, *, aside: bool) -> None:
        if not self._speaking:
            self._console.print(Text("car  ", style="bold green"), end="")
            text = text.lstrip()
        self._speaking = True
        self._console.print(Text(text, style="italic" if aside else ""), end="", soft_wrap=True)

    def _line(self, line: Text, margin: str = "     ") -> None:
        """Print a line of its own, after the words so far."""
        if self._speaking:
            self._console.print()
            self._speaking = False
        self._console.print(Text(margin).append_text(line), soft_wrap=True)

    def _changed(self, values: dict[str, Any], *, first: bool) -> None:
        for name, value in written(values, self._world).items():
            before, self._texts[name] = self._texts.get(name), value["text"]
            if first or before is None or ROWS[name].moves:
                continue
            change = Text.assemble(
                (f"  {ROWS[name].noun}: {before} → ", "dim"), (value["text"], "bold")
            )
            self._changes.append(change)
        if not self._calls:  # else they follow the call that made them
            self._show_changes()

    def _show_changes(self) -> None:
        for change in self._changes:
            self._line(change)
        self._changes.clear()

    def _answered(self, call: Text, answered: Answered) -> Text:
        took = f"  {answered.after_ms:.1f} ms"
        if answered.succeeded:
            return Text.assemble(("✓ ", "green"), call, (took, "dim"))
        why = _clipped(refusal(answered.output, self._world))
        return Text.assemble(("✗ ", "red"), call, (f"  {why}", "red"))

    def _call(self, tool: str, arguments: dict[str, Any]) -> Text:
        given = " ".join(f"{name}={json.dumps(value)}" for name, value in arguments.items())
        return Text(_clipped(with_names(f"{tool} {given}".rstrip(), self._world)), style="dim")


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"


def _took(turn: TurnOver) -> Text:
    """How long the driver waited, against the budget of this turn."""
    verdict = TurnVerdict.model_validate(turn.verdict)
    limit = limits_of(turn.turn_class, verdict)["first_speech"]
    line = Text("    ")
    first_ms = turn.spans_ms.get("upl")
    style = MARK_STYLE.get(verdict.first_speech, "")
    share = 1.0 if first_ms is None else min(first_ms / 1000 / limit.hard_s, 1.0)
    full = max(round(share * WIDTH), 1)
    line.append("━" * full, style).append("─" * (WIDTH - full), "dim")
    for label, span, name in WAITS:
        took_ms, mark = turn.spans_ms.get(span), verdict.mark(name)
        if (took_ms is None and mark != "missing") or (name == "content" and mark == "n/a"):
            continue
        took = "never" if took_ms is None else f"{took_ms / 1000:.2f} s"
        line.append(f"  {label} ", "dim").append(took, MARK_STYLE.get(mark, ""))
        if late := MARKS.get(mark):
            line.append(f" {late}", MARK_STYLE.get(mark, ""))
    return line
