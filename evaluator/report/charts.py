"""Charts as SVG, drawn at the size they are shown in; colours come from the page's style sheet."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import Any

from evaluator.report.markup import Markup, element
from evaluator.results.statistics import Estimate
from evaluator.views.captions import percent

Estimates = Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart: estimates by k, its label and its CSS class."""

    label: str
    kind: str
    by_k: Estimates


# --- Pass^k against Pass@k

WIDE, HIGH = 380, 230
LEFT, RIGHT, TOP, BOTTOM = 38, 138, 12, 34
LABEL_GAP = 16.0


def pass_chart(series: Sequence[Series]) -> Markup:
    """Lines over k with their intervals, each labelled at its right end."""
    ks = sorted({int(k) for one in series for k in one.by_k})
    marks = [_y_axis(), _x_axis(ks), *(_line(one, ks) for one in series), *_labels(series, ks)]
    return _svg(WIDE, HIGH, marks, "Share of tasks by number of trials")


def _x(k: int, ks: Sequence[int]) -> float:
    span = WIDE - LEFT - RIGHT
    if len(ks) == 1:
        return LEFT + span / 2
    return LEFT + 14 + (k - ks[0]) / (ks[-1] - ks[0]) * (span - 20)


def _y(share: float) -> float:
    return TOP + (1 - share) * (HIGH - TOP - BOTTOM)


def _y_axis() -> list[Markup]:
    lines = []
    for value in (0, 25, 50, 75, 100):
        y = _y(value / 100)
        lines.append(element("line", x1=LEFT, x2=WIDE - RIGHT, y1=y, y2=y, class_="grid"))
        lines.append(_text(f"{value} %", LEFT - 6, y + 4, "tick", anchor="end"))
    return lines


def _x_axis(ks: Sequence[int]) -> list[Markup]:
    shown = ks if len(ks) <= 8 else ks[:: ceil(len(ks) / 8)]
    ticks = [_text(str(k), _x(k, ks), HIGH - BOTTOM + 17, "tick", anchor="middle") for k in shown]
    middle = (LEFT + WIDE - RIGHT) / 2
    return [*ticks, _text("k trials of one task", middle, HIGH - 2, "tick", anchor="middle")]


def _line(series: Series, ks: Sequence[int]) -> Markup:
    points = [(int(k), estimate) for k, estimate in sorted(series.by_k.items(), key=_by_number)]
    path = " ".join(f"{_x(k, ks):.1f},{_y(found.value):.1f}" for k, found in points)
    whiskers = [
        element("line", x1=_x(k, ks), x2=_x(k, ks), y1=_y(e.lo), y2=_y(e.hi), class_="whisker")
        for k, e in points
    ]
    dots = [
        element(
            "circle",
            element("title", f"k = {k}: {percent(e.value)} ({_interval(e)})"),
            cx=_x(k, ks),
            cy=_y(e.value),
            r=4,
        )
        for k, e in points
    ]
    return element(
        "g", element("polyline", points=path), whiskers, dots, class_=f"series {series.kind}"
    )


def _by_number(item: tuple[str, Any]) -> int:
    return int(item[0])


def _labels(series: Sequence[Series], ks: Sequence[int]) -> list[Markup]:
    """At the last point of each line, moved apart where they would touch."""
    ends = []
    for one in series:
        if one.by_k:
            last = max(one.by_k, key=int)
            ends.append((_y(one.by_k[last].value), one, one.by_k[last].value))
    ends.sort(key=lambda end: end[0])
    heights = [y for y, _, _ in ends]
    for upper, lower in pairwise(range(len(heights))):
        heights[lower] = max(heights[lower], heights[upper] + LABEL_GAP)
    over = max([0.0, *(height - (HIGH - BOTTOM) for height in heights)])
    x = _x(ks[-1], ks) + 12 if ks else LEFT
    return [
        _text(f"{percent(value)} {one.label}", x, height - over + 4, f"label {one.kind}")
        for height, (_, one, value) in zip(heights, ends, strict=True)
    ]


# --- distribution of latencies

TILE_WIDE, TILE_HIGH, TILE_FOOT = 270, 140, 22
NEVER = 54  # room for the bar of missing replies
BINS = 26
EDGES = (1, 1.5, 2, 3, 4, 5, 6, 8, 10)
STEPS = (1, 2, 2.5, 5, 10)
MARKS = ("ok", "soft", "hard")


@dataclass(frozen=True, slots=True)
class Histogram:
    """Seconds with the mark of their budget: ok, soft or hard; `never` counts missing replies.

    A percentile is None if it falls on a missing reply.
    """

    values: Iterable[tuple[float, str]]
    never: int
    p50_s: float | None
    p95_s: float | None


def histogram(data: Histogram) -> Markup:
    """Bins coloured by budget; the last bin holds all values beyond the right edge."""
    ordered = sorted(value for value, _ in data.values)
    scale = _Scale(
        edge=rounded(max(ordered[floor(0.99 * (len(ordered) - 1))] * 1.05, 1.0), EDGES),
        wide=TILE_WIDE - (NEVER if data.never else 0),
    )
    bins: list[dict[str, int]] = [dict.fromkeys(MARKS, 0) for _ in range(BINS)]
    for value, mark in data.values:
        place = min(max(int(value / scale.edge * BINS), 0), BINS - 1)
        bins[place][mark if mark in MARKS else "ok"] += 1
    highest = max(data.never, *(sum(each.values()) for each in bins))
    step = scale.wide / BINS
    parts = [_bar(index * step, step, each, highest) for index, each in enumerate(bins)]
    if data.never:
        middle = TILE_WIDE - NEVER / 2
        parts.append(_bar(middle - step, step * 2, {"hard": data.never}, highest))
        parts.append([_text("never", middle, TILE_HIGH - TILE_FOOT + 15, "tick", anchor="middle")])
    markers = [
        _marker(scale.x(seconds), name)
        for name, seconds in (("p50", data.p50_s), ("p95", data.p95_s))
        if seconds is not None
    ]
    axis = _seconds(scale, more=ordered[-1] > scale.edge)
    return _svg(TILE_WIDE, TILE_HIGH, [axis, parts, markers], "Distribution of latencies")


@dataclass(frozen=True, slots=True)
class _Scale:
    edge: float
    wide: float

    def x(self, seconds: float) -> float:
        return min(seconds / self.edge, 1.0) * self.wide


def _bar(x: float, width: float, counts: Mapping[str, int], highest: int) -> list[Markup]:
    """One column, stacked from within budget to too late."""
    room = TILE_HIGH - TILE_FOOT - 16
    stacked: list[Markup] = []
    y = float(TILE_HIGH - TILE_FOOT)
    for mark in MARKS:
        if counts.get(mark):
            height = counts[mark] / highest * room
            y -= height
            size = {"width": width - 1.5, "height": max(height, 1.0)}
            stacked.append(element("rect", x=x + 0.75, y=y, **size, class_=f"bin {mark}"))
    return stacked


def _seconds(scale: _Scale, *, more: bool) -> list[Markup]:
    base = TILE_HIGH - TILE_FOOT
    marks = [element("line", x1=0, x2=scale.wide, y1=base, y2=base, class_="axis")]
    step = rounded(scale.edge / 5, STEPS)
    for number in range(int(scale.edge / step + 1e-9) + 1):
        tick: float = step * number
        x = scale.x(tick)
        anchor = "start" if number == 0 else "end" if x > scale.wide - 12 else "middle"
        beyond = "+" if more and x > scale.wide - 1 else ""
        marks.append(_text(f"{tick:g}{beyond} s", x, base + 15, "tick", anchor=anchor))
    return marks


def _marker(x: float, name: str) -> list[Markup]:
    near_end = x > TILE_WIDE - 30
    return [
        element("line", x1=x, x2=x, y1=4, y2=TILE_HIGH - TILE_FOOT, class_="marker"),
        _text(name, x + (-4 if near_end else 4), 12, "tick", anchor="end" if near_end else "start"),
    ]


def rounded(value: float, steps: Sequence[float]) -> float:
    """The next round number: one of the steps times a power of ten."""
    power = 10 ** floor(log10(value))
    return float(next(step * power for step in steps if step * power >= value * (1 - 1e-9)))


# --- pieces


def _svg(width: int, height: int, children: Any, title: str) -> Markup:
    return element(
        "svg",
        children,
        viewBox=f"0 0 {width} {height}",
        role="img",
        aria_label=title,
        class_="chart",
    )


def _text(text: str, x: float, y: float, kind: str, *, anchor: str = "start") -> Markup:
    return element("text", text, x=x, y=y, text_anchor=anchor, class_=kind)


def _interval(estimate: Estimate) -> str:
    return f"95 %: {percent(estimate.lo)} to {percent(estimate.hi)}"
