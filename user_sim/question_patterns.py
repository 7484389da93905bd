"""Which questions an answer belongs to: patterns from words, and a question from patterns."""

import re
from collections.abc import Iterator
from functools import lru_cache

from user_sim.pattern_examples import examples
from user_sim.prose_rules import rules
from user_sim.script import Answer
from user_sim.understanding.understand import asks

_ASKING = (
    "Which {} would you like?",
    "What about the {}: what would you like?",
    "{} would you like?",
    "What do you say about {}?",
    "{}?",
)
_PROPOSING = ("Shall I {}?", "Do you want {}?", "{}?")
ROUTES = (r"\broutes?\b", r"\bfastest\b|\bshortest\b", r"\bvia\b")


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """The words that carry a sentence, without their endings."""
    words = re.findall(r"[^\W_]+(?:'\w+)?", text.lower())
    return frozenset(_stem(word) for word in words if word not in rules().stop_words)


def question_patterns(text: str) -> tuple[str, ...]:
    """Patterns for questions about what a text speaks of; empty if it speaks of nothing."""
    if re.search(r"\broutes?\b", text):
        return (*_between_names(text), *ROUTES)
    words = dict.fromkeys(_word_pattern(word) for word in _ordered(text))
    more = [pattern for when, pattern in rules().synonyms if when.search(text)]
    return tuple(dict.fromkeys([*words, *more]))


def proposal_patterns(text: str) -> tuple[str, ...]:
    """Patterns for proposals to do what a text names ("… to close the passenger window …").

    They hold a verb and its object, so that refusing one thing does not refuse its neighbours.
    """
    named = rules().search("proposed_thing", rules().without("side_remark", text))
    if named is None:
        return ()
    verb = r"\b(?:set|start)" if named[1] == "set" else _word_pattern(named[1])
    thing = ".*".join(_word_pattern(word) for word in _object(named[2]))
    thing = re.sub(r"^.bair.b.*condition.*", r"\\b(?:air condition|a/?c\\b)", thing)
    return (rf"{verb}\w*\b.*{thing}",) if thing else ()


def _object(text: str) -> list[str]:
    found: list[str] = []
    for word in re.findall(r"\w+", text):
        if word not in rules().object_fillers:
            found.append(word)
        elif found:
            break
    return found[:2]


def question_for(answer: Answer) -> str:
    """A question that a driver with this answer in the script replies to with it.

    Raises `ValueError` if no question can be made from the patterns of the answer.
    """
    refusal = re.match(r"no\b", answer.say, re.IGNORECASE) is not None
    for phrase in (phrase for pattern in answer.when for phrase in examples(pattern)):
        for question in _phrased(phrase, _PROPOSING if refusal else _ASKING):
            if matches(answer, question) and asks(question):
                return question
    raise ValueError(f"no question leads to the answer {answer.say!r}: {answer.when}")


def matches(answer: Answer, text: str) -> bool:
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in answer.when)


def _phrased(phrase: str, templates: tuple[str, ...]) -> Iterator[str]:
    for template in templates:
        question = re.sub(r"\s+", " ", template.format(phrase)).strip()
        yield question[:1].upper() + question[1:]


def _ordered(text: str) -> list[str]:
    plain = re.sub(r"\b\w+n't\b|'\w+\b", "", text.lower())
    words = re.findall(r"[^\W\d_]{3,}", plain)
    return [word for word in words if not rules().stop_words & {word, _stem(word)}]


def _word_pattern(word: str) -> str:
    stem = _stem(word)
    if stem != word:
        return rf"\b(?:{word}|{stem})"
    return rf"\b{word}\b" if len(word) < 4 else rf"\b{word}"


def _between_names(text: str) -> tuple[str, ...]:
    ends = re.search(r"\b([A-Z]\w+) to ([A-Z]\w+)", text)
    return (rf"\b{ends[1]}\b.*\b{ends[2]}\b",) if ends else ()


def _stem(word: str) -> str:
    word = re.sub(r"'s$", "", word)
    for ending in ("ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
