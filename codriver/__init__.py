"""Stored runs of codriver in Python: `codriver.open_run("runs/mine")`.

import codriver

run = codriver.open_run("runs/mine")
for unit in run:
    print(unit.name, unit.outcome, [turn.agent for turn in unit.turns])
run.to_dataframe("turns").groupby("turn_class").upl_ms.median()
"""

from evaluator.problems import Problem, UsageProblem
from evaluator.results.store import StoreError
from evaluator.stored_run.parts import Span, StoredCall, StoredTurn
from evaluator.stored_run.run import StoredRun, open_run
from evaluator.stored_run.unit import StoredUnit

__all__ = [
    "Problem",
    "Span",
    "StoreError",
    "StoredCall",
    "StoredRun",
    "StoredTurn",
    "StoredUnit",
    "UsageProblem",
    "open_run",
]
