"""What was measured in one turn, and whether the bench was in the way."""

from pydantic import BaseModel, ConfigDict

from assistant_gateway.session.measurement_error import ERRORS
from assistant_gateway.timing.budgets import TurnVerdict
from evaluator.record.record import Record
from vehicle_bus.contract import TurnFinished

DEGRADED_MS = 20.0
EXCLUDED_MS = 100.0
SURE_MS = 1000.0


class TurnScore(BaseModel):
    """What was measured in one turn; spans in ns, null = it never happened.

    The bench has moved no span by more than `harness_error_ms`, which adds up over the steps of a
    turn. Where a fault has `held_up` the car, only the first word had to come in time: a good
    assistant says that it is at it. `cpu_wait_ms` is how long the bench was kept from running
    meanwhile: why it was late, if it was.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    turn: int
    turn_class: str
    spans: dict[str, int | None]
    verdict: TurnVerdict
    harness_error_ms: float = 0.0
    cpu_wait_ms: float | None = None
    held_up: bool = False
    snr_db: float | None = None  # of the driver, where there was noise
    words: int | None = None  # that the driver said, where a recogniser was simulated
    word_errors: int | None = None

    @classmethod
    def of(cls, turn: TurnFinished, *, held_up: bool = False) -> "TurnScore":
        sound = turn.sound or {}
        return cls(
            turn=turn.turn,
            turn_class=turn.turn_class,
            spans=turn.spans,
            verdict=TurnVerdict.model_validate(turn.verdict),
            harness_error_ms=max(_ms(turn.harness.get(name)) for name in ERRORS),
            cpu_wait_ms=turn.harness.get("cpu_wait_ms"),
            held_up=held_up,
            snr_db=sound.get("snr_db"),
            words=sound.get("words"),
            word_errors=sound.get("word_errors"),
        )

    @property
    def degraded(self) -> bool:
        """The bench itself was late enough to be seen in the numbers."""
        return self.harness_error_ms > DEGRADED_MS

    @property
    def excluded(self) -> bool:
        """The bench was so late that the numbers of this turn say nothing about the agent."""
        return self.harness_error_ms > EXCLUDED_MS

    @property
    def undecided(self) -> bool:
        """Whether a hard limit was so near that the bench's own error may have decided."""
        return self.verdict.undecided and not self.excluded

    @property
    def hard_miss(self) -> bool:
        return self.judged and self._hard

    @property
    def counts_for_latency(self) -> bool:
        """Whether what was measured says something about the agent."""
        return not (self.excluded or self.held_up)

    @property
    def credit(self) -> float | None:
        """1 up to the soft limits, 0 beyond a hard one; None if unknown or delayed by a fault."""
        return None if self.held_up else self.verdict.score

    @property
    def soft_miss(self) -> bool:
        if self.held_up:
            return self.judged and self.verdict.first_speech in ("soft", "hard", "missing")
        return self.judged and self.verdict.soft_miss

    @property
    def judged(self) -> bool:
        """Whether it is known which limits were kept.

        No turn of a run with --patience is. An excluded turn is judged only if it missed a hard
        limit by more than the measurement error; a reply that never came missed it by seconds.
        """
        near = self.verdict.undecided or self.harness_error_ms > SURE_MS
        return self.verdict.judged and (not self.excluded or (self._hard and not near))

    @property
    def _hard(self) -> bool:
        """Whether a hard limit was missed; only the first word counts if the car is held up."""
        if self.held_up:
            return self.verdict.first_speech in ("hard", "missing")
        return self.verdict.hard_miss


def turn_scores(record: Record) -> tuple[TurnScore, ...]:
    """All turns of an episode."""
    held_up = record.held_up_turns
    return tuple(TurnScore.of(turn, held_up=turn.turn in held_up) for turn in record.turns)


def _ms(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
