"""The top of the page: headline, caveats, figures, consistency, and how each kind of task went."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluator.report.charts import Series, pass_chart
from evaluator.report.content import steadiness
from evaluator.report.markup import Markup, element
from evaluator.report.pieces import card, div, percent
from evaluator.results.manifest import Manifest
from evaluator.results.store import UnitResult
from evaluator.scoring.untimed import RECORDED
from evaluator.views.captions import FAMILIES, PRIORITIES, TASK_TYPES, caption

Figures = Mapping[str, Any]
BREAKDOWNS: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("by_subtype", "Kind of task", TASK_TYPES),
    ("by_type", "Type", FAMILIES),
    ("by_priority", "Settled by", PRIORITIES),
    ("by_actions", "Expected actions", {}),
    ("by_persona", "Persona", {}),
)
STEADY = {
    "always": "solved in every trial",
    "sometimes": "solved in some trials",
    "never": "never solved",
}
FULL_COVERAGE = 0.95


def top(manifest: Manifest, figures: Figures) -> Markup:
    """The result as a headline, what was run, and what to keep in mind."""
    facts = [
        ("agent", manifest.agent),
        ("driver", manifest.user),
        ("pace", manifest.pace),
        ("latency", manifest.latency_profile),
        ("budgets", manifest.conditions.get("budget_profile", "default")),
        ("profile", manifest.profile),
        ("tasks", f"{len(manifest.tasks)}"),
        ("trials", f"{manifest.num_trials}"),
        ("run", manifest.run_id),
        ("begun", manifest.created_at[:16].replace("T", " ")),
    ]
    listed = [div("", element("dt", name), element("dd", value)) for name, value in facts]
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
    yield from figures["notes"]
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


def tiles(figures: Figures) -> Markup:
    """The few figures one looks at first."""
    always = figures["pass_hat_k"]
    k = max(always, key=int, default="1")
    upl = figures["latency_ms"].get("upl")
    shown = [_tile("Solved", _first(always), "of the tasks, any one trial")]
    if in_time := _first(figures["pass_hat_k_in_time"]):
        shown.append(_tile("Solved in time", in_time, "and no turn too slow"))
    if int(k) > 1:
        shown.append(_tile("Solved every time", always[k], f"in {k} of {k} trials (Pass^{k})"))
    if upl is not None:
        most = (
            "more than 5 % never came" if upl["p95"] is None else f"95 % within {_ms(upl['p95'])}"
        )
        shown.append(_plain("First speech", _ms(upl["p50"]), f"median; {most}"))
    budget = figures["budget"]
    if budget["turns"]:
        late = budget["soft_miss_rate"] - budget["hard_miss_rate"]
        told_late = f"of {budget['turns']} turns; {percent(late)} more were late"
        shown.append(_plain("Too slow", percent(budget["hard_miss_rate"]), told_late))
    return div("tiles", *shown)


def _tile(label: str, estimate: Figures | None, more: str) -> Markup:
    if estimate is None:
        return _plain(label, "unknown", more)
    interval = f"95 %: {estimate['lo'] * 100:.0f} to {estimate['hi'] * 100:.0f}"
    return div(
        "tile",
        element("h2", label),
        element("p", percent(estimate["value"]), class_="value"),
        _whisker(estimate),
        element("p", f"{interval} · {more}", class_="more"),
    )


def _plain(label: str, value: str, more: str) -> Markup:
    return div(
        "tile",
        element("h2", label),
        element("p", value, class_="value"),
        element("p", more, class_="more"),
    )


def _whisker(estimate: Figures, kind: str = "") -> Markup:
    """A point on a line from 0 to 100 % with its interval."""
    lo, hi, value = (estimate[name] * 100 for name in ("lo", "hi", "value"))
    return div(
        f"whisker {kind}".rstrip(),
        element("i", class_="range", style=f"left:{lo:.1f}%;width:{max(hi - lo, 0.4):.1f}%"),
        element("i", class_="point", style=f"left:{value:.1f}%"),
    )


def consistency(manifest: Manifest, units: Sequence[UnitResult], figures: Figures) -> Markup:
    """Pass^k against Pass@k, and how many tasks were solved always, sometimes, never."""
    series = [
        Series("at least once", "once", figures["pass_at_k"]),
        Series("every time", "always", figures["pass_hat_k"]),
        Series("always in time", "timed", figures["pass_hat_k_in_time"]),
    ]
    steady = [found for found in steadiness(units) if found[1]]
    total = sum(count for _, count in steady)
    parts = [
        element("i", class_=name, style=f"flex:{count}", title=f"{count} tasks {STEADY[name]}")
        for name, count in steady
    ]
    legend = [
        element("li", element("b", f"{count}"), f" {STEADY[name]}", class_=name)
        for name, count in steady
    ]
    shares = (div("stack", *parts), element("ul", *legend, class_="legend"))
    if manifest.num_trials == 1:
        note = "One trial says nothing about consistency; run with --num-trials 3 or more."
        return card("Consistency", *shares, note=note)
    flip = figures["flip_rate"]
    return card(
        "Consistency",
        pass_chart([one for one in series if one.by_k]),
        *shares,
        note=None
        if flip is None
        else f"{percent(flip)} of {total} tasks were solved in one trial and not in another.",
    )


def breakdown(figures: Figures) -> Markup:
    """A row per kind of task, number of actions and persona; tabs choose."""
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
        lines = [_row(caption(captions, name), row) for name, row in rows.items()]
        panels.append(element("div", *lines, class_="rows", id=key, hidden=not first))
    legend = element(
        "ul",
        element("li", "solved", class_="always"),
        element("li", "solved in time", class_="timed") if figures["budget"]["turns"] else None,
        class_="legend",
    )
    return card("By task", div("tabs", *tabs), *panels, legend)


def _row(label: str, row: Figures) -> Markup:
    solved, in_time = _first(row["pass_hat_k"]), _first(row["pass_hat_k_in_time"])
    value = percent(solved["value"]) if solved else "unknown"
    return div(
        "row",
        div("name", label, element("span", f" {row['evaluated']}", title="evaluated units")),
        div(
            "marks",
            _whisker(solved, "always") if solved else None,
            _whisker(in_time, "timed") if in_time and row["budget"]["turns"] else None,
        ),
        div("number", value),
    )


def _ms(value: float | None) -> str:
    return "never" if value is None else f"{value / 1000:.2f} s"
