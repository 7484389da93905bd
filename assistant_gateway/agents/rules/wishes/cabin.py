"""Wishes about the cabin: which thing, what to do with it, how far and where."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant_gateway.agents.rules.language.details import Details, choice, details
from assistant_gateway.agents.rules.language.patterns import first, table
from assistant_gateway.agents.rules.wishes.wish import Adjust, Inquire

_ALREADY_SO = re.compile(
    r"\b(?:that(?:'s| is| are| was)|which (?:is|are)|is|are|was|were|'s|isn't|aren't) "
    r"(?:\w+ ){0,2}?(?:still |already |left )?(?:open|opened|closed|on|off)\b(?: (?:yet|already))?",
    re.IGNORECASE,
)
_IF_NOT_SO = re.compile(
    r"\b(?:if|unless|in case) (?:it|they|that|those|these|the \w+(?: \w+)?)\b.*$", re.IGNORECASE
)
_NOT_WANTED = re.compile(
    r"\b(?:don'?t|do not|no need to|without|never|not|rather than|instead of|leave)\b"
    r"(?!.*\b(?:open|on|at|percent)$)",
    re.IGNORECASE,
)
_REFUSED = re.compile(r"^(?:no|not|without|don'?t|do not|never|no need|leave) ", re.IGNORECASE)
_WEAK = re.compile(
    r"\b(?:get|want|need|like|use|go|keep|leave|turn|switch|give|limit|blow|select|choose)\b", re.I
)
_STRONG = re.compile(
    r"\b(?:set|make|change|adjust|put|bring|direct|point|aim|send|lower|raise|match)\b", re.I
)
_IMPLIED = re.compile(
    r"\b(?:i'm|i am|we're|we are|it's|it is|is|are|feel\w*|get\w*|my \w+) (?:\w+ ){0,3}"
    r"(?:cold|freezing|hot|warm|chilly|sweating|boiling|frozen|fog\w*|mist\w*|frost\w*|ic\w+)\b|"
    r"\bmist\w* (?:up|over)\b|\bfog\w* (?:up|over)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:and |so |but )?"
    r"(?:what|which|how|is|are|was|do|does|did|where|who|whether|have|has|am|any)\b|"
    r"^(?:tell me|check|let me know|show me|look(?: up)?|see|find out|do you know)\b",
    re.IGNORECASE,
)
_NO_QUESTION = re.compile(r"^(?:(?:and )?(?:what|how) about|is it possible to)\b", re.IGNORECASE)
_AGAIN = re.compile(
    r"\b(?:it|them|that|same|too|ones?|instead|also|as well|again)\b", re.IGNORECASE
)


def mentions(piece: str) -> list[str]:
    """The things of the cabin that a piece speaks of, in the order they are said."""
    found: list[tuple[int, str]] = []
    for thing, pattern in table("cabin", "things"):
        spoken = pattern.search(piece)
        if spoken:
            found.append((spoken.start(), thing))
            piece = pattern.sub(lambda match: "\0" * len(match[0]), piece)
    things = [thing for _, thing in sorted(found)]
    covered = _COVERED_BY.get
    return [thing for thing in things if not set(covered(thing, ())) & set(things)]


OPENINGS = frozenset({"window", "sunroof", "sunshade", "trunk"})
UNSAID = ""
# "Defrost the rear window" is about one thing, "warm air to my feet" is not about degrees.
_COVERED_BY = {
    "window": ("defrost",),
    "temperature": (
        "defrost",
        "seat_heating",
        "wheel_heating",
        "airflow",
        "fan",
        "air_conditioning",
    ),
    "airflow": ("circulation",),
    "fan": ("airflow",),
    "circulation": (),
    "air_conditioning": (),
}


def is_question(sentence: str) -> bool:
    return bool(_ASKS.search(sentence)) and not _NO_QUESTION.search(sentence)


def inquiries(sentence: str) -> list[Inquire]:
    """What a question about the cabin is about."""
    return [Inquire(thing) for thing in mentions(sentence)]


def adjustments(said: Sequence[str], before: Adjust | None) -> list[Adjust]:
    """What the pieces of a sentence want changed; `before` is what the last wish was about."""
    found: list[Adjust] = []
    for piece in _joined(said):
        last = found[-1] if found else before
        new = list(_in_piece(piece, last, is_first=not found))
        if found and new and not mentions(piece) and _refines(new[0], found[-1]):
            found.pop()
        found += new
    return _verbs_shared(found)


def _refines(new: Adjust, last: Adjust) -> bool:
    """`a hand's width, 15 percent` is one wish, told twice."""
    return not last.says_how and new.says_how and new.seats == last.seats


def _joined(said: Sequence[str]) -> Iterator[str]:
    """Pieces that belong together: a verb whose thing comes after the next `and`."""
    waiting = ""
    for piece in said:
        piece = f"{waiting} {piece}".strip()
        opens = not mentions(piece) and first("cabin", "verbs", piece)
        if opens and details(piece).seats and not _AGAIN.search(piece) and not waiting:
            waiting = f"{piece} and"
            continue
        waiting = ""
        yield piece
    if waiting:
        yield waiting.removesuffix(" and")


def _in_piece(piece: str, last: Adjust | None, *, is_first: bool) -> Iterator[Adjust]:
    if _REFUSED.search(piece) and not details(piece).amount:
        return
    told = _IF_NOT_SO.sub("", piece)
    only_open = bool(_ALREADY_SO.search(told))
    told = _ALREADY_SO.sub(" ", told)
    things = mentions(told)
    verb = _verb(told)
    if not things:
        yield from _elliptical(told, last, verb)
        return
    for thing in things:
        wish = _wish(thing, told, verb, details(told), only_open=only_open)
        if verb is None and last is not None and not is_first:
            yield replace(wish, verb=_taken_over(wish, last))
        elif verb is not None or wish.says_how:
            yield wish if _commands(wish, told, verb) else replace(wish, verb=UNSAID)


def _taken_over(wish: Adjust, last: Adjust) -> str:
    """The verb of the wish before, where a value does not say enough."""
    if last.verb in ("open", "close") and wish.thing in OPENINGS:
        return last.verb
    return "set" if wish.says_how else last.verb


def _verb(piece: str) -> str | None:
    return first("cabin", "verbs", piece)


def _wish(thing: str, piece: str, verb: str | None, said: Details, *, only_open: bool) -> Adjust:
    return Adjust(
        thing=thing,
        verb=verb or "set",
        amount=said.amount,
        is_step=said.is_step,
        strength=said.strength,
        vague=said.vague,
        seats=said.seats,
        choice=choice(thing, piece),
        only_open=only_open and verb == "close",
        is_implied=bool(_IMPLIED.search(piece)),
    )


def _commands(wish: Adjust, piece: str, verb: str | None) -> bool:
    return wish.says_how or verb != "set" or bool(_STRONG.search(piece))


def _elliptical(piece: str, last: Adjust | None, verb: str | None) -> Iterator[Adjust]:
    """`and the rear one too`, `make it 22 instead`, `then close it again`."""
    if last is None:
        return
    said = details(piece)
    picked = choice(last.thing, piece)
    has_value = said.amount is not None or said.strength or picked
    acts = verb not in (None, "set") and _AGAIN.search(piece)
    if not (has_value or said.seats or acts):
        return
    wish = replace(
        last,
        verb=verb if verb not in (None, "set") else last.verb,
        seats=said.seats or last.seats,
        choice=picked or last.choice,
        only_open=False,
        is_implied=False,
    )
    if has_value or acts:
        wish = replace(
            wish,
            amount=said.amount,
            is_step=said.is_step,
            strength=said.strength,
            vague=said.vague,
        )
        if verb in (None, "set") and last.verb in ("on", "more", "less"):
            wish = replace(wish, verb="set")
    yield wish


def _verbs_shared(found: Sequence[Adjust]) -> list[Adjust]:
    """`turn the fan and the AC off`: a verb that says nothing takes that of the next."""
    shared = list(found)
    for index in range(len(shared) - 2, -1, -1):
        if shared[index].verb == UNSAID and shared[index + 1].verb in ("on", "off"):
            shared[index] = replace(shared[index], verb=shared[index + 1].verb)
    return [wish for wish in shared if wish.verb != UNSAID]
