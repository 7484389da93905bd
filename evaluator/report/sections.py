"""The parts of the page that stand still: headline, figures, consistency, failures, rules, time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evaluator.captions import FAMILIES, SPANS, TASK_TYPES, TURN_CLASSES, told
from evaluator.manifest import Manifest
from evaluator.report.charts import Histogram, Series, histogram, pass_chart
from evaluator.report.content import (
    ClassRow,
    RuleRow,
    Share,
    SpanStory,
    class_rows,
    failed_components,
    failure_kinds,
    kind_caption,
    notes,
    reasons,
    rule_rows,
    span_stories,
    steadiness,
)
from evaluator.report.markup import Child, Markup, element
from evaluator.store import UnitResult
from evaluator.untimed import RECORDED

Figures = Mapping[str, Any]
BREAKDOWNS: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("by_subtype", "Kind of task", TASK_TYPES),
    ("by_type", "Type", FAMILIES),
    ("by_actions", "Expected actions", {}),
    ("by_persona", "Persona", {}),
)
STEADY = {
    "always": "solved in every trial",
    "sometimes": "solved in some trials",
    "never": "never solved",
}
FULL_COVERAGE = 0.95


def sections(manifest: Manifest, units: Sequence[UnitResult], figures: Figures) -> Markup:
    """Everything above the unit explorer."""
    turns = [turn for unit in units if unit.score.evaluated for turn in unit.score.turns]
    parts = [
        _top(manifest, figures),
        _tiles(figures),
        _grid(_consistency(manifest, units, figures), _breakdown(figures)),
        _failures(units),
        _rules(rule_rows(units), figures),
        _time(list(span_stories(turns)), class_rows(turns), figures),
    ]
    return Markup("\n".join(part for part in parts if part))


def _div(kind: str, *children: Child) -> Markup:
    return element("div", *children, class_=kind)


def _grid(*children: Child) -> Markup:
    return _div("grid", *children)


def _card(title: str, *children: Child, note: Child = None, kind: str = "") -> Markup:
    lead = element("p", note, class_="note") if note else None
    return element("section", element("h2", title), lead, *children, class_=f"card {kind}".rstrip())


# --- headline


def _top(manifest: Manifest, figures: Figures) -> Markup:
    facts = [
        ("agent", manifest.agent),
        ("driver", manifest.user),
        ("pace", manifest.pace),
        ("latency", manifest.latency_profile),
        ("profile", manifest.profile),
        ("tasks", f"{len(manifest.tasks)}"),
        ("trials", f"{manifest.num_trials}"),
        ("run", manifest.run_id),
        ("begun", manifest.created_at[:16].replace("T", " ")),
    ]
    listed = [_div("", element("dt", name), element("dd", value)) for name, value in facts]
    return element(
        "header",
        element("p", "codriver report", class_="brand"),
        element("h1", _headline(figures)),
        element("dl", *listed, class_="facts"),
        element("ul", *(element("li", line) for line in caveats(figures)), class_="caveats"),
    )


def _headline(figures: Figures) -> str:
    solved, in_time = _first(figures["pass_hat_k"]), _first(figures["pass_hat_k_in_time"])
    if solved is None:
        return "Nothing could be evaluated"
    if in_time is None or figures["budget"]["turns"] == 0:
        return f"{percent(solved['value'])} of the tasks solved"
    return f"{percent(solved['value'])} of the tasks solved, {percent(in_time['value'])} in time"


def _first(estimates: Figures) -> Figures | None:
    found: Figures | None = estimates.get("1")
    return found


def caveats(figures: Figures) -> Iterator[str]:
    """What a reader has to know before comparing these figures with others."""
    if figures["pace"] == RECORDED:
        yield (
            "Imported: nothing is known about time, so conversations count messages. The driver's "
            "last word and the judge's verdicts are those of the recording."
        )
    coverage, planned = figures["coverage"], figures["planned"]
    if coverage is not None and coverage < 1:
        weak = " Too few to speak for the run." if coverage < FULL_COVERAGE else ""
        yield (
            f"{figures['evaluated']} of {planned} planned units count for the agent: "
            f"{figures['user_error']} were spoilt by the driver, {figures['infra_error']} by the "
            f"bench, {planned - _ended(figures)} are missing.{weak}"
        )
    if figures["noise_floor"]:
        points = f"{figures['noise_floor'] * 100:.0f}"
        yield f"Two runs like this one have to differ by {points} points before it means anything."
    if figures["unsupported"]:
        number = len(figures["unsupported"])
        yield f"{number} tasks need something this car lacks and were left out."
    yield from _judged(figures["judge"], figures["policy_coverage"])
    if figures["harness"]["degraded"]:
        degraded, excluded = figures["harness"]["degraded"], figures["harness"]["excluded"]
        yield f"The bench itself was late in {degraded} turns; {excluded} of them are left out."
    if figures["estimator"] == "first-k":
        yield "Pass^k and Pass@k look at the first k trials, as the public benchmark does."


def _ended(figures: Figures) -> int:
    return int(figures["evaluated"] + figures["user_error"] + figures["infra_error"])


def _judged(judge: Figures | None, coverage: Figures) -> Iterator[str]:
    left = coverage["applicable"] - coverage["decided"]
    name = "Judge off" if judge is None else f"Judge {judge['judge'].partition('@')[0]}"
    if left:
        yield (
            f"{name}: {left} of {coverage['applicable']} decisions about rules are open and count "
            "as kept."
        )
    elif judge is not None:
        yield f"{name} decided {judge['judged']} questions about rules that code cannot decide."


def _tiles(figures: Figures) -> Markup:
    always = figures["pass_hat_k"]
    k = max(always, key=int, default="1")
    upl = figures["latency_ms"].get("upl")
    tiles = [_tile("Solved", _first(always), "of the tasks, any one trial")]
    if in_time := _first(figures["pass_hat_k_in_time"]):
        tiles.append(_tile("Solved in time", in_time, "and no turn too slow"))
    if int(k) > 1:
        tiles.append(_tile("Solved every time", always[k], f"in {k} of {k} trials (Pass^{k})"))
    if upl is not None:
        most = (
            "more than 5 % never came" if upl["p95"] is None else f"95 % within {_ms(upl['p95'])}"
        )
        tiles.append(_plain("First speech", _ms(upl["p50"]), f"median; {most}"))
    budget = figures["budget"]
    if budget["turns"]:
        late = budget["soft_miss_rate"] - budget["hard_miss_rate"]
        told_late = f"of {budget['turns']} turns; {percent(late)} more were late"
        tiles.append(_plain("Too slow", percent(budget["hard_miss_rate"]), told_late))
    return _div("tiles", *tiles)


def _tile(label: str, estimate: Figures | None, more: str) -> Markup:
    if estimate is None:
        return _plain(label, "unknown", more)
    interval = f"95 %: {estimate['lo'] * 100:.0f} to {estimate['hi'] * 100:.0f}"
    return _div(
        "tile",
        element("h2", label),
        element("p", percent(estimate["value"]), class_="value"),
        _whisker(estimate),
        element("p", f"{interval} · {more}", class_="more"),
    )


def _plain(label: str, value: str, more: str) -> Markup:
    return _div(
        "tile",
        element("h2", label),
        element("p", value, class_="value"),
        element("p", more, class_="more"),
    )


def _whisker(estimate: Figures, kind: str = "") -> Markup:
    """A point on a line from 0 to 100 % with its interval."""
    lo, hi, value = (estimate[name] * 100 for name in ("lo", "hi", "value"))
    return _div(
        f"whisker {kind}".rstrip(),
        element("i", class_="range", style=f"left:{lo:.1f}%;width:{max(hi - lo, 0.4):.1f}%"),
        element("i", class_="point", style=f"left:{value:.1f}%"),
    )


# --- consistency


def _consistency(manifest: Manifest, units: Sequence[UnitResult], figures: Figures) -> Markup:
    series = [
        Series("at least once", "once", figures["pass_at_k"]),
        Series("every time", "always", figures["pass_hat_k"]),
        Series("always in time", "timed", figures["pass_hat_k_in_time"]),
    ]
    steady = [found for found in steadiness(units) if found[1]]
    if manifest.num_trials == 1:
        note = "One trial says nothing about consistency; run with --num-trials 3 or more."
        return _card("Consistency", _bars([Share(STEADY[n], c) for n, c in steady]), note=note)
    total = sum(count for _, count in steady)
    parts = [
        element("i", class_=name, style=f"flex:{count}", title=f"{count} tasks {STEADY[name]}")
        for name, count in steady
    ]
    legend = [
        element("li", element("b", f"{count}"), f" {STEADY[name]}", class_=name)
        for name, count in steady
    ]
    flip = figures["flip_rate"]
    return _card(
        "Consistency",
        pass_chart([one for one in series if one.by_k]),
        _div("stack", *parts),
        element("ul", *legend, class_="legend"),
        note=None
        if flip is None
        else f"{percent(flip)} of {total} tasks were solved in one trial and not in another.",
    )


def _breakdown(figures: Figures) -> Markup:
    tabs: list[Markup] = []
    panels: list[Markup] = []
    for key, label, captions in BREAKDOWNS:
        rows = figures[key]
        if tabs and len(rows) < 2:
            continue
        first = not tabs
        tabs.append(
            element("button", label, type="button", data_tab=key, aria_pressed=str(first).lower())
        )
        lines = [_row(told(captions, name), row) for name, row in rows.items()]
        panels.append(element("div", *lines, class_="rows", id=key, hidden=not first))
    legend = element(
        "ul",
        element("li", "solved", class_="always"),
        element("li", "solved in time", class_="timed") if figures["budget"]["turns"] else None,
        class_="legend",
    )
    return _card("By task", _div("tabs", *tabs), *panels, legend)


def _row(label: str, row: Figures) -> Markup:
    solved, in_time = _first(row["pass_hat_k"]), _first(row["pass_hat_k_in_time"])
    value = percent(solved["value"]) if solved else "unknown"
    return _div(
        "row",
        _div("name", label, element("span", f" {row['evaluated']}", title="evaluated units")),
        _div(
            "marks",
            _whisker(solved, "always") if solved else None,
            _whisker(in_time, "timed") if in_time and row["budget"]["turns"] else None,
        ),
        _div("number", value),
    )


# --- failures


def _failures(units: Sequence[UnitResult]) -> Markup:
    kinds = failure_kinds(units)
    if not kinds:
        return _card("Where it failed", element("p", "Nothing failed.", class_="note"))
    total = sum(share.units for share in kinds)
    named = [Share(kind_caption(share.name), share.units, share.examples) for share in kinds]
    components = [
        Share(_failed_caption(share.name), share.units, share.examples)
        for share in failed_components(units)
    ]
    noted = [Share(name, count) for name, count in notes(units).items() if count]
    return _card(
        "Where it failed, and why",
        _div(
            "columns",
            _div("", element("h3", "Kind of failure"), _bars(named)),
            _div("", element("h3", "What was not reached"), _bars(components, kind="soft")),
            _div("", element("h3", "Also seen"), _bars(noted, kind="soft")) if noted else None,
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


def _bars(shares: Sequence[Share], kind: str = "") -> Markup:
    most = max((share.units for share in shares), default=1)
    lines = [
        _div(
            "bar",
            _div("name", share.name),
            _div("track", element("i", style=f"width:{share.units / most * 100:.1f}%")),
            _div("number", str(share.units)),
        )
        for share in shares
    ]
    return _div(f"bars {kind}".rstrip(), *lines)


def _reasons(shares: Iterable[Share]) -> Markup:
    rows = [
        element(
            "li",
            element("b", str(share.units)),
            element("span", share.name),
            element("span", _links(share.examples), class_="links"),
        )
        for share in shares
    ]
    return element("ol", *rows, class_="reasons")


def _links(units: Iterable[str]) -> list[Markup]:
    return [element("a", unit, href=f"#unit={unit}") for unit in units]


# --- rules


def _rules(rows: Sequence[RuleRow], figures: Figures) -> Markup:
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
    return _card("Rules of the car", _div("scroll", table), note=note, kind="wide")


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
            element("span", _links(row.examples), class_="links"),
        ),
        element("td", _div("stack thin", *parts), class_="share"),
        element("td", str(row.kept), class_="n", title=judged.strip() or None),
        element("td", str(row.broken), class_="n bad" if row.broken else "n"),
        element("td", str(row.undecided) if row.undecided else "", class_="n"),
    )


# --- time


def _time(spans: Sequence[SpanStory], classes: Sequence[ClassRow], figures: Figures) -> Markup:
    if not spans:
        return Markup()
    legend = element(
        "ul",
        element("li", "within its budget", class_="ok"),
        element("li", "late", class_="soft"),
        element("li", "too late", class_="hard"),
        class_="legend",
    )
    return _card(
        "How long the driver waited",
        legend,
        _div("charts", *(_distribution(span) for span in spans)),
        element("h3", "Against the budget, by kind of turn (p50 / p95)"),
        _div("scroll", _classes(classes)),
        _load(figures["driver_load"]),
        note="From the true end of the driver's speech; the budget depends on the kind of turn.",
        kind="wide",
    )


def _distribution(span: SpanStory) -> Markup:
    p50_s, p95_s = span.percentile_s(0.5), span.percentile_s(0.95)
    never = f" · {span.never} never came" if span.never else ""
    told_s = f"p50 {_s(p50_s)} · p95 {_s(p95_s)} · n {len(span.values) + span.never}{never}"
    return element(
        "figure",
        element("figcaption", element("b", SPANS[span.span]), element("span", told_s)),
        histogram(Histogram(span.values, span.never, p50_s, p95_s)),
    )


def _classes(rows: Sequence[ClassRow]) -> Markup:
    spans = ("upl", "upl_content", "effect_latency")
    head = [
        element("th", "Turn"),
        element("th", "Turns", class_="n"),
        element("th", class_="share"),
    ]
    head += [element("th", SPANS[span], class_="n", title="p50 / p95") for span in spans]
    head += [element("th", "Late", class_="n"), element("th", "Too late", class_="n")]
    body = []
    for row in rows:
        kept = row.turns - row.soft - row.hard
        parts = [
            element("i", class_=kind, style=f"flex:{count}")
            for kind, count in (("ok", kept), ("soft", row.soft), ("hard", row.hard))
            if count
        ]
        cells = [
            element("td", element("b", row.turn_class), f" {told(TURN_CLASSES, row.turn_class)}"),
            element("td", str(row.turns), class_="n"),
            element("td", _div("stack thin", *parts), class_="share"),
            *(element("td", _both(row, span), class_="n") for span in spans),
            element("td", percent(row.soft / row.turns), class_="n"),
            element("td", percent(row.hard / row.turns), class_="n bad" if row.hard else "n"),
        ]
        body.append(element("tr", *cells))
    return element(
        "table",
        element("thead", element("tr", *head)),
        element("tbody", *body),
        class_="turns",
    )


def _both(row: ClassRow, span: str) -> str:
    if span not in row.p50_s:
        return ""
    return f"{_s(row.p50_s[span])} / {_s(row.p95_s[span])}"


def _load(load: Figures) -> Markup:
    if load["words_per_reply"] is None:
        return Markup()
    asked = load["choices_per_question"]
    choices = f", {asked:.1f} choices per question" if asked else ""
    return element(
        "p",
        f"A reply is {load['words_per_reply']:.0f} words or {load['seconds_per_reply']:.1f} s long "
        f"on average, the longest {load['longest_words']} words{choices}.",
        class_="note",
    )


def percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def _ms(value: float | None) -> str:
    return "never" if value is None else f"{value / 1000:.2f} s"


def _s(value: float | None) -> str:
    return "never" if value is None else f"{value:.2f} s"
