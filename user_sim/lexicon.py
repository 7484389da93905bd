"""What a text is about: things of the car, what can be chosen about them, and parts of the car.

The patterns are in `lexicon.yaml`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from vehicle_bus.data_folder import quick_yaml


@dataclass(frozen=True)
class Subject:
    """What a sentence may speak about: topics are things, aspects what is chosen about them."""

    topics: frozenset[str]
    aspects: frozenset[str]


class Lexicon:
    """Finds topics by the patterns of `lexicon.yaml`. Pure."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self._topics = {name: _any_of(words) for name, words in data["topics"].items()}
        self._aspects = {name: _any_of(words) for name, words in data["aspects"].items()}
        self._topics_of = lru_cache(maxsize=8192)(partial(_named, self._topics))

    @cached_property
    def _elements(self) -> list[tuple[re.Pattern[str], Subject]]:
        return [
            (
                _pattern(row["when"]),
                Subject(frozenset(row.get("topics", ())), frozenset(row.get("aspects", ()))),
            )
            for row in self._data["elements"]
        ]

    def topics(self, text: str) -> frozenset[str]:
        """Names of the things a text mentions, as listed under `topics`."""
        return self._topics_of(text)

    def aspects(self, text: str) -> frozenset[str]:
        return _named(self._aspects, text)

    def element_subject(self, element: str) -> tuple[frozenset[str], frozenset[str]]:
        """Topics and aspects of an element that the assistant settles alone."""
        subject = self._element_subject(element)
        return subject.topics, subject.aspects

    def removed_subject(self, removed: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
        """Topics and aspects of what a car lacks (dotted names).

        Of a result it is the field that is lacking; its tool counts if the field says nothing.
        """
        subject = _union(self._lacking_subject(part) for part in removed)
        return subject.topics, subject.aspects

    def _lacking_subject(self, part: str) -> Subject:
        kind, *names = part.split(".")
        if kind == "result":
            for name in reversed(names):
                subject = self._name_subject(name)
                if subject.topics or subject.aspects:
                    return subject
        return self._part_subject(part)

    def part_topics(self, part: str) -> frozenset[str]:
        """What a tool, a parameter or a result (a dotted name) is about."""
        return self._part_subject(part).topics

    def _element_subject(self, element: str) -> Subject:
        # What follows a colon, a bracket or "for" tells how or where it is settled, not what it is.
        core = re.split(r"[:(]| for ", element)[0]
        if "parameter options" in core:
            core = element
        subjects = [subject for when, subject in self._elements if when.search(core)]
        return _union(subjects) if subjects else self._spelled(element)

    def _part_subject(self, part: str) -> Subject:
        names = [name for name in part.split(".") if name != "result"]
        return _union(self._name_subject(name) for name in names)

    def _name_subject(self, name: str) -> Subject:
        listed = self._data["parts"].get(name)
        if listed is None:
            words = [
                word for word in name.split("_") if word not in self._data["name_verbs"].split()
            ]
            return self._spelled(" ".join(words))
        return Subject(
            frozenset(word for word in listed if word in self._topics),
            frozenset(word for word in listed if word in self._aspects),
        )

    def _spelled(self, words: str) -> Subject:
        return Subject(self.topics(words), self.aspects(words))


@cache
def lexicon() -> Lexicon:
    """The one that ships, read once."""
    return Lexicon(quick_yaml(Path(__file__).with_name("lexicon.yaml")))


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


def _any_of(texts: Iterable[str]) -> re.Pattern[str]:
    return _pattern("|".join(f"(?:{text})" for text in texts))


def _named(table: dict[str, re.Pattern[str]], text: str) -> frozenset[str]:
    return frozenset(name for name, pattern in table.items() if pattern.search(text))


def _union(subjects: Iterable[Subject]) -> Subject:
    found = list(subjects)
    return Subject(
        frozenset[str]().union(*(subject.topics for subject in found)),
        frozenset[str]().union(*(subject.aspects for subject in found)),
    )
