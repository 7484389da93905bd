"""Where units failed and why, how faults were handled, and which rules of the car were broken."""

from collections.abc import Iterable, Mapping, Sequence

from evaluator.report.content import (
    RuleRow,
    UnitCount,
    also_seen,
    failed_components,
    failure_kinds,
    reasons,
)
from evaluator.report.markup import Child, Markup, element
from evaluator.report.pieces import bad, bars, card, div, links, percent, stack, table
from evaluator.results.store import UnitResult
from evaluator.results.verdict_figures import RecoveryFigures
from evaluator.scoring.failure_kinds import KINDS
from evaluator.views.captions import FAULTS, caption

FAILED_COMPONENTS = {
    "r_actions_final": "wrong end state",
    "r_actions_intermediate": "wrong intermediate state",
    "r_tool_subset": "required call missing",
    "r_tool_execution": "call refused",
    "r_policy": "rule broken",
    "r_user_end_conversation": "driver ended the conversation",
}


def failures(units: Sequence[UnitResult]) -> Markup:
    """Kinds of failure, components that failed, and the most frequent reasons."""
    kinds = failure_kinds(units)
    if not kinds:
        return card("Failures", element("p", "No unit failed.", class_="note"))
    total = sum(count.units for count in kinds)
    seen = also_seen(units)
    components = _named(failed_components(units), FAILED_COMPONENTS)
    return card(
        "Failures",
        div(
            "columns",
            div("", element("h3", "Kind of failure"), bars(_named(kinds, KINDS))),
            div("", element("h3", "Failed components"), bars(components, kind="soft")),
            div("", element("h3", "Also seen"), bars(seen, kind="soft")) if seen else None,
        ),
        element("h3", "Most frequent reasons"),
        _reasons(reasons(units)),
        note=f"{total} of {len(units)} units failed.",
        kind="wide",
    )


def _named(counts: Iterable[UnitCount], captions: Mapping[str, str]) -> list[UnitCount]:
    return [UnitCount(caption(captions, count.name), count.units) for count in counts]


def _reasons(counts: Iterable[UnitCount]) -> Markup:
    rows = [
        element(
            "li",
            element("b", str(count.units)),
            element("span", count.name),
            links(count.examples),
        )
        for count in counts
    ]
    return element("ol", *rows, class_="reasons")


def faults(recovery: RecoveryFigures | None) -> Markup | None:
    """In how many episodes the agent recovered, by kind of fault."""
    if recovery is None:
        return None
    rows = [
        (caption(FAULTS, kind), row.faulted, row.recovered)
        for kind, row in recovery.by_kind.items()
    ]
    note = f"Recovered in {recovery.recovered} of {recovery.faulted} episodes with faults"
    if recovery.noticed is not None:
        note += f"; {percent(recovery.noticed)} of the faults with an effect were noticed"
    if recovery.false_claims:
        note += f"; {recovery.false_claims} episodes had a false claim after a fault"
    head = ("Fault", "#Episodes", "#Recovered")
    return card("Injected faults", table(head, rows), note=f"{note}.", kind="wide")


def rules(rows: Sequence[RuleRow]) -> Markup | None:
    """A row per rule that applied, those that were broken first."""
    if not rows:
        return None
    broken, applied = sum(row.broken for row in rows), sum(row.applied for row in rows)
    undecided = sum(row.undecided for row in rows)
    note = f"Broken in {broken} of {applied} cases"
    note += f"; {undecided} are undecided without a judge and count as kept." if undecided else "."
    ordered = sorted(rows, key=lambda row: (-row.broken, row.policy_id))
    made = table(("Rule", "|", "#Kept", "#Broken", "#Undecided"), map(_rule, ordered))
    return card("Rules of the car", made, note=note, kind="wide")


def _rule(row: RuleRow) -> Sequence[Child]:
    text = element("details", element("summary", element("b", row.policy_id), " ", row.rule))
    judged = f"{row.by_judge} by the judge" if row.by_judge else None
    return (
        (text, links(row.examples)),
        stack((("ok", row.kept), ("open", row.undecided), ("hard", row.broken))),
        element("td", str(row.kept), class_="n", title=judged),
        bad(row.broken) if row.broken else row.broken,
        row.undecided or "",
    )
