"""Phrases of an assistant that a driver listens for, by name; they stand in `phrases.yaml`."""

import re
from pathlib import Path

from vehicle_bus.data_folder import quick_yaml

_FLAGS = {"phrases": re.IGNORECASE, "exact": re.RegexFlag(0)}


class Phrases:
    """A pattern for each name of the file, as an attribute; compiled when it is first needed."""

    def __init__(self, file: Path) -> None:
        self._patterns = {
            name: ("|".join(alternatives), _FLAGS[part])
            for part, found in quick_yaml(file).items()
            for name, alternatives in found.items()
        }

    def __getattr__(self, name: str) -> re.Pattern[str]:
        try:
            pattern = re.compile(*self._patterns[name])
        except KeyError:
            raise AttributeError(name) from None
        setattr(self, name, pattern)
        return pattern


PHRASES = Phrases(Path(__file__).with_suffix(".yaml"))
