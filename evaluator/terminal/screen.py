"""A conversation in the terminal, line by line: words as they come, calls and changes."""

import json
from collections import Counter
from typing import Any

from rich.console import Console
from rich.text import Text

from assistant_gateway.timing.budgets import limits_of
from evaluator.cockpit.sentences import sentence
from evaluator.cockpit.spectator import (
    Answered,
    Called,
    CarPresence,
    CarTold,
    Changed,
    ConversationOver,
    Shown,
    Trouble,
    TurnOver,
    Words,
)
from evaluator.views.captions import MARKS
from evaluator.views.car_values import GROUPS, ROWS, written
from evaluator.views.story import MARK_STYLE
from vehicle_bus.world.world import World

TWICE = {label for label, times in Counter(row.label for row in ROWS.values()).items() if times > 1}
# Rows with the same label in two groups get the group's name: climate driver, windows driver.
LABELS = {
    row.name: f"{group.title.split()[0]} {row.label}".lower()
    if row.label in TWICE
    else row.label.lower()
    for group in GROUPS
    for row in group.rows
}
WIDTH = 20
LONGEST = 160
FIGURES = (
    ("first word", "upl", "first_speech"),
    ("to the point", "upl_content", "content"),
    ("car acted", "effect_latency", "effect"),
)


class Screen:
    """Prints one event of a conversation after the other."""

    def __init__(self, console: Console, world: World) -> None:
        self._console = console
        self._world = world
        self._texts: dict[str, str] = {}
        self._calls: dict[str, Text] = {}
        self._changes: list[Text] = []
        self._speaking = False

    def show(self, event: Shown) -> None:
        match event:
            case Words(text, aside):
                self._words(text, aside=aside)
            case Called(call, tool, arguments):
                self._calls[call] = _call(tool, arguments)
            case Answered(call):
                self._line(self._answered(self._calls.pop(call, Text("?")), event))
                self._show_changes()
            case Changed(values, first):
                self._changed(values, first=first)
            case TurnOver():
                self._line(_took(event), " ")
            case ConversationOver("driver_hung_up"):
                return
            case ConversationOver(reason):
                self._line(Text(f"the conversation is over: {reason}", style="yellow"))
            case CarTold(kind, detail):
                self._line(Text(f"in the car: {sentence(kind, detail)}", style="yellow"))
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
                (f"  {LABELS[name]}: {before} → ", "dim"), (value["text"], "bold")
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
        return Text.assemble(("✗ ", "red"), call, (f"  {_clipped(answered.output)}", "red"))


def _call(tool: str, arguments: dict[str, Any]) -> Text:
    given = " ".join(f"{name}={json.dumps(value)}" for name, value in arguments.items())
    return Text(_clipped(f"{tool} {given}".rstrip()), style="dim")


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"


def _took(turn: TurnOver) -> Text:
    """How long the driver waited, against the budget of this turn."""
    limit = limits_of(turn.turn_class, turn.verdict)["first_speech"]
    line = Text("    ")
    first_ms = turn.spans_ms.get("upl")
    style = MARK_STYLE.get(turn.verdict["first_speech"], "")
    share = 1.0 if first_ms is None else min(first_ms / 1000 / limit.hard_s, 1.0)
    full = max(round(share * WIDTH), 1)
    line.append("━" * full, style).append("─" * (WIDTH - full), "dim")
    for label, span, name in FIGURES:
        took_ms, mark = turn.spans_ms.get(span), turn.verdict.get(name, "n/a")
        if (took_ms is None and mark != "missing") or (name == "content" and mark == "n/a"):
            continue
        took = "never" if took_ms is None else f"{took_ms / 1000:.2f} s"
        line.append(f"  {label} ", "dim").append(took, MARK_STYLE.get(mark, ""))
        if late := MARKS.get(mark):
            line.append(f" {late}", MARK_STYLE.get(mark, ""))
    return line
