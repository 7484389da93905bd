"""How long the driver waited: distributions, budgets by kind of turn, and what had to be heard."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluator.report.charts import Histogram, histogram
from evaluator.report.content import ClassRow, SpanStory
from evaluator.report.markup import Markup, element
from evaluator.report.pieces import card, div, percent
from evaluator.results.summary import SHARES
from evaluator.views.captions import SPANS, TURN_CLASSES, caption

Figures = Mapping[str, Any]


def waiting(spans: Sequence[SpanStory], classes: Sequence[ClassRow], figures: Figures) -> Markup:
    """Nothing if no turn was timed."""
    if not spans:
        return Markup()
    legend = element(
        "ul",
        element("li", "within its budget", class_="ok"),
        element("li", "late", class_="soft"),
        element("li", "too late", class_="hard"),
        class_="legend",
    )
    return card(
        "How long the driver waited",
        legend,
        div("charts", *(_distribution(span) for span in spans)),
        element("h3", "Against the budget, by kind of turn (p50 / p95)"),
        div("scroll", _classes(classes)),
        _credit(figures["budget"]["score_mean"]),
        element("h3", "All that was measured"),
        div("scroll", _measured(figures["latency_ms"])),
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
            element(
                "td", element("b", row.turn_class), f" {caption(TURN_CLASSES, row.turn_class)}"
            ),
            element("td", str(row.turns), class_="n"),
            element("td", div("stack thin", *parts), class_="share"),
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


def _credit(score_mean: float | None) -> Markup:
    if score_mean is None:
        return Markup()
    told_mean = f"Latency score {score_mean:.2f}: the mean credit of a turn, "
    return element("p", told_mean, "1 up to its soft limits, 0 from a hard one on.", class_="note")


def _measured(spans: Figures) -> Markup:
    """Each span as `--json` has it; a percentile among turns that were never answered is never."""
    head = [element("th", "Span")]
    head += [element("th", name, class_="n") for name in (*SHARES, "turns", "never came")]
    body = []
    for name, row in sorted(spans.items(), key=lambda item: _place(item[0])):
        cells = [element("td", caption(SPANS, name), " ", element("code", name))]
        cells += [element("td", _ms(row[share]), class_="n") for share in SHARES]
        cells += [element("td", str(row[count]), class_="n") for count in ("n", "missing")]
        body.append(element("tr", *cells))
    return element(
        "table",
        element("thead", element("tr", *head)),
        element("tbody", *body),
        class_="turns",
    )


def _place(span: str) -> tuple[int, str]:
    known = list(SPANS)
    return (known.index(span) if span in known else len(known), span)


def _ms(value: float | None) -> str:
    return _s(None if value is None else value / 1000)


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


def _s(value: float | None) -> str:
    return "never" if value is None else f"{value:.2f} s"
