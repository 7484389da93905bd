"""What was measured in one turn, and whether the bench was in the way."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from vehicle_bus.contract import TurnFinished

DEGRADED_MS = 20.0
EXCLUDED_MS = 100.0


class TurnScore(BaseModel):
    """What was measured in one turn; spans in ns, null = it never happened."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    turn: int
    turn_class: str
    spans: dict[str, int | None]
    verdict: dict[str, Any]
    late_ms: float = 0.0

    @classmethod
    def of(cls, turn: TurnFinished) -> "TurnScore":
        late = turn.harness.get("late_ms")
        return cls(
            turn=turn.turn,
            turn_class=turn.turn_class,
            spans=turn.spans,
            verdict=turn.verdict,
            late_ms=float(late) if isinstance(late, int | float) else 0.0,
        )

    @property
    def degraded(self) -> bool:
        """The bench itself was late enough to be seen in the numbers."""
        return self.late_ms > DEGRADED_MS

    @property
    def excluded(self) -> bool:
        """The bench was so late that the numbers of this turn say nothing about the agent."""
        return self.late_ms > EXCLUDED_MS

    @property
    def hard_miss(self) -> bool:
        return bool(self.verdict.get("hard_miss")) and not self.excluded

    @property
    def credit(self) -> float | None:
        """Full up to the soft limits, none beyond a hard one; unknown to records of old."""
        return self.verdict.get("score")

    @property
    def soft_miss(self) -> bool:
        return bool(self.verdict.get("soft_miss")) and not self.excluded
