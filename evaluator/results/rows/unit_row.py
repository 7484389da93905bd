"""What statistics need of a unit, in about 100 bytes; units that are alike in a part share it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluator.results.store import UnitResult
from evaluator.results.turn_figures import JudgedTurns
from evaluator.scoring.scores import Outcome
from user_sim.script import ScriptOrigin

NOT_EVALUATED = JudgedTurns()


@dataclass(frozen=True, slots=True)
class TaskRow:
    """What all units of a task have in common; `bands` is None in runs of earlier versions."""

    task_id: str
    task_type: str
    main_type: str
    title: str
    script: ScriptOrigin | None
    family: str
    twin: str | None
    persona: str | None
    expected_actions: int | None
    settled_by: int | None
    bands: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class UnitVerdict:
    """What came out; `timed` is false for imported recordings."""

    outcome: Outcome
    timed: bool
    in_time: bool
    late: bool
    reward: float | None
    reward_coded: float | None
    reward_in_time: float | None

    @property
    def evaluated(self) -> bool:
        return self.outcome in ("success", "failure")


@dataclass(frozen=True, slots=True)
class UnitRow:
    """A unit of a run."""

    task: TaskRow
    trial: int
    attempt: int
    verdict: UnitVerdict
    turns: JudgedTurns

    @property
    def unit(self) -> tuple[str, int]:
        return self.task.task_id, self.trial

    @property
    def name(self) -> str:
        """What commands and pages call it: TASK:TRIAL."""
        return f"{self.task.task_id}:{self.trial}"

    @property
    def solved(self) -> bool:
        return self.verdict.outcome == "success"


class RowMaker:
    """Makes rows that share what they have in common."""

    def __init__(self) -> None:
        self._tasks: dict[Any, TaskRow] = {}
        self._verdicts: dict[Any, UnitVerdict] = {}
        self._turns: dict[JudgedTurns, JudgedTurns] = {}

    def row(self, unit: UnitResult) -> UnitRow:
        turns = JudgedTurns.of(unit.score.turns) if unit.score.evaluated else NOT_EVALUATED
        return UnitRow(
            task=self._task(unit),
            trial=unit.trial,
            attempt=unit.attempt,
            verdict=self._verdict(unit),
            turns=self._turns.setdefault(turns, turns),
        )

    def _task(self, unit: UnitResult) -> TaskRow:
        facts = (
            *(unit.task_type, unit.title, unit.script, unit.family, unit.twin, unit.persona),
            *(unit.expected_actions, unit.settled_by, unit.difficulty),
        )
        row = self._tasks.get((unit.task_id, facts))
        if row is None:
            row = TaskRow(
                task_id=unit.task_id,
                task_type=unit.task_type,
                main_type=unit.main_type,
                title=unit.title,
                script=unit.script,
                family=unit.family,
                twin=unit.twin,
                persona=unit.persona,
                expected_actions=unit.expected_actions,
                settled_by=unit.settled_by,
                bands=unit.difficulty.bands() if unit.difficulty else None,
            )
            self._tasks[unit.task_id, facts] = row
        return row

    def _verdict(self, unit: UnitResult) -> UnitVerdict:
        score = unit.score
        timed = score.components.get("r_realtime")
        rewards = score.reward, score.reward_coded, score.reward_in_time
        key = (score.outcome, timed, score.in_time, *rewards)
        verdict = self._verdicts.get(key)
        if verdict is None:
            late = score.outcome == "success" and timed == 0.0
            verdict = UnitVerdict(score.outcome, timed is not None, score.in_time, late, *rewards)
            self._verdicts[key] = verdict
        return verdict
