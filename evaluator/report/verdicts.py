"""Where units failed and why, how faults were handled, and which rules of the car were broken."""

from collections.abc import Iterable, Sequence

from assistant_gateway.wording.spoken import counted
from evaluator.report.content import Examples, RunContent
from evaluator.report.elements import bad, bars, card, div, links, stack, table
from evaluator.report.markup import Child, Markup, element
from evaluator.results.rows.unit_row import UnitRow
from evaluator.results.summary import Summary
from evaluator.results.verdict_figures import RecoveryFigures, RuleCounts
from evaluator.scoring.failure_kinds import KINDS
from evaluator.scoring.policies import rule_text
from evaluator.views.captions import FAILED_COMPONENTS, FAULTS, caption, percent

NOT_THE_AGENT = ("user_error", "infrastructure")


def failures(rows: Sequence[UnitRow], content: RunContent, run: Summary) -> Markup:
    """Kinds of failure, components that failed, and the most frequent reasons."""
    late = sum(row.verdict.late for row in rows)
    if not run.by_failure and late:
        text = f"All units were solved, {late} of {len(rows)} not in time."
        return card("Solved, but not in time", element("p", text, class_="note"))
    if not run.by_failure:
        return card("Failures", element("p", "No unit failed.", class_="note"))
    kinds = sorted(run.by_failure.items(), key=lambda item: item[0] in NOT_THE_AGENT)
    components = content.failed_components.items()
    seen = content.also_seen
    return card(
        "Failures",
        div(
            "columns",
            div("", element("h3", "Kind of failure"), bars((KINDS[k], n) for k, n in kinds)),
            div(
                "",
                element("h3", "Failed components"),
                bars(((caption(FAILED_COMPONENTS, k), n) for k, n in components), kind="soft"),
            ),
            div("", element("h3", "Also seen"), bars(seen.items(), kind="soft")) if seen else None,
        ),
        element("h3", "Most frequent reasons"),
        _reasons(content.most_frequent_reasons()),
        note=f"{sum(run.by_failure.values())} of {counted(len(rows), 'unit')} failed"
        + (f"; {late} more were solved, but not in time." if late else "."),
        kind="wide",
    )


def _reasons(found: Iterable[tuple[str, int, Sequence[str]]]) -> Markup:
    rows = [
        element("li", element("b", count), element("span", reason), links(examples))
        for reason, count, examples in found
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
    note = str(recovery).capitalize()
    if recovery.noticed is not None:
        note += f"; {percent(recovery.noticed)} of the faults with an effect were noticed"
    if recovery.false_claims:
        note += f"; {counted(recovery.false_claims, 'episode')} had a false claim after a fault"
    head = ("Fault", "#Episodes", "#Recovered")
    return card("Injected faults", table(head, rows), note=f"{note}.", kind="wide")


def rules(counts: dict[str, RuleCounts], broken_rules: Examples) -> Markup | None:
    """A row per rule that applied, those that were broken first."""
    if not counts:
        return None
    broken, undecided = (
        sum(getattr(count, name) for count in counts.values()) for name in ("broken", "undecided")
    )
    applied = broken + undecided + sum(count.kept for count in counts.values())
    note = f"Broken in {broken} of {applied} cases"
    note += f"; {undecided} are undecided without a judge and count as kept." if undecided else "."
    rows = [
        _rule(name, count, broken_rules.first.get(name, ()))
        for name, count in sorted(counts.items(), key=lambda item: (-item[1].broken, item[0]))
    ]
    made = table(("Rule", "|", "#Kept", "#Broken", "#Undecided"), rows)
    return card("Rules of the car", made, note=note, kind="wide")


def _rule(policy_id: str, count: RuleCounts, examples: Sequence[str]) -> Sequence[Child]:
    text = element(
        "details", element("summary", element("b", policy_id), " ", rule_text(policy_id))
    )
    return (
        (text, links(examples)),
        stack((("ok", count.kept), ("open", count.undecided), ("hard", count.broken))),
        count.kept,
        bad(count.broken) if count.broken else 0,
        count.undecided or "",
    )
