"""Small parts that the sections of the page share."""

from collections.abc import Iterable, Sequence

from evaluator.report.markup import Child, Markup, element


def div(kind: str, *children: Child) -> Markup:
    return element("div", *children, class_=kind)


def card(title: str, *children: Child, note: Child = None, kind: str = "") -> Markup:
    """A section with a title and a line below it."""
    lead = element("p", note, class_="note") if note else None
    return element("section", element("h2", title), lead, *children, class_=f"card {kind}".rstrip())


def table(head: Sequence[str], rows: Iterable[Sequence[Child]], name: str | None = None) -> Markup:
    """Rows below a head; a column is numeric if its name begins with `#`, which is not shown.

    A column called `|` holds a bar. Cells may be `td` elements already.
    """
    kinds = [{"#": "n", "|": "share"}.get(name[:1]) for name in head]
    heads = zip(head, kinds, strict=True)
    names = [element("th", text.lstrip("#|"), class_=kind) for text, kind in heads]
    body = [
        element("tr", *(_cell(cell, kind) for cell, kind in zip(row, kinds, strict=True)))
        for row in rows
    ]
    made = element(
        "table",
        element("thead", element("tr", *names)),
        element("tbody", *body),
        class_=name,
    )
    return div("scroll", made)


def _cell(content: Child, kind: str | None) -> Markup:
    if isinstance(content, Markup) and content.startswith("<td"):
        return content
    return element("td", content, class_=kind)


def bad(number: int | str) -> Markup:
    """A cell with a number that should be 0."""
    return element("td", str(number), class_="n bad")


def bars(counts: Iterable[tuple[str, int]], kind: str = "") -> Markup:
    """Horizontal bars; the longest is the most frequent."""
    listed = list(counts)
    most = max((count for _, count in listed), default=1)
    lines = [
        div(
            "bar",
            div("name", name),
            div("track", element("i", style=f"width:{count / most * 100:.1f}%")),
            div("number", count),
        )
        for name, count in listed
    ]
    return div(f"bars {kind}".rstrip(), *lines)


def stack(counts: Iterable[tuple[str, int]], kind: str = "stack thin") -> Markup:
    """One bar of parts by CSS class, as wide as their counts."""
    return div(
        kind, *(element("i", class_=name, style=f"flex:{count}") for name, count in counts if count)
    )


def legend(*entries: tuple[str, Child]) -> Markup:
    """Colours by CSS class, each with its meaning."""
    lines = [element("li", text, class_=kind) for kind, text in entries]
    return element("ul", *lines, class_="legend")


def links(units: Iterable[str]) -> Markup:
    """Links that open the conversation of a unit."""
    made = [element("a", unit, href=f"#unit={unit}") for unit in units]
    return element("span", *made, class_="links")


def seconds(taken_s: float | None) -> str:
    """None stands for what never came."""
    return "never" if taken_s is None else f"{taken_s:.2f} s"


def from_ms(taken_ms: float | None) -> str:
    return seconds(None if taken_ms is None else taken_ms / 1000)
