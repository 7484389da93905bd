"""The turns that missed a limit, by turn class, with what took the time."""

from collections.abc import Iterator

from evaluator.report.elements import bad, card, from_ms, links, table
from evaluator.report.markup import Child, Markup, element
from evaluator.results.slow_turns import SlowTurn, SlowTurns
from evaluator.views.captions import TURN_CLASSES, caption
from evaluator.views.sentences import missed_limit, what_took


def slow(found: SlowTurns) -> Markup | None:
    """None if no turn missed a limit."""
    if not found.number:
        return None
    head = ("Unit", "#Turn", "Missed", "#Took", "#Limit", "What took the time")
    tables: list[Markup] = []
    for name, worst in found.worst().items():
        late, slow = found.late[name], found.slow[name]
        text = f"{name} {caption(TURN_CLASSES, name)}: {late} too late, {slow} slow"
        more = f", the worst {len(worst)} of them" if late + slow > len(worst) else ""
        rows = (tuple(_cells(turn)) for turn in worst)
        tables += [element("h3", text + more), table(head, rows, "turns")]
    note = "The limit that each turn missed most, the worst turns first."
    return card("Turns that took too long", *tables, note=note, kind="wide")


def _cells(turn: SlowTurn) -> Iterator[Child]:
    took, late = from_ms(turn.took_ms), turn.mark != "soft"
    yield links([f"{turn.task_id}:{turn.trial}"])
    yield from (turn.turn, missed_limit(turn), bad(took) if late else took)
    yield from (from_ms(turn.limit_ms), what_took(turn))
