"""What is still open about a wish: asked of the driver, or known from stored preferences."""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from assistant_gateway.agents.rules.dialogue import Declined, Dialogue, NewRequest, Steps
from assistant_gateway.agents.rules.language.plain import (
    after_a_halt,
    agrees,
    halts,
    hesitates,
    leaves_it_open,
    pieces,
    plain,
    says_goodbye,
)
from assistant_gateway.agents.rules.wishes.cabin import mentions
from assistant_gateway.agents.rules.wishes.taking_back import (
    SayAgain,
    TakeBack,
    TellDone,
    takes_back,
)
from assistant_gateway.wording.sentences import sentences
from assistant_gateway.wording.spoken import alternatives

T = TypeVar("T")
LONGEST_ANSWER = 14
_SHORT_ANSWER = 5
_SHORT_WORD = 3
_MOST = 0.75


def confirm(dialogue: Dialogue, question: str, otherwise: str) -> Steps[None]:
    """Go on only after a yes."""
    answer = yield from answer_to(dialogue, question)
    agreed = agrees(plain(answer))
    if agreed or (agreed is None and _restates(question, answer)):
        _note_what_else(question, answer, dialogue)
        return
    is_plain_no = agreed is False and len(answer.split()) <= _SHORT_ANSWER
    if dialogue.is_request(answer) and not is_plain_no:
        raise NewRequest(answer)
    raise Declined(otherwise)


def _restates(question: str, answer: str) -> bool:
    """`I want the fog lights on and the high beams off`, to a question about just that."""
    proposal = question.rpartition("Shall I")[2]
    words = _long_words(proposal)
    said = set(_words(answer))
    return bool(words) and len(words & said) >= _MOST * len(words)


def detail(
    dialogue: Dialogue, question: str, read: Callable[[str], T | None], fallback: T | None
) -> Steps[T]:
    """Ask until the answer can be read; `fallback` is taken if the driver leaves it open."""
    answer = yield from answer_to(dialogue, question)
    for again in (f"I'm sorry, I did not catch that. {question}", None):
        if leaves_it_open(answer):
            if fallback is None:
                raise Declined("Then I leave that for now.")
            return fallback
        if _is_about_another_thing(question, answer, dialogue):
            raise NewRequest(answer)
        if len(answer.split()) > LONGEST_ANSWER and dialogue.is_request(answer):
            raise NewRequest(answer)
        found = read(_not_refused(plain(answer)))
        if found is not None:
            _note_what_else(question, answer, dialogue)
            return found
        if agrees(plain(answer)) is False:
            raise Declined("Alright, I leave it as it is.")
        if dialogue.is_request(answer):
            raise NewRequest(answer)
        if again is None:
            break
        answer = yield from answer_to(dialogue, again)
    raise Declined("I did not understand that, so I leave it as it is.")


def _not_refused(answer: str) -> str:
    """`the passenger's` of `not mine, the passenger's`."""
    return re.sub(r"\bnot (?:the |my |in )?[\w']+", " ", answer, flags=re.IGNORECASE)


def answer_to(dialogue: Dialogue, question: str) -> Steps[str]:
    """What the driver says; to stop drops all that was wished for."""
    answer = yield from dialogue.ask(question)
    while hesitates(answer) or isinstance(takes_back(answer), SayAgain):
        answer = yield from dialogue.ask("Take your time." if hesitates(answer) else question)
    back = takes_back(plain(answer))
    if halts(plain(answer)) or says_goodbye(plain(answer)):
        raise NewRequest(answer, drops=True)
    if after_a_halt(plain(answer)):
        raise NewRequest(after_a_halt(plain(answer)), drops=True)
    if isinstance(back, TakeBack) and not (back.things or back.is_all):
        # Nothing of what was asked about is done yet, so there is nothing to take back.
        raise NewRequest("Never mind.", drops=True)
    if isinstance(back, TellDone):
        raise NewRequest(answer)
    return answer


def _note_what_else(question: str, answer: str, dialogue: Dialogue) -> None:
    """`Level two, and open my window`: what is not about the question is done after it."""
    asked = set(mentions(plain(question)))
    _, *rest = [piece for sentence in sentences(plain(answer)) for piece in pieces(sentence)] or [
        ""
    ]
    dialogue.also += [
        piece
        for piece in rest
        if mentions(piece) and not asked & set(mentions(piece)) and dialogue.is_request(piece)
    ]


def _is_about_another_thing(question: str, answer: str, dialogue: Dialogue) -> bool:
    """`Set the fan to level three`, to a question about windows; not one word is the same."""
    asked, said = set(mentions(plain(question))), set(mentions(plain(answer)))
    if not (asked and said) or asked & said or _long_words(question) & _long_words(answer):
        return False
    return dialogue.is_request(answer)


def one_of(
    dialogue: Dialogue, question: str, names: Sequence[str], otherwise: int | None = None
) -> Steps[int]:
    """Ask which of several, and get its position."""
    return (
        yield from detail(
            dialogue,
            f"{question}: {alternatives(names)}?",
            lambda answer: spoken_of(answer, names),
            otherwise,
        )
    )


_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def spoken_of(answer: str, names: Sequence[str]) -> int | None:
    """Which of the names an answer speaks of; the one with the most of its own words in it."""
    said = set(_words(answer))
    common = set.intersection(*(set(_words(name)) for name in names)) if len(names) > 1 else set()
    hits = [len((set(_words(name)) - common) & said) for name in names]
    best = max(hits, default=0)
    if best and hits.count(best) == 1:
        return hits.index(best)
    for index, ordinal in enumerate(_ORDINALS[: len(names)]):
        if ordinal in said and not best:
            return index
    if "last" in said and names and not best:
        return len(names) - 1
    return 0 if len(names) == 1 and agrees(answer) else None


def _words(text: str) -> list[str]:
    return [word.strip(".,!?'\"").removesuffix("'s").lower() for word in text.split()]


def _long_words(text: str) -> set[str]:
    return {word for word in _words(text) if len(word) > _SHORT_WORD}


CABIN = ("vehicle_settings", ("climate_control", "vehicle_settings"))


def liked(dialogue: Dialogue, category: str, kinds: tuple[str, ...]) -> Steps[list[str]]:
    """Stored sentences of one category; none where the car does not tell them."""
    if not dialogue.offered.has("get_user_preferences", "preference_categories"):
        return []
    result = yield from dialogue.look_if_offered(
        "get_user_preferences", preference_categories={category: dict.fromkeys(kinds, True)}
    )
    stored = result.get(category)
    found = [stored.get(kind) for kind in kinds] if isinstance(stored, dict) else []
    return [
        plain(sentence)
        for kind in found
        if isinstance(kind, list)
        for sentence in kind
        if isinstance(sentence, str)
    ]


def liked_value(dialogue: Dialogue, thing: str, read: Callable[[str], T | None]) -> Steps[T | None]:
    """How the driver likes something of the cabin, from the first sentence that can be read."""
    sentences = yield from liked(dialogue, *CABIN)
    values = (read(sentence) for sentence in sentences if _is_about(thing, sentence))
    return next((found for found in values if found is not None), None)


# Stored sentences name things more loosely than commands do.
_LOOSELY = {
    "ambient": ("light", "colo"),
    "airflow": ("air",),
    "circulation": ("air",),
    "temperature": ("climate", "warm", "degrees"),
    "wheel_heating": ("wheel",),
    "charge_limit": ("charg",),
}


def _is_about(thing: str, sentence: str) -> bool:
    said = sentence.lower()
    return thing in mentions(sentence) or any(word in said for word in _LOOSELY.get(thing, ()))
