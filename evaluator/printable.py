"""Text for a terminal: what models and files say is shown and steers nothing."""

import logging
import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

# Control characters but tab and newline, marks of writing direction, halves of surrogate pairs.
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
                      "\ud800-\udfff]")  # fmt: skip


def printable(text: str) -> str:
    r"""The text with what would steer a terminal written as escapes, such as `\x1b`."""
    return STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


class LogLine(logging.Formatter):
    """Log records as one printable text."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))


def rich_console(**options: Any) -> "Console":
    """A console of rich that prints everything printable; rich is imported only here."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False, **options)
    console.push_render_hook(_printing()())
    return console


@cache
def _printing() -> type:
    from rich.console import ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
    from rich.segment import Segment

    class Printable:
        """Renders something, with its texts made printable."""

        def __init__(self, content: ConsoleRenderable) -> None:
            self._content = content

        def __rich_console__(self, console: "Console", options: ConsoleOptions) -> RenderResult:
            for text, style, control in console.render(self._content, options):
                yield Segment(text if control else printable(text), style, control)

    class PrintableHook(RenderHook):
        def process_renderables(
            self, renderables: Iterable[ConsoleRenderable]
        ) -> list[ConsoleRenderable]:
            return [Printable(each) for each in renderables]

    return PrintableHook
