"""How long the driver waited: distributions, budgets by turn class, and percentiles."""

from collections.abc import Iterator, Mapping, Sequence

from assistant_gateway.wording.spoken import counted
from evaluator.report.charts import Histogram, histogram
from evaluator.report.content import ClassTurns, Latencies, SpanValues
from evaluator.report.elements import (
    bad,
    card,
    div,
    from_ms,
    legend,
    seconds,
    stack,
    table,
)
from evaluator.report.markup import Child, Markup, element
from evaluator.results.summary import Summary
from evaluator.results.turn_figures import PERCENTILES, Latency
from evaluator.results.verdict_figures import MeanLoad
from evaluator.views.captions import MARKS, SPANS, TURN_CLASSES, caption, percent

WAITED = ("upl", "upl_content", "effect_latency")


def latency(latencies: Latencies, run: Summary) -> Markup | None:
    """Nothing if no turn was timed."""
    spans = latencies.spans()
    if not spans:
        return None
    if run.patience_s is not None:
        return card(
            "Latency: how long the driver waited",
            div("charts", *map(_distribution, spans)),
            element("h3", "All spans"),
            _measured(run.latency_ms),
            _load(run.driver_load),
            note="Measured from the end of the driver's speech, and not judged: run with "
            f"--patience {run.patience_s:g}.",
            kind="wide",
        )
    return card(
        "Latency: how long the driver waited",
        legend(("ok", "within budget"), ("soft", MARKS["soft"]), ("hard", MARKS["hard"])),
        div("charts", *map(_distribution, spans)),
        element("h3", "Against the budget, by turn class (p50 / p95)"),
        _classes(latencies),
        _credit(run.budget.score_mean),
        element("h3", "All spans"),
        _measured(run.latency_ms),
        _load(run.driver_load),
        note="Measured from the end of the driver's speech. The budget depends on the turn class: "
        "up to its soft limit a turn is within budget, up to its hard limit slow, then too late.",
        kind="wide",
    )


def _distribution(span: SpanValues) -> Markup:
    p50, p95 = span.percentile_s(0.5), span.percentile_s(0.95)
    number = len(span) + span.never
    never = f" · {span.never} never came" if span.never else ""
    text = f"p50 {seconds(p50)} · p95 {seconds(p95)} · {counted(number, 'turn')}{never}"
    return element(
        "figure",
        element("figcaption", element("b", SPANS[span.span]), element("span", text)),
        histogram(Histogram(span, span.never, p50, p95)),
    )


def _classes(latencies: Latencies) -> Markup:
    waits = (f"#{SPANS[span]}" for span in WAITED)
    head = ("Turn class", "#Turns", "|", *waits, "#Slow", "#Too late")
    return table(head, (_class_cells(*item) for item in latencies.by_class().items()), "turns")


def _class_cells(name: str, found: ClassTurns) -> Sequence[Child]:
    turns, hard, soft = found.turns, found.hard, found.soft
    late = percent(hard / turns)
    return (
        (element("b", name), f" {caption(TURN_CLASSES, name)}"),
        turns,
        stack((("ok", turns - soft - hard), ("soft", soft), ("hard", hard))),
        *_waits(found),
        percent(soft / turns),
        bad(late) if hard else late,
    )


def _waits(found: ClassTurns) -> Iterator[str]:
    """p50 and p95 of the spans in `WAITED`."""
    spans = {values.span: values for values in found.spans()}
    for span in WAITED:
        values = spans.get(span)
        yield " / ".join(seconds(values.percentile_s(p)) for p in (0.5, 0.95)) if values else ""


def _credit(score_mean: float | None) -> Markup | None:
    if score_mean is None:
        return None
    text = f"Latency score {score_mean:.2f}: the mean credit of a turn, "
    return element("p", text, "1 up to its soft limits, 0 beyond a hard limit.", class_="note")


def _measured(spans: Mapping[str, Latency]) -> Markup:
    """Each span as `--json` has it; a percentile among turns without a reply is never."""
    ordered = [*(name for name in SPANS if name in spans), *sorted(spans.keys() - SPANS.keys())]
    return table(
        ("Span", *(f"#{name}" for name in PERCENTILES), "#turns", "#never came"),
        (tuple(_span_cells(name, spans[name])) for name in ordered),
        "turns",
    )


def _span_cells(name: str, row: Latency) -> Iterator[Child]:
    yield caption(SPANS, name), " ", element("code", name)
    yield from (from_ms(getattr(row, percentile)) for percentile in PERCENTILES)
    yield from (row.n, row.missing)


def _load(load: MeanLoad) -> Markup | None:
    if load.words_per_reply is None:
        return None
    asked = load.choices_per_question
    choices = f", {asked:.1f} choices per question" if asked else ""
    text = (
        f"A reply has {load.words_per_reply:.0f} words and takes {load.seconds_per_reply:.1f} s on "
        f"average, the longest {load.longest_words} words{choices}."
    )
    return element("p", text, class_="note")
