"""All numbers of a run in one object: what `--json` prints, and what tables and the report read.

Fields are always there; what could not be measured is null. Fields may be added, never renamed.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

from pydantic import BaseModel, field_serializer

from assistant_gateway.models.spending import Usage
from assistant_gateway.wording.spoken import counted
from evaluator.reference.difficulty import AXES
from evaluator.results.broken_agent import BrokenAgent, all_diagnosed
from evaluator.results.driver_error import DriverError, scripted_driver_error
from evaluator.results.kept_sound import KeptFigures
from evaluator.results.manifest import OFF, SCRIPTED, Manifest, manifest_key, paced
from evaluator.results.rows.run_rows import PAYERS, RunRows
from evaluator.results.rows.unit_row import UnitRow, UnitVerdict
from evaluator.results.statistics import (
    Bootstrap,
    Estimate,
    Tally,
    first_trials,
    flip_rate,
    mean,
    pass_at,
    pass_hat,
    tallies,
    trial_numbers,
)
from evaluator.results.store import UnitResult
from evaluator.results.task_figures import (
    ACROSS,
    Cell,
    PairFigures,
    band_of,
    difficulty_map,
    pair_figures,
    pair_tallies,
    pairs_in,
)
from evaluator.results.turn_figures import (
    BudgetFigures,
    HarnessFigures,
    Latency,
    RecognitionFigures,
    SnrFigures,
    budget,
)
from evaluator.results.verdict_figures import (
    DriverFigures,
    Honesty,
    JudgeFigures,
    MeanLoad,
    PolicyCoverage,
    RecoveryFigures,
    RuleCounts,
    judge_figures,
)
from evaluator.scoring.imported_runs import RECORDED
from evaluator.scoring.judgements import Judged
from evaluator.scoring.policies import is_published

Result = tuple[str, int, bool]  # task id, trial, success
PassK = Callable[[Tally, int], float]
Group = Callable[[UnitRow], str]


class Shares(BaseModel, frozen=True):
    """How much of a set of units was solved; estimates are by k and over tasks."""

    evaluated: int
    user_error: int
    infra_error: int
    played_again: int
    reward_mean: float | None
    reward_coded_mean: float | None
    in_time_mean: float | None
    pass_hat_k: dict[str, Estimate]
    pass_at_k: dict[str, Estimate]
    pass_hat_k_in_time: dict[str, Estimate]
    noise_floor: float | None
    flip_rate: float | None
    budget: BudgetFigures

    @property
    def solved(self) -> Estimate | None:
        """Share of tasks solved in one trial; None if nothing was evaluated."""
        return self.pass_hat_k.get("1")

    @property
    def solved_in_time(self) -> Estimate | None:
        return self.pass_hat_k_in_time.get("1")


class Part(Shares, frozen=True):
    """A part of a run, played with one kind of script."""

    script: str | None


class Summary(Shares, frozen=True):
    """A whole run.

    `latency_ms` leaves out turns that the bench itself delayed, and so does `budget` unless a hard
    limit was missed anyhow; they are counted in `harness`. With `patience_s` no turn is judged by
    its latencies: what was solved in time is null. `difficulty_map` has the tasks by band of calls
    and of each other axis of `by_difficulty`; `pairs` is null if no twins were played.
    `infra_example` is the most frequent reason of infrastructure errors.
    `driver_error` is that of scripted drivers. Null is not zero: a cost is null if that of one unit
    is unknown.
    """

    run_id: str
    pace: str
    patience_s: float | None
    latency_profile: str | None
    budget_profile: str | None
    profile: str
    compat: str
    planned: int
    unsupported: list[str]
    coverage: float | None
    estimator: str
    by_type: dict[str, Part]
    by_subtype: dict[str, Part]
    by_priority: dict[str, Part]
    by_persona: dict[str, Part]
    by_actions: dict[str, Part]
    by_script: dict[str, Part]
    by_difficulty: dict[str, dict[str, Part]]
    difficulty_map: dict[str, dict[str, dict[str, Cell]]]
    pairs: PairFigures | None
    latency_ms: dict[str, Latency]
    snr_db: SnrFigures | None
    recognition: RecognitionFigures | None
    kept_audio: KeptFigures | None
    policy_coverage: PolicyCoverage
    judge: JudgeFigures | None
    judge_named: str | None
    rules: dict[str, RuleCounts]
    by_failure: dict[str, int]
    broken_agent: BrokenAgent | None
    infra_example: str | None
    honesty: Honesty
    driver: DriverFigures | None
    driver_error: DriverError | None
    driver_load: MeanLoad
    recovery: RecoveryFigures | None
    harness: HarnessFigures
    cost: dict[str, float | None]
    usage: dict[str, Usage | None]
    wall_s: float | None
    episodes_per_s: float | None
    notes: list[str]
    out: str | None

    @field_serializer("usage")
    def _without_cost(self, usage: dict[str, Usage | None]) -> dict[str, Any]:
        """Costs stand in `cost`."""
        return {
            payer: used and used.model_dump(exclude={"cost_usd"}) for payer, used in usage.items()
        }


def summary(
    manifest: Manifest,
    units: Sequence[UnitResult] | RunRows,
    *,
    wall_s: float | None = None,
    out: Path | str | None = None,
    judged: Sequence[Judged] = (),
) -> Summary:
    """Summarise the newest attempt at each unit; `judged` is what a judge said about them.

    Rates and means are over units that count for the agent, intervals over tasks.
    """
    run = units if isinstance(units, RunRows) else RunRows.of(all_diagnosed(units))
    rows, turns, verdicts = run.units, run.turns, run.verdicts
    shares = _Shares(manifest)
    wall_s = run.span_s if wall_s is None else wall_s
    planned = planned_units(manifest, len(rows))
    ambiguous = [row for row in rows if row.task.main_type == "disambiguation"]
    whole = shares.of(rows)
    return Summary(
        run_id=manifest.run_id,
        pace=manifest.pace,
        patience_s=manifest.patience_s,
        latency_profile=manifest.latency_profile if paced(manifest.agent) else None,
        budget_profile=manifest.conditions.get("budget_profile"),
        profile=manifest.profile,
        compat=manifest.compat,
        planned=planned,
        unsupported=list(manifest.unsupported),
        coverage=whole["evaluated"] / planned if planned else None,
        estimator=shares.estimator,
        **whole,
        by_type=shares.by(rows, lambda row: row.task.main_type),
        by_subtype=shares.by(rows, lambda row: row.task.task_type),
        by_priority=shares.by(ambiguous, lambda row: _known(row.task.settled_by)),
        by_persona=shares.by(rows, lambda row: row.task.persona or "none"),
        by_actions=shares.by(rows, lambda row: _known(row.task.expected_actions)),
        by_script=shares.by(rows, lambda row: row.task.script or "none"),
        by_difficulty={axis: shares.by(rows, partial(band_of, axis=axis)) for axis in AXES},
        difficulty_map={axis: difficulty_map(rows, axis) for axis in AXES if axis != ACROSS},
        pairs=shares.pairs(rows),
        latency_ms=turns.latency_ms(),
        snr_db=turns.snr(),
        recognition=turns.recognition(),
        kept_audio=run.kept_sound,
        policy_coverage=verdicts.coverage(),
        judge=judge_figures(judged),
        judge_named=_named_judge(manifest),
        rules=verdicts.rules(),
        by_failure=verdicts.failures(),
        infra_example=run.infra_example,
        broken_agent=verdicts.broken(),
        honesty=verdicts.honesty(),
        driver=verdicts.driver(),
        driver_error=scripted_driver_error() if manifest.user == SCRIPTED else None,
        driver_load=verdicts.load(),
        recovery=verdicts.recovery(),
        harness=turns.harness(),
        cost={payer: run.cost(payer) for payer in PAYERS},
        usage={payer: run.usage(payer) for payer in PAYERS},
        wall_s=wall_s,
        episodes_per_s=len(rows) / wall_s if wall_s else None,
        notes=_notes(manifest, rows),
        out=str(out) if out else None,
    )


def planned_units(manifest: Manifest, stored: int) -> int:
    """An imported recording does not say how many units were planned."""
    return stored if manifest.pace == RECORDED else manifest.planned


def means(evaluated: Iterable[UnitVerdict], *, timed: bool) -> dict[str, float | None]:
    """The mean rewards; in time only if latencies are judged."""
    verdicts = list(evaluated)
    return {
        "reward_mean": _mean_if_all_known(verdict.reward for verdict in verdicts),
        "reward_coded_mean": _mean_if_all_known(verdict.reward_coded for verdict in verdicts),
        "in_time_mean": (
            _mean_if_all_known(verdict.reward_in_time for verdict in verdicts) if timed else None
        ),
    }


class _Shares:
    """Computes the shares of a run and of its parts; equal samples are drawn once."""

    def __init__(self, manifest: Manifest) -> None:
        self._key = manifest_key(manifest)
        self._judges_latencies = manifest.latencies_judged
        self._bootstraps: dict[frozenset[tuple[Tally, int]], Bootstrap] = {}
        self.estimator = "first-k" if is_published(manifest.profile) else "unbiased"

    def of(self, rows: Sequence[UnitRow]) -> dict[str, Any]:
        """The fields of `Shares`."""
        outcomes = Counter(row.verdict.outcome for row in rows)
        evaluated = [row for row in rows if row.verdict.evaluated]
        solved = [(*row.unit, row.solved) for row in evaluated]
        timed = [row for row in evaluated if self._judges_latencies and row.verdict.timed]
        in_time = [(*row.unit, row.verdict.in_time) for row in timed]
        return {
            "evaluated": len(evaluated),
            "user_error": outcomes["user_error"],
            "infra_error": outcomes["infra_error"],
            "played_again": sum(row.attempt for row in rows),
            **means((row.verdict for row in evaluated), timed=self._judges_latencies),
            **self._by_k(solved, {"pass_hat_k": pass_hat, "pass_at_k": pass_at}),
            **self._by_k(in_time, {"pass_hat_k_in_time": pass_hat}),
            "noise_floor": self._noise(solved),
            "flip_rate": flip_rate(_tallies(solved)),
            "budget": budget(row.turns for row in evaluated),
        }

    def by(self, rows: Iterable[UnitRow], group: Group) -> dict[str, Part]:
        """One part per group; written and derived scripts never share one."""
        groups: dict[str, dict[str, list[UnitRow]]] = defaultdict(lambda: defaultdict(list))
        for row in rows:
            groups[group(row)][row.task.script or ""].append(row)
        return {
            name if len(by_script) == 1 else f"{name} ({script or 'no'} script)": Part(
                script=script or None, **self.of(members)
            )
            for name, by_script in sorted(groups.items(), key=lambda item: _naturally(item[0]))
            for script, members in sorted(by_script.items())
        }

    def pairs(self, rows: Sequence[UnitRow]) -> PairFigures | None:
        """Pairs of twins; families of them are what is drawn, as tasks are elsewhere."""
        pairs = list(pairs_in(rows))
        solved = self._bootstrap(pair_tallies(pairs)).mean(_for_k(pass_hat, 1))
        return pair_figures(rows, pairs, solved)

    def _by_k(
        self, results: list[Result], statistics: Mapping[str, PassK]
    ) -> dict[str, dict[str, Estimate]]:
        unbiased = _tallies(results)
        most = max((tally.trials for tally in unbiased.values()), default=0)
        estimates: dict[str, dict[str, Estimate]] = {name: {} for name in statistics}
        for k in trial_numbers(most):
            per_task = first_trials(results, k) if self.estimator == "first-k" else unbiased
            bootstrap = self._bootstrap(per_task)
            for name, statistic in statistics.items():
                found = bootstrap.mean(_for_k(statistic, k), least_trials=k)
                if found is not None:
                    estimates[name][str(k)] = found
        return estimates

    def _noise(self, results: list[Result]) -> float | None:
        """Half the 95 % interval of the difference of two runs like this one.

        Two such runs that differ by less may be one and the same agent.
        """
        once = self._bootstrap(_tallies(results)).mean(_for_k(pass_hat, 1))
        return sqrt(2) * (once.hi - once.lo) / 2 if once else None

    def _bootstrap(self, per_task: Mapping[str, Tally]) -> Bootstrap:
        """Samples depend on the tallies alone, so equal tallies share them."""
        tallied = frozenset(Counter(per_task.values()).items())
        if tallied not in self._bootstraps:
            self._bootstraps[tallied] = Bootstrap(per_task, self._key)
        return self._bootstraps[tallied]


def _named_judge(manifest: Manifest) -> str | None:
    """The judge that was asked for, whether or not a rule needed it."""
    named = manifest.options.get("judge")
    return None if named in (None, OFF) else str(named)


def _for_k(statistic: PassK, k: int) -> Callable[[Tally], float]:
    return lambda tally: statistic(tally, k)


def _tallies(results: Iterable[Result]) -> dict[str, Tally]:
    return tallies((task_id, success) for task_id, _, success in results)


def _mean_if_all_known(values: Iterable[float | None]) -> float | None:
    """Null as soon as one is: a mean over the rest would be that of another run."""
    found = list(values)
    known = [value for value in found if value is not None]
    return mean(known) if len(known) == len(found) else None


def _known(number: int | None) -> str:
    return "unknown" if number is None else str(number)


def _naturally(name: str) -> tuple[int, str]:
    """Numbers by value, before words."""
    return (int(name), "") if name.isdecimal() else (sys.maxsize, name)


def _notes(manifest: Manifest, rows: Iterable[UnitRow]) -> list[str]:
    """Sentences to print below the numbers and in the report."""
    notes = []
    origins = Counter(origin for _, origin in {(row.task.task_id, row.task.script) for row in rows})
    if origins["derived"] or origins["reviewed"]:
        notes.append(
            f"Scripts of the driver: {origins['reviewed']} reviewed by somebody, "
            f"{origins['derived']} derived from prose by rules alone."
        )
    if manifest.by_person:
        notes.append(
            "A person played the assistant: its latencies are those of a person, who reads, looks "
            "for a tool and types."
        )
    if manifest.patience_s is not None:
        notes.append(
            f"Latencies are not judged, because this run used --patience {manifest.patience_s:g}: "
            "nothing counts as too late or as solved in time."
        )
    if manifest.agent.startswith("a2a:"):
        notes.append(
            "Over A2A an answer arrives as a whole: the first text (ttft_text) is the end of the "
            "agent's work in a turn, and nothing can be said while it works."
        )
    if left_out := manifest.options.get("interjections_left_out"):
        notes.append(
            "A driver played by a model or a person waits for the end of each reply: what should "
            f"be said over it, or into a silence, in {counted(len(left_out), 'task')} was not said "
            f"({', '.join(left_out)})."
        )
    return notes
