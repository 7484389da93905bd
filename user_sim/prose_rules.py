"""The rules of `prose.yaml`, compiled."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from vehicle_bus.data_folder import quick_yaml


class Rules:
    """Named patterns and named lists of replacements."""

    def __init__(self, data: dict[str, Any]) -> None:
        fragments: dict[str, str] = {}
        for name, text in data["fragments"].items():
            fragments[name] = _filled(text, fragments)
        self._patterns = {
            name: _compiled(rows if isinstance(rows, list) else [rows], fragments)
            for name, rows in data["patterns"].items()
        }
        self._rules = {
            name: [(_compiled([pattern], fragments, name), text) for pattern, text in rows]
            for name, rows in data["rules"].items()
        }
        self.synonyms = [(_compiled([when], {}), pattern) for when, pattern in data["synonyms"]]
        self.stop_words = frozenset(data["stop_words"].split())
        self.object_fillers = frozenset(data["object_fillers"].split())

    def search(self, name: str, text: str) -> re.Match[str] | None:
        return self._patterns[name].search(text)

    def match(self, name: str, text: str) -> re.Match[str] | None:
        """Like `search`, but from the first character on."""
        return self._patterns[name].match(text)

    def without(self, name: str, text: str, replacement: str = "") -> str:
        return self._patterns[name].sub(replacement, text)

    def split(self, name: str, text: str) -> list[str]:
        return self._patterns[name].split(text)

    def applied(self, name: str, text: str) -> str:
        """The text after all rules of a list, in order."""
        for pattern, replacement in self._rules[name]:
            text = pattern.sub(replacement, text)
        return text

    def first_applied(self, name: str, text: str) -> str:
        """The text after the first rule of a list that changes it."""
        for pattern, replacement in self._rules[name]:
            changed = pattern.sub(replacement, text, count=1)
            if changed != text:
                return changed
        return text


@cache
def rules() -> Rules:
    """The rules that ship with the drivers, read once."""
    return Rules(quick_yaml(Path(__file__).with_name("prose.yaml")))


def _filled(text: str, fragments: dict[str, str]) -> str:
    for name, fragment in fragments.items():
        text = text.replace(f"{{{name}}}", fragment)
    return text


def _compiled(rows: list[str], fragments: dict[str, str], name: str = "") -> re.Pattern[str]:
    # Repairs tell names from words by their capitals.
    flags = 0 if name == "repairs" else re.IGNORECASE
    return re.compile("|".join(_filled(row, fragments) for row in rows), flags)
