"""Phrases of an assistant that a driver listens for, by name; they stand in `phrases.yaml`."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import yaml


def _read(file: Path) -> dict[str, Any]:
    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    flags = {"phrases": re.IGNORECASE, "exact": re.RegexFlag(0)}
    return {
        name: re.compile("|".join(alternatives), flags[part])
        for part, found in data.items()
        for name, alternatives in found.items()
    }


PHRASES: Any = SimpleNamespace(**_read(Path(__file__).with_suffix(".yaml")))
