"""Text as some servers cut it: between the two halves of a character. Pure.

JSON may hold half a character ("\\ud83d"), a Python string too, but nothing we send can.
"""

from dataclasses import dataclass

FIRST_HALVES = ("\ud800", "\udbff")


def whole_characters(text: str) -> str:
    """Halves put together, and those whose other half never came replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(slots=True)
class Joint:
    """Puts pieces of a stream together; a first half is kept until the second comes."""

    _half: str = ""

    def add(self, piece: str) -> str:
        """What is whole by now."""
        text = self._half + piece
        first, last = FIRST_HALVES
        self._half = text[-1:] if first <= text[-1:] <= last else ""
        return whole_characters(text.removesuffix(self._half))
