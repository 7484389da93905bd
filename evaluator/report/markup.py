"""HTML and SVG from Python values: whatever is no `Markup` is text and gets escaped."""

from collections.abc import Iterable
from html import escape


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Child = str | int | float | None | Iterable["Child"]
Attribute = str | int | float | bool | None


def element(name: str, *children: Child, **attributes: Attribute) -> Markup:
    """An element; `class_` is `class`, `data_x` is `data-x`, None and False leave it out."""
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    return Markup(f"<{name}{written}>{together(children)}</{name}>")


def together(children: Child) -> Markup:
    """Children side by side."""
    if children is None:
        return Markup()
    if isinstance(children, Markup):
        return children
    if isinstance(children, str | int | float):
        return Markup(escape(str(children)))
    return Markup("".join(together(child) for child in children))


def _attribute(key: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
    return f' {name}="{escape(text)}"'
