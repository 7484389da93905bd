"""What a text is about: things of the car, what can be chosen about them, and parts of the car.

The patterns are in `lexicon.yaml`.
"""

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from vehicle_bus.data_folder import quick_yaml

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Subject:
    """What a sentence may speak about: topics are things, aspects what is chosen about them."""

    topics: frozenset[str]
    aspects: frozenset[str]


class Patterns(Generic[Name]):
    """Named regular expressions, searched for without regard to case.

    Most alternatives begin a word, and are tried only in a text with a word that begins so.
    """

    def __init__(self, patterns: Mapping[Name, str]) -> None:
        self._rows = [(name, *_by_beginning(pattern)) for name, pattern in patterns.items()]

    def found_in(self, text: str) -> frozenset[Name]:
        """The names of those that a text has."""
        words = set(_BEGINNING.findall(text.lower()))
        begun = words | {word[:2] for word in words}
        return frozenset(
            name
            for name, beginnings, begins, others in self._rows
            if (not beginnings.isdisjoint(begun) and begins.search(text))
            or (others is not None and others.search(text))
        )


_BEGINNING = re.compile(r"\b[a-z]{2,3}")
_LITERAL = re.compile(r"([a-z]{2,3})(?![?*{])")
_WORD = re.compile(r"((?:\(\?<![^()]*\))*)\\b(?=[a-z]|\(\?:)(.*)", re.DOTALL)
_CHOICE = re.compile(r"\(\?:([^()]*)\)(?![?*{])")
_PARTS = re.compile(r"\\.|\[(?:\\.|[^]\\])*\]|.", re.DOTALL)


def _by_beginning(
    pattern: str,
) -> tuple[frozenset[str], re.Pattern[str], re.Pattern[str] | None]:
    """The letters that words of it begin with, its alternatives that begin so, and the others."""
    beginnings, begins, others = set[str](), list[str](), list[str]()
    for text in _alternatives(pattern):
        word = _WORD.fullmatch(text)
        if word and (letters := _beginnings(word[2])):
            beginnings |= letters
            begins.append(f"{word[1]}{word[2]}")
        else:
            others.append(text)
    words = _pattern(rf"\b{_any_of(begins)}")
    return frozenset(beginnings), words, _pattern(_any_of(others)) if others else None


def _beginnings(text: str) -> set[str]:
    """The first letters of each word that a match can begin with; none if it can be another."""
    choice = _CHOICE.match(text)
    found = [_LITERAL.match(first) for first in (choice[1].split("|") if choice else [text])]
    return {each[1] for each in found if each} if all(found) else set()


def _alternatives(pattern: str) -> list[str]:
    """The parts of a pattern between its outermost bars."""
    found, depth = [""], 0
    for part in _PARTS.findall(pattern):
        depth += (part == "(") - (part == ")")
        if part == "|" and not depth:
            found.append("")
        else:
            found[-1] += part
    return found


class Lexicon:
    """Finds topics by the patterns of `lexicon.yaml`. Pure."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        topics, aspects = (
            {name: "|".join(texts) for name, texts in data[kind].items()}
            for kind in ("topics", "aspects")
        )
        self._topics_of = lru_cache(maxsize=2048)(Patterns(topics).found_in)
        self._aspects_of = lru_cache(maxsize=2048)(Patterns(aspects).found_in)
        self._part_subject = lru_cache(maxsize=1024)(self._read_part)

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
        """What it mentions of what can be chosen about them, as listed under `aspects`."""
        return self._aspects_of(text)

    def element_subject(self, element: str) -> tuple[frozenset[str], frozenset[str]]:
        """Topics and aspects of an element that the assistant settles alone."""
        subject = self._element_subject(element)
        return subject.topics, subject.aspects

    def aspects_of_any_thing(self, element: str) -> frozenset[str]:
        """Those of the parts of an element that name no thing: "temperature and levels"."""
        parts = (self._element_subject(part) for part in element.split(" and "))
        return frozenset[str]().union(*(each.aspects for each in parts if not each.topics))

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

    def _read_part(self, part: str) -> Subject:
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
            frozenset(word for word in listed if word in self._data["topics"]),
            frozenset(word for word in listed if word in self._data["aspects"]),
        )

    def _spelled(self, words: str) -> Subject:
        return Subject(self.topics(words), self.aspects(words))


@cache
def lexicon() -> Lexicon:
    """The one that ships, read once."""
    return Lexicon(quick_yaml(Path(__file__).with_name("lexicon.yaml")))


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


def _any_of(texts: Iterable[str]) -> str:
    return f"(?:{'|'.join(texts)})"


def _union(subjects: Iterable[Subject]) -> Subject:
    found = list(subjects)
    return Subject(
        frozenset[str]().union(*(subject.topics for subject in found)),
        frozenset[str]().union(*(subject.aspects for subject in found)),
    )
