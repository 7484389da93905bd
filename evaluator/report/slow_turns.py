"""The turns that missed a limit, by turn class, with what took the time."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from evaluator.report.elements import bad, card, from_ms, links, table
from evaluator.report.markup import Child, Markup, element
from evaluator.results.slow_turns import SlowTurn, slow_turns
from evaluator.results.store import UnitResult
from evaluator.views.captions import TURN_CLASSES, caption
from evaluator.views.sentences import missed_limit, what_took

MOST = 15  # of a class


def slow(units: Sequence[UnitResult]) -> Markup | None:
    """None if no turn missed a limit."""
    found = slow_turns(units)
    if not found:
        return None
    head = ("Unit", "#Turn", "Missed", "#Took", "#Limit", "What took the time")
    tables: list[Markup] = []
    for name, members in groupby(found, key=lambda turn: turn.turn_class):
        listed = list(members)
        late = sum(turn.mark != "soft" for turn in listed)
        text = f"{name} {caption(TURN_CLASSES, name)}: {late} too late, {len(listed) - late} slow"
        more = f", the worst {MOST} of them" if len(listed) > MOST else ""
        rows = (tuple(_cells(turn)) for turn in listed[:MOST])
        tables += [element("h3", text + more), table(head, rows, "turns")]
    note = "The limit that each turn missed most, the worst turns first."
    return card("Turns that took too long", *tables, note=note, kind="wide")


def _cells(turn: SlowTurn) -> Iterator[Child]:
    took, late = from_ms(turn.took_ms), turn.mark != "soft"
    yield links([f"{turn.task_id}:{turn.trial}"])
    yield from (turn.turn, missed_limit(turn), bad(took) if late else took)
    yield from (from_ms(turn.limit_ms), what_took(turn))
