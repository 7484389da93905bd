"""Phrases of an assistant that a driver listens for, by name; they stand in `phrases.yaml`."""

import re
from pathlib import Path

import yaml

_FLAGS = {"phrases": re.IGNORECASE, "exact": re.RegexFlag(0)}


class Phrases:
    """A pattern for each name of the file, as an attribute."""

    def __init__(self, file: Path) -> None:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
        self._patterns = {
            name: re.compile("|".join(alternatives), _FLAGS[part])
            for part, found in data.items()
            for name, alternatives in found.items()
        }

    def __getattr__(self, name: str) -> re.Pattern[str]:
        try:
            return self._patterns[name]
        except KeyError:
            raise AttributeError(name) from None


PHRASES = Phrases(Path(__file__).with_suffix(".yaml"))
