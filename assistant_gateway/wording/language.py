"""Whether a text is in another language than English, by its letters and small words. Pure."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path

from assistant_gateway.wording.sentences import sentences
from vehicle_bus.data_folder import quick_yaml

FOREIGN_LETTERS = 0.3  # share of letters of another script
FEWEST = 2  # words of another language
ACCENTED = 2  # words with accents, where no English one stands
ALONE = 3  # words of a turn that may be known by one of them
ENOUGH = 3  # words that are not English, by which a turn is known
UNKNOWN = 2 / 3  # share of such words
SCRIPTS = {"CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean"}
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


@lru_cache(maxsize=4096)
def other_language(text: str) -> str | None:
    """The language of a text that is not English, as far as it can be told; None if it may be."""
    return _other_script(text) or _other_words(text)


def _other_script(text: str) -> str | None:
    if text.isascii():
        return None
    letters = [letter for letter in text if letter.isalpha()]
    names = (unicodedata.name(letter, "UNNAMED") for letter in letters)
    scripts = Counter(re.split("[ -]", name)[0] for name in names)
    foreign = Counter({script: n for script, n in scripts.items() if script not in _PLAIN})
    if not foreign or foreign.total() < FOREIGN_LETTERS * len(letters):
        return None
    if foreign["HIRAGANA"] or foreign["KATAKANA"]:
        return "Japanese"
    [(script, _)] = foreign.most_common(1)
    return SCRIPTS.get(script, script.capitalize())


_PLAIN = frozenset({"LATIN", "FEMININE", "MASCULINE", "FULLWIDTH", "MICRO"})


def _other_words(text: str) -> str | None:
    table = _table()
    found = [word for sentence in sentences(text) for word in _telling_words(sentence)]
    counts = {language: sum(word in words for word in found) for language, words in table.items()}
    english = counts["english"]
    alone = counts.pop("alone")
    counts = {name: n for name, n in counts.items() if name not in ("english", "in_names")}
    language = max(counts, key=lambda name: counts[name])
    if counts[language] >= FEWEST and counts[language] > 2 * english:
        return language.capitalize()
    if alone and not english and len(found) <= ALONE:
        return language.capitalize()
    accented = sum(not word.isascii() for word in found)
    strange = accented >= ACCENTED or (counts[language] and _hardly_english(text, FEWEST))
    if (strange and not english) or _hardly_english(text, ENOUGH):
        return language.capitalize() if counts[language] else "another language"
    return None


def _hardly_english(text: str, fewest: int) -> bool:
    """Whether at least so many words, and most of them, are not among the English ones.

    What may be a name does not count.
    """
    found = [
        re.sub(r"'s$", "", word)
        for sentence in sentences(text)
        for word in _telling_words(sentence, may_begin_with_a_name=True)
    ]
    unknown = [word for word in found if word not in english_words()]
    return len(unknown) >= fewest and len(unknown) >= UNKNOWN * len(found)


def _telling_words(sentence: str, *, may_begin_with_a_name: bool = False) -> Iterator[str]:
    """The words of a sentence in lower case from the last to the first, without those of names.

    The first word may be a name where another capital letter, or nothing, comes after it.
    """
    before_a_name, after_it = False, "A"
    for index, word in reversed(list(enumerate(_WORD.findall(sentence)))):
        before_a_name = before_a_name and word.lower() in _table()["in_names"]
        begins = index == 0 and not (may_begin_with_a_name and after_it.isupper())
        is_name = word[0].isupper() and not begins
        if not before_a_name and not is_name:
            yield word.lower()
        before_a_name, after_it = before_a_name or word[0].isupper(), word[0]


@cache
def english_words() -> frozenset[str]:
    """What assistants in cars say in English, and the words that English shares with others."""
    text = Path(__file__).with_name("english_words.txt").read_text(encoding="utf-8")
    return frozenset(text.split()) | _table()["english"]


@cache
def _table() -> Mapping[str, frozenset[str]]:
    table = quick_yaml(Path(__file__).with_suffix(".yaml"))
    return {name: frozenset(words.split()) for name, words in table.items()}
