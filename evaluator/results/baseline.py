"""A run as a small file to commit, with which later runs are compared."""

from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluator.problems import UsageProblem
from evaluator.results.manifest import Manifest
from evaluator.results.store import UnitResult
from evaluator.scoring.scores import Score
from evaluator.scoring.turn_score import TurnScore
from vehicle_bus.validation_problem import first_problem

FORMAT: Literal[1] = 1
# Of the options of a run only what names it; the others may hold paths of a machine.
NAMING = ("label", "models_at")
JUDGED_BY = "r_realtime"  # the component that says whether a unit came in time
UNIT_FIELDS = ("task_id", "trial", "task_type", "title", "difficulty")
TURN_FIELDS = ("turn", "turn_class", "verdict", "harness_error_ms", "held_up")


class Baseline(BaseModel):
    """What a comparison reads of a run: its manifest, and of each unit outcome and latencies.

    `judge` is the judge of its rules, null if there was none. No conversation is in it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: Literal[1] = Field(FORMAT, alias="codriver_baseline")
    judge: str | None = None
    manifest: Manifest
    units: tuple[UnitResult, ...]

    @classmethod
    def of(cls, manifest: Manifest, units: list[UnitResult], judge: str | None) -> "Baseline":
        """Only what is compared is kept."""
        options = {name: manifest.options[name] for name in NAMING if name in manifest.options}
        kept = manifest.model_copy(update={"options": options, "host": {}, "dependencies": {}})
        return cls.model_construct(
            format=FORMAT, judge=judge, manifest=kept, units=tuple(map(_reduced, units))
        )


def write_baseline(file: Path, baseline: Baseline) -> None:
    """One line per unit, so that a diff of two files can be read; raises `UsageProblem`."""
    whole = _fields(baseline)
    head = orjson.dumps({name: whole[name] for name in ("codriver_baseline", "judge", "manifest")})
    units = b",\n".join(map(orjson.dumps, whole["units"]))
    try:
        file.write_bytes(head[:-1] + b',"units":[\n' + units + b"\n]}\n")
    except OSError as error:
        raise UsageProblem(f"cannot write {file}: {error.strerror}") from error


def read_baseline(file: Path) -> Baseline:
    """Raises `UsageProblem` if it is none."""
    try:
        return Baseline.model_validate(orjson.loads(file.read_bytes()))
    except FileNotFoundError as error:
        why = f"there is no file {file}; `codriver baseline RUN --out {file}` writes one"
        raise UsageProblem(why) from error
    except OSError as error:
        raise UsageProblem(f"cannot read {file}: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        why = f"no JSON ({error})"
    except ValidationError as error:
        why = first_problem(error, "it")
    raise UsageProblem(
        f"{file} is no baseline: {why}; `codriver baseline RUN --out {file}` writes one"
    )


def _fields(baseline: Baseline) -> dict[str, Any]:
    fields = baseline.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return {"codriver_baseline": FORMAT, "judge": baseline.judge, **fields}


def _reduced(unit: UnitResult) -> UnitResult:
    was = unit.score
    in_time = {JUDGED_BY: was.components.get(JUDGED_BY)}
    turns = tuple(map(_reduced_turn, was.turns)) if was.evaluated else ()
    score = Score(
        outcome=was.outcome,
        reason=was.reason,
        profile=was.profile,
        components=in_time,
        turns=turns,
    )
    kept = {name: getattr(unit, name) for name in UNIT_FIELDS}
    return UnitResult(score=score, started_at="", finished_at="", **kept)


def _reduced_turn(turn: TurnScore) -> TurnScore:
    spans = {name: took_ns for name, took_ns in turn.spans.items() if took_ns is not None}
    return TurnScore(spans=spans, **{name: getattr(turn, name) for name in TURN_FIELDS})
