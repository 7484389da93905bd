"""Characters that command a terminal or turn the direction of writing: models may send them."""

import logging
import re

# Control characters but line breaks and tabs, marks of direction, halves of characters.
COMMANDS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
SHOWN = "\N{REPLACEMENT CHARACTER}"


def visible(text: str) -> str:
    """The text as it may be written to a terminal."""
    return COMMANDS.sub(SHOWN, text)


class VisibleLines(logging.Formatter):
    """Lines of a log that may hold what a model or server said."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))
