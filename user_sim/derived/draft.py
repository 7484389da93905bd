"""A script while it is built from prose: decides where each sentence goes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from user_sim.derived.spoken import as_sentence
from user_sim.question_patterns import content_words
from user_sim.script import Answer


@dataclass
class Draft:
    """`secrets` holds, by what an answer says, the words that only this answer may tell."""

    ask_first: bool
    settle_alone: str | None
    opening: list[str] = field(default_factory=list)
    restrictions: list[str] = field(default_factory=list)
    followups: list[list[str]] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    secrets: dict[str, frozenset[str]] = field(default_factory=dict)
    on_limit: str | None = None

    def say(self, sentence: str) -> None:
        """Put a request where the driver will say it, once."""
        held = self._held_by(sentence)
        if self.followups:
            later = [one for followup in self.followups for one in followup]
            _add(self.followups[-1], sentence, [*self.opening, *later])
        elif held is not None:
            self._append_to_answer(held, sentence)
        else:
            _add(self.opening, sentence, [])

    def next_request(self, sentence: str) -> None:
        """Something that comes after what was said so far; empty if only the break matters."""
        if self.opening:
            self.followups.append([])
        if sentence:
            self.say(sentence)

    def restrict(self, sentence: str) -> None:
        """What the driver does not want belongs to the latest request."""
        if self.followups and self.followups[-1]:
            _add(self.followups[-1], sentence, [])
        else:
            self.restrictions.append(sentence)

    def answer(self, answer: Answer, condition: str = "") -> None:
        """Keep an answer; a later one with the same patterns takes its place."""
        if not answer.when or not answer.say:
            return
        self.answers = [known for known in self.answers if set(known.when) != set(answer.when)]
        self.answers.append(answer)
        self.secrets[answer.say] = values(answer.say) - values(f"- {condition}")

    def without_secrets(self, sentences: Iterable[str], answers: Iterable[Answer]) -> list[str]:
        """The sentences without the words of the answers: these are said only when asked for."""
        secrets = frozenset[str]().union(*(self.secrets[answer.say] for answer in answers))
        kept: list[str] = []
        for sentence in sentences:
            rest = sentence
            for value in sorted(secrets):
                rest = _cut(rest, value)
            if rest == sentence or len(content_words(rest)) > 1:
                kept.append(rest)
        return kept

    def _held_by(self, sentence: str) -> int | None:
        if not self.ask_first:
            return None
        for index, answer in enumerate(self.answers):
            if self.secrets[answer.say] & values(sentence):
                return index
        return None

    def _append_to_answer(self, index: int, sentence: str) -> None:
        answer = self.answers[index]
        if not _covers(content_words(answer.say), content_words(sentence)):
            longer = answer.model_copy(update={"say": f"{answer.say} {sentence}"})
            self.answers[index] = longer
            self.secrets[longer.say] = self.secrets[answer.say]


def values(text: str) -> frozenset[str]:
    """The numbers and names in a text: what gives an answer away."""
    numbers = re.findall(r"\d+(?:[:.]\d+)?", text)
    chosen = re.findall(r"\b(?:front|windshield|reading|fastest|shortest)\b", text)
    names = re.findall(r"(?<![.!?] )(?<!^)\b(?!I\b|I')[A-ZÀ-Þ][\w'+-]*", text)
    return frozenset(numbers + chosen) | frozenset(re.sub(r"'s$", "", name) for name in names)


def _cut(sentence: str, value: str) -> str:
    found = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", sentence)
    if found is None:
        return sentence
    before = sentence[: found.start()]
    if re.search(r"\b[A-Z]\w+ $", before) or value.islower():
        return as_sentence(before + sentence[found.end() :])
    prepositions = list(
        re.finditer(r",? (?:with|to|at|in|for|from|about|of|by|on|via|until|using)\b", before)
    )
    end = re.search(r"[,.;]", sentence[found.end() :])
    rest = sentence[found.end() + end.start() :] if end else ""
    return as_sentence((before[: prepositions[-1].start()] if prepositions else "") + rest)


def _add(to: list[str], sentence: str, elsewhere: list[str]) -> None:
    """Say a thing once: a sentence that another one covers is left out."""
    if not sentence:
        return
    words = content_words(sentence)
    if any(_covers(content_words(other), words) for other in [*to, *elsewhere]):
        return
    to[:] = [other for other in to if not _covers(words, content_words(other))]
    to.append(sentence)


def _covers(larger: frozenset[str], smaller: frozenset[str]) -> bool:
    return len(larger & smaller) >= max(1, 0.8 * len(smaller))
