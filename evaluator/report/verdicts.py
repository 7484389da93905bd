"""Where units failed and why, and what became of the rules of the car."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluator.report.content import (
    RuleRow,
    Share,
    failed_components,
    failure_kinds,
    kind_caption,
    notes,
    reasons,
)
from evaluator.report.markup import Markup, element
from evaluator.report.pieces import bars, card, div, links, percent
from evaluator.results.store import UnitResult
from evaluator.views.captions import FAULTS, caption


def failures(units: Sequence[UnitResult]) -> Markup:
    """Kinds of failure, what was not reached, and the most frequent evidence."""
    kinds = failure_kinds(units)
    if not kinds:
        return card("Where it failed", element("p", "Nothing failed.", class_="note"))
    total = sum(share.units for share in kinds)
    named = [Share(kind_caption(share.name), share.units, share.examples) for share in kinds]
    components = [
        Share(_failed_caption(share.name), share.units, share.examples)
        for share in failed_components(units)
    ]
    noted = [Share(name, count) for name, count in notes(units).items() if count]
    return card(
        "Where it failed, and why",
        div(
            "columns",
            div("", element("h3", "Kind of failure"), bars(named)),
            div("", element("h3", "What was not reached"), bars(components, kind="soft")),
            div("", element("h3", "Also seen"), bars(noted, kind="soft")) if noted else None,
        ),
        element("h3", "Most frequent evidence"),
        _reasons(reasons(units)),
        note=f"{total} units failed.",
        kind="wide",
    )


def _failed_caption(name: str) -> str:
    return {
        "r_actions_final": "wrong end state",
        "r_actions_intermediate": "wrong state on the way",
        "r_tool_subset": "look-up missing",
        "r_tool_execution": "call refused",
        "r_policy": "rule broken",
        "r_user_end_conversation": "driver ended it",
    }.get(name, name)


def _reasons(shares: Iterable[Share]) -> Markup:
    rows = [
        element(
            "li",
            element("b", str(share.units)),
            element("span", share.name),
            element("span", links(share.examples), class_="links"),
        )
        for share in shares
    ]
    return element("ol", *rows, class_="reasons")


def faults(figures: Mapping[str, Any]) -> Markup:
    """How often the assistant got over what went wrong on purpose, by kind of fault."""
    found = figures.get("recovery")
    if found is None:
        return Markup()
    counted = [element("th", name, class_="n") for name in ("Episodes", "Got over")]
    head = element("tr", element("th", "Fault"), *counted)
    body = [
        element(
            "tr",
            element("td", caption(FAULTS, kind)),
            element("td", str(row["faulted"]), class_="n"),
            element("td", str(row["recovered"]), class_="n"),
        )
        for kind, row in found["by_kind"].items()
    ]
    table = element("table", element("thead", head), element("tbody", *body))
    note = f"{found['recovered']} of {found['faulted']} episodes with a fault were got over"
    if found["noticed"] is not None:
        note += (
            f"; noticed in {percent(found['noticed'])} of those where there was something to see"
        )
    if found["false_claims"]:
        note += f"; {found['false_claims']} with a false claim after it"
    return card("What went wrong on purpose", div("scroll", table), note=f"{note}.", kind="wide")


def rules(rows: Sequence[RuleRow]) -> Markup:
    """A row per rule that applied, those that were broken first."""
    if not rows:
        return Markup()
    broken, applied = sum(row.broken for row in rows), sum(row.applied for row in rows)
    undecided = sum(row.undecided for row in rows)
    note = f"{broken} of {applied} decisions say broken"
    note += f"; {undecided} need a judge and count as kept." if undecided else "."
    head = [
        element("th", name, class_=kind)
        for name, kind in (
            ("Rule", ""),
            ("", "share"),
            ("Kept", "n"),
            ("Broken", "n"),
            ("Open", "n"),
        )
    ]
    body = [_rule(row) for row in sorted(rows, key=lambda row: (-row.broken, row.policy_id))]
    table = element("table", element("thead", element("tr", *head)), element("tbody", *body))
    return card("Rules of the car", div("scroll", table), note=note, kind="wide")


def _rule(row: RuleRow) -> Markup:
    parts = [
        element("i", class_=kind, style=f"flex:{count}")
        for kind, count in (("ok", row.kept), ("open", row.undecided), ("hard", row.broken))
        if count
    ]
    judged = f" {row.by_judge} by the judge" if row.by_judge else ""
    return element(
        "tr",
        element(
            "td",
            element("details", element("summary", element("b", row.policy_id), " ", row.rule)),
            element("span", links(row.examples), class_="links"),
        ),
        element("td", div("stack thin", *parts), class_="share"),
        element("td", str(row.kept), class_="n", title=judged.strip() or None),
        element("td", str(row.broken), class_="n bad" if row.broken else "n"),
        element("td", str(row.undecided) if row.undecided else "", class_="n"),
    )
