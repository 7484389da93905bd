"""One of two runs that are compared, in little memory."""

from collections.abc import Iterable

from evaluator.results.rows.played_turns import PlayedTurns
from evaluator.results.rows.unit_row import RowMaker, UnitRow
from evaluator.results.store import UnitResult
from evaluator.results.turn_figures import TurnColumns


class SideRows:
    """`reasons` has the first reason why a unit of a task failed."""

    def __init__(self) -> None:
        self.units: list[UnitRow] = []
        self.turns = TurnColumns()
        self.played = PlayedTurns()
        self.reasons: dict[str, str] = {}
        self._maker = RowMaker()

    @classmethod
    def of(cls, units: Iterable[UnitResult]) -> "SideRows":
        rows = cls()
        for unit in units:
            rows.add(unit)
        return rows

    def add(self, unit: UnitResult) -> None:
        self.units.append(self._maker.row(unit))
        self.played.add(unit)
        if unit.score.evaluated:
            for turn in unit.score.turns:
                self.turns.add(turn)
        if unit.score.outcome == "failure":
            self.reasons.setdefault(unit.task_id, unit.score.reason)

    @property
    def evaluated(self) -> list[UnitRow]:
        """The units that count for the agent."""
        return [unit for unit in self.units if unit.verdict.evaluated]
