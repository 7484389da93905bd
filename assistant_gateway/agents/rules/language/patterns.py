"""Word lists that are data: YAML beside the code, compiled when first needed."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from vehicle_bus.data_folder import quick_yaml

_HERE = Path(__file__).parent


@cache
def words_of(name: str) -> Any:
    """The content of `name.yaml` in this folder, or of the YAML file beside the module `name`."""
    return quick_yaml((_HERE / name).with_suffix(".yaml"))


@cache
def table(file: str, section: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Names and their patterns in the order of the file; the first that matches wins."""
    listed: Mapping[str, Iterable[str]] = words_of(file)[section]
    return tuple((str(name), either(patterns)) for name, patterns in listed.items())


def first(file: str, section: str, text: str) -> str | None:
    """The first name of a section whose pattern stands in the text."""
    return next((name for name, pattern in table(file, section) if pattern.search(text)), None)


def either(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Patterns:
    """The patterns of the YAML file beside a module, by name: one pattern or alternatives."""

    module: str

    def __getitem__(self, name: str) -> re.Pattern[str]:
        return _compiled(self.module, name)


@cache
def _compiled(module: str, name: str) -> re.Pattern[str]:
    listed = words_of(module)[name]
    return either([listed] if isinstance(listed, str) else listed)
