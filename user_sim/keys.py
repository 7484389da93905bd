"""Which questions an answer belongs to: patterns from words, and a question from patterns."""

import re
from collections.abc import Iterator

from user_sim.lexicon import lexicon
from user_sim.phrase import examples
from user_sim.script import Answer

_STOP_WORDS = frozenset(
    """a about again all already also am an and any are as ask asked asks at available be because been
    but by can cannot change choose clarification clarify confirm confirmation could current currently
    decide details did different do does down during each else find finds for found from get gets
    give given goes good had happen has have he her him his how i if in include increase information
    inform informs instead into is it its just least let like list located make mean means mention
    mentions more multiple my name named navigation need needs not of on one only open option
    options or other our out over own please possible prefer present presented presents proceed
    proposes provide provides really replace request reduce said same say says select selection
    send sending set settings several should show shows so some something specific specifically
    specify start still suggest suggests sure system tell tells than that the their them then there
    these they think this those to together too turn turned turning two up upon us use user using
    want wants was way we were what when where whether which while who whole will wish with would
    yes you your assistant driving car after before first second next later now needed okay
    adjust activate set setting state delete add fully happen include included including multiple clarifies clarify significant between making without enough off end going go allow take took taking""".split()
)
_ASKING = (
    "Which {} would you like?",
    "What about the {}: what would you like?",
    "{} would you like?",
    "What do you say about {}?",
    "{}?",
)
_PROPOSING = ("Shall I {}?", "Do you want {}?", "{}?")
_SYNONYMS = (
    (r"percent", r"\bpercent|\bhow (?:far|wide|much)\b"),
    (r"level", r"\blevel|\bhow (?:strong|high|warm)\b"),
    (r"colou?r", r"\bcolou?r"),
    (r"temperature|degrees", r"\btemperature|\bdegrees\b|\bhow (?:warm|cold)\b"),
    (r"\bcontent\b", r"\bcontent|\bmessage\b|\bwhat should (?:it|the)\b"),
)
_OBJECT_FILLERS = frozenset(
    "the your it to anything a an yet as in at for with of on this that them system".split()
)
ROUTES = (r"\broutes?\b", r"\bfastest\b|\bshortest\b", r"\bvia\b")


def content_words(text: str) -> frozenset[str]:
    """The words that carry a sentence, without their endings."""
    words = re.findall(r"[^\W_]+(?:'\w+)?", text.lower())
    return frozenset(_stem(word) for word in words if word not in _STOP_WORDS)


def question_patterns(text: str) -> tuple[str, ...]:
    """Patterns for questions about what a text speaks of; empty if it speaks of nothing."""
    if re.search(r"\broutes?\b", text):
        return (*_between_names(text), *ROUTES)
    words = dict.fromkeys(_word_pattern(word) for word in _ordered(text))
    more = [pattern for when, pattern in _SYNONYMS if re.search(when, text, re.IGNORECASE)]
    return tuple(dict.fromkeys([*words, *more]))


def proposal_patterns(text: str) -> tuple[str, ...]:
    """Patterns for proposals to do what a text names ("… to close the passenger window …").

    They hold a verb and its object, so that refusing one thing does not refuse its neighbours.
    """
    core = re.sub(r"(?: as| since| because|,| but) .*", "", text)
    named = re.search(r"\bto (?:actually |also )?(\w+)(?: up| on| off| in)? (.*)", core)
    if named is None:
        return ()
    verb = r"\b(?:set|start)" if named[1] == "set" else _word_pattern(named[1])
    thing = ".*".join(_word_pattern(word) for word in _object(named[2]))
    thing = re.sub(r"^.bair.b.*condition.*", r"\\b(?:air condition|a/?c\\b)", thing)
    return (rf"{verb}\w*\b.*{thing}",) if thing else ()


def _object(text: str) -> list[str]:
    found: list[str] = []
    for word in re.findall(r"\w+", text):
        if word not in _OBJECT_FILLERS:
            found.append(word)
        elif found:
            break
    return found[:2]


def question_for(answer: Answer) -> str:
    """A question that a driver with this answer in the script replies to with it.

    Raises `ValueError` if no question can be made from the patterns of the answer.
    """
    refusal = re.match(r"no\b", answer.say, re.IGNORECASE) is not None
    known = lexicon()
    for phrase in (phrase for pattern in answer.when for phrase in examples(pattern)):
        for question in _phrased(phrase, _PROPOSING if refusal else _ASKING):
            asked = known.is_question(question) if refusal else known.is_pick(question)
            if asked and matches(answer, question):
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
    return [word for word in words if not _STOP_WORDS & {word, _stem(word)}]


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
