"""Everything of the page that stands still, from top to bottom."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluator.report.content import class_rows, rule_rows, span_stories
from evaluator.report.markup import Markup
from evaluator.report.overview import breakdown, consistency, tiles, top
from evaluator.report.pieces import grid
from evaluator.report.verdicts import failures, faults, rules
from evaluator.report.waiting import waiting
from evaluator.results.manifest import Manifest
from evaluator.results.store import UnitResult


def sections(manifest: Manifest, units: Sequence[UnitResult], figures: Mapping[str, Any]) -> Markup:
    """Everything above the unit explorer."""
    turns = [turn for unit in units if unit.score.evaluated for turn in unit.score.turns]
    parts = [
        top(manifest, figures),
        tiles(figures),
        grid(consistency(manifest, units, figures), breakdown(figures)),
        failures(units),
        faults(figures),
        rules(rule_rows(units)),
        waiting(list(span_stories(turns)), class_rows(turns), figures),
    ]
    return Markup("\n".join(part for part in parts if part))
