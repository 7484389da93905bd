"""A whole run in little memory: a row per unit, columns of what was measured, and counts."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from assistant_gateway.models.spending import Usage
from evaluator.results.broken_agent import diagnosed_units
from evaluator.results.kept_sound import KeptFigures, KeptSound
from evaluator.results.rows.unit_row import RowMaker, UnitRow
from evaluator.results.store import RunStore, UnitResult
from evaluator.results.turn_figures import TurnColumns
from evaluator.results.verdict_figures import VerdictCounts

PAYERS = ("agent", "user", "judge")


class RunRows:
    """The newest attempt at each unit, in planning order; failures are diagnosed."""

    def __init__(self) -> None:
        self.units: list[UnitRow] = []
        self.turns = TurnColumns()
        self.verdicts = VerdictCounts()
        self._bills = {payer: _Payer() for payer in PAYERS}
        self._infra: Counter[str] = Counter()
        self._sounds = _Sounds()
        self._began: datetime | None = None
        self._ended: datetime | None = None
        self._maker = RowMaker()

    @classmethod
    def of(cls, units: Iterable[UnitResult]) -> "RunRows":
        rows = cls()
        for unit in units:
            rows.add(unit)
        return rows

    def add(self, unit: UnitResult) -> None:
        self.units.append(self._maker.row(unit))
        self.verdicts.add(unit)
        self._sounds.add(unit.sound)
        if unit.score.evaluated:
            for turn in unit.score.turns:
                self.turns.add(turn)
        elif unit.score.outcome == "infra_error":
            self._infra[unit.score.reason] += 1
        for payer, bill in self._bills.items():
            bill.add(unit.usage.get(payer), unit.cost.get(payer))
        began, ended = map(datetime.fromisoformat, (unit.started_at, unit.finished_at))
        self._began = began if self._began is None else min(self._began, began)
        self._ended = ended if self._ended is None else max(self._ended, ended)

    @property
    def evaluated(self) -> list[UnitRow]:
        """The units that count for the agent."""
        return [unit for unit in self.units if unit.verdict.evaluated]

    @property
    def span_s(self) -> float | None:
        """From the first start to the last end; of a resumed run the pause is part of it."""
        if self._began is None or self._ended is None:
            return None
        return (self._ended - self._began).total_seconds()

    @property
    def infra_example(self) -> str | None:
        """The reason that most units with an infrastructure error have."""
        return next((reason for reason, _ in self._infra.most_common(1)), None)

    @property
    def kept_sound(self) -> KeptFigures | None:
        return self._sounds.figures()

    def usage(self, payer: str) -> Usage | None:
        """Requests and tokens, or null if a unit does not know its own."""
        bill = self._bills[payer]
        return bill.used if bill.uses and bill.uses == len(self.units) else None

    def cost(self, payer: str) -> float | None:
        """The sum if every unit knows its cost."""
        bill = self._bills[payer]
        return bill.cost if bill.costs and bill.costs == len(self.units) else None


async def stored_rows(store: RunStore) -> RunRows:
    """The rows of a stored run."""
    rows = RunRows()
    async for unit in diagnosed_units(store):
        rows.add(unit)
    return rows


class _Payer:
    """What one payer owes, and of how many units that is known."""

    def __init__(self) -> None:
        self.used = Usage()
        self.cost: float = 0
        self.uses = self.costs = 0

    def add(self, used: Usage | None, cost: float | None) -> None:
        if used is not None:
            self.used += used
            self.uses += 1
        if cost is not None:
            self.cost += cost
            self.costs += 1


class _Sounds:
    def __init__(self) -> None:
        self._units = self._bytes = 0
        self._seconds = 0.0

    def add(self, sound: KeptSound | None) -> None:
        if sound is not None:
            self._units += 1
            self._seconds += sound.seconds
            self._bytes += sound.size_bytes

    def figures(self) -> KeptFigures | None:
        """None if nothing was kept."""
        if not self._units:
            return None
        return KeptFigures(
            units=self._units, seconds=round(self._seconds, 2), size_bytes=self._bytes
        )
