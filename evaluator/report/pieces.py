"""Small parts that the sections of the page share."""

from collections.abc import Iterable, Sequence

from evaluator.report.content import Share
from evaluator.report.markup import Child, Markup, element


def div(kind: str, *children: Child) -> Markup:
    return element("div", *children, class_=kind)


def grid(*children: Child) -> Markup:
    return div("grid", *children)


def card(title: str, *children: Child, note: Child = None, kind: str = "") -> Markup:
    """A section with a title and a line below it."""
    lead = element("p", note, class_="note") if note else None
    return element("section", element("h2", title), lead, *children, class_=f"card {kind}".rstrip())


def bars(shares: Sequence[Share], kind: str = "") -> Markup:
    """Horizontal bars; the longest is the most frequent."""
    most = max((share.units for share in shares), default=1)
    lines = [
        div(
            "bar",
            div("name", share.name),
            div("track", element("i", style=f"width:{share.units / most * 100:.1f}%")),
            div("number", str(share.units)),
        )
        for share in shares
    ]
    return div(f"bars {kind}".rstrip(), *lines)


def links(units: Iterable[str]) -> list[Markup]:
    """Links that open the conversation of a unit."""
    return [element("a", unit, href=f"#unit={unit}") for unit in units]


def percent(share: float) -> str:
    """A share of 1 in whole percent."""
    return f"{share * 100:.0f} %"
