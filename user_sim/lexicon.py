"""Recognises what an assistant's sentence does: asks, proposes, admits a limit, claims an effect.

The patterns are in `lexicon.yaml`; this module applies them sentence by sentence.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

from assistant_gateway.wording.sentences import sentences


@dataclass(frozen=True)
class Group:
    """Sentences that match a hit once the misses are taken out of them."""

    hits: tuple[re.Pattern[str], ...]
    misses: tuple[re.Pattern[str], ...] = ()

    def __contains__(self, sentence: object) -> bool:
        return isinstance(sentence, str) and _any(self.hits, self.without_misses(sentence))

    def without_misses(self, sentence: str) -> str:
        for miss in self.misses:
            sentence = miss.sub(" ", sentence)
        return sentence.strip()


@dataclass(frozen=True)
class Subject:
    """What a sentence may speak about: topics are things, aspects what is chosen about them."""

    topics: frozenset[str]
    aspects: frozenset[str]


class Lexicon:
    """Classifies sentences by the patterns of `lexicon.yaml`. Pure."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self._questions = _group(data["questions"])
        self._confirmations = _group(data["confirmations"])
        self._choices = _group(data["choices"])
        self._limits = _group(data["limits"])
        self._bare_limits = _patterns(data["limits"]["bare"])
        self._claims = _group(data["claims"])
        self._topics = {name: _patterns(words) for name, words in data["topics"].items()}
        self._aspects = {name: _patterns(words) for name, words in data["aspects"].items()}

    @cached_property
    def _elements(self) -> list[tuple[re.Pattern[str], Subject]]:
        return [
            (
                _pattern(row["when"]),
                Subject(frozenset(row.get("topics", ())), frozenset(row.get("aspects", ()))),
            )
            for row in self._data["elements"]
        ]

    def is_question(self, sentence: str) -> bool:
        """Does the driver have to answer this? Courtesy offers are no questions."""
        left = self._questions.without_misses(sentence)
        return left.rstrip("\"')]} ").endswith("?") or _any(self._questions.hits, left)

    def is_confirmation(self, sentence: str) -> bool:
        """Would a plain yes answer it: one concrete proposal, no list of alternatives?"""
        return (
            self.is_question(sentence)
            and sentence in self._confirmations
            and sentence not in self._choices
        )

    def is_pick(self, sentence: str) -> bool:
        """Is the driver asked to specify or to choose?"""
        return self.is_question(sentence) and not self.is_confirmation(sentence)

    def is_limit(self, sentence: str) -> bool:
        """Does the assistant say that it cannot, has no access or does not know?"""
        return sentence in self._limits

    def is_bare_limit(self, sentence: str) -> bool:
        """Is it a limit that names no part of the car, and so means the request itself?"""
        return _any(self._bare_limits, sentence.strip().rstrip(".! "))

    def is_claim(self, sentence: str) -> bool:
        """Does the assistant say that an effect has taken place?"""
        return not self.is_question(sentence) and sentence in self._claims

    def questions(self, text: str) -> list[str]:
        return [sentence for sentence in sentences(text) if self.is_question(sentence)]

    def limits(self, text: str) -> list[str]:
        return [sentence for sentence in sentences(text) if self.is_limit(sentence)]

    def claims(self, text: str) -> list[str]:
        return [sentence for sentence in sentences(text) if self.is_claim(sentence)]

    def topics(self, text: str) -> frozenset[str]:
        """Names of the things a text mentions, as listed under `topics`."""
        return _named(self._topics, text)

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

    def acknowledges(self, text: str, removed: Iterable[str]) -> str | None:
        """The sentence that admits that one of the removed parts (dotted names) is missing.

        A limit about something else does not count; one that names nothing at all does.
        """
        subjects = [self._part_subject(part) for part in removed]
        for sentence in self.limits(text):
            if any(self._admits(sentence, subject) for subject in subjects):
                return sentence
        return None

    def asks_about(self, text: str, element: str) -> str | None:
        """The question that asks the driver to pick or specify the element, if there is one.

        Asking to confirm one concrete choice is fine. A question that names nothing ("Which one
        would you like?") is read with the sentence before it.
        """
        subject = self._element_subject(element)
        parts = [part for sentence in sentences(text) for part in sentence.split(" - ")]
        for index, sentence in enumerate(parts):
            if self.is_pick(sentence) and self._is_about(sentence, parts[:index], subject):
                return sentence
        return None

    def _admits(self, sentence: str, subject: Subject) -> bool:
        topics = self.topics(sentence)
        if topics & subject.topics:
            return True
        if topics - {"lights"}:
            return False
        return bool(self.aspects(sentence) & subject.aspects) or self.is_bare_limit(sentence)

    def _is_about(self, question: str, before: list[str], subject: Subject) -> bool:
        topics, aspects = self.topics(question), self.aspects(question)
        if not topics and not aspects:
            return self._is_about_last_named(before, subject)
        if aspects & subject.aspects:
            return bool(topics & subject.topics) or not topics
        return bool(topics & subject.topics) and not aspects - subject.aspects

    def _is_about_last_named(self, before: list[str], subject: Subject) -> bool:
        for sentence in reversed(before):
            topics, aspects = self.topics(sentence), self.aspects(sentence)
            if topics or aspects:
                wanted = aspects & subject.aspects if subject.aspects else topics & subject.topics
                return bool(wanted) and (bool(topics & subject.topics) or not topics)
        return False

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
    """The lexicon that ships with the drivers, read once."""
    text = Path(__file__).with_name("lexicon.yaml").read_text(encoding="utf-8")
    return Lexicon(yaml.safe_load(text))


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


def _patterns(texts: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(_pattern(text) for text in texts)


def _group(data: dict[str, list[str]]) -> Group:
    return Group(_patterns(data["hits"]), _patterns(data.get("misses", ())))


def _any(patterns: Iterable[re.Pattern[str]], text: str) -> bool:
    return any(pattern.search(text) for pattern in patterns)


def _named(table: dict[str, tuple[re.Pattern[str], ...]], text: str) -> frozenset[str]:
    return frozenset(name for name, patterns in table.items() if _any(patterns, text))


def _union(subjects: Iterable[Subject]) -> Subject:
    found = list(subjects)
    return Subject(
        frozenset[str]().union(*(subject.topics for subject in found)),
        frozenset[str]().union(*(subject.aspects for subject in found)),
    )
