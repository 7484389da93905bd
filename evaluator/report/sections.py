"""The static part of the page, from top to bottom."""

from collections.abc import Sequence

from evaluator.report.content import class_rows, rule_rows, span_values
from evaluator.report.latency import latency
from evaluator.report.markup import Markup, together
from evaluator.report.overview import breakdown, consistency, tiles, top
from evaluator.report.pieces import div
from evaluator.report.verdicts import failures, faults, rules
from evaluator.results.manifest import Manifest
from evaluator.results.store import UnitResult
from evaluator.results.summary import Summary
from evaluator.results.turn_figures import evaluated_turns


def sections(manifest: Manifest, units: Sequence[UnitResult], run: Summary) -> Markup:
    """Everything above the unit explorer."""
    turns = evaluated_turns(units)
    return together(
        [
            top(manifest, run),
            tiles(run),
            div("grid", consistency(manifest, units, run), breakdown(run)),
            failures(units),
            faults(run.recovery),
            rules(rule_rows(units)),
            latency(list(span_values(turns)), class_rows(turns), run),
        ]
    )
