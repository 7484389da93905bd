"""Wishes about the cabin: which thing, what to do with it, how far and where."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant_gateway.agents.rules.language.details import Details, choice, details, seats
from assistant_gateway.agents.rules.language.patterns import first, table
from assistant_gateway.agents.rules.language.trimming import without_purposes, without_refusals
from assistant_gateway.agents.rules.wishes.wish import Adjust, Inquire

_ALREADY_SO = re.compile(
    r"\b(?:that(?:'s| is| are| was)|which (?:is|are)|is|are|was|were|(?:it|there|what)'s|isn't|aren't) "
    r"(?:\w+ ){0,2}?(?:still |already |left )?(?:open|opened|closed|on|off)\b(?: (?:yet|already))?",
    re.IGNORECASE,
)
_IF_NOT_SO = re.compile(
    r"\b(?:if|unless|in case) (?:it|they|that|those|these|the \w+(?: \w+)?)\b.*$", re.IGNORECASE
)
_REFUSED = re.compile(r"^(?:no|not|without|don'?t|do not|never|no need|leave) ", re.IGNORECASE)
_WEAK = re.compile(
    r"\b(?:get|want|need|like|use|go|keep|leave|turn|switch|give|limit|blow|select|choose)\b", re.I
)
_STRONG = re.compile(
    r"\b(?:set|make|change|adjust|put|bring|direct|point|aim|send|lower|raise|match|sync\w*|align)\b",
    re.IGNORECASE,
)
_IMPLIED = re.compile(
    r"\b(?:warm|heat|cool)\w* (?:\w+ ){0,3}(?:up|down|off)\b|"
    r"\b(?:warm|heat|cool)\w* (?:up |down )?(?:the |my |our )?(?:car|cabin|interior|inside|\w* ?area)\b|"
    r"\b(?:i'm|i am|we're|we are|it's|it is|is|are|feel\w*|get\w*|my \w+) (?:\w+ ){0,3}"
    r"(?:cold|freezing|hot|warm|chilly|sweating|boiling|frozen|fog\w*|mist\w*|frost\w*|ic\w+)\b|"
    r"\bmist\w* (?:up|over)\b|\bfog\w* (?:up|over)\b",
    re.IGNORECASE,
)
_DEGREES = re.compile(r"\btemperature\b|\bdegrees?\b", re.IGNORECASE)
_AGAIN = re.compile(
    r"\b(?:it|them|that|same|too|ones?|instead|also|as well|again)\b", re.IGNORECASE
)


def mentions(piece: str) -> list[str]:
    """The things of the cabin that a piece speaks of, in the order they are said."""
    found: list[tuple[int, str]] = []
    whole = piece
    for thing, pattern in table("cabin", "things"):
        spoken = pattern.search(piece)
        if spoken:
            found.append((spoken.start(), thing))
            piece = pattern.sub(lambda match: "\0" * len(match[0]), piece)
    things = [thing for _, thing in sorted(found)]
    covered = dict(_COVERED_BY)
    if _DEGREES.search(whole):
        del covered["temperature"]
    return [thing for thing in things if not set(covered.get(thing, ())) & set(things)]


TELL_ONLY = frozenset({"occupancy", "color", "climate"})
_LIKE = re.compile(
    r"\b(?:(?:to |that |which )?match(?:es|ing)?|(?:to |at |the )*same (?:\w+ ){0,3}as|"
    r"as (?:much|far|wide|high|warm) as|sync\w*(?: \w+)? (?:with|to)|equal to|identical to|"
    r"just like|to be like)\b(?P<other>.*)$",
    re.IGNORECASE,
)
_MATCH = re.compile(
    r"^(?:match|sync\w*|align|adjust)\b(?P<thing>.*)\b(?:to|with)\b(?P<other>(?! \d).*)$",
    re.IGNORECASE,
)
_DONE_ALREADY = re.compile(
    r"^(?:i|we|he|she|they|somebody|my \w+)(?:'ve| have| has|'s)?(?: already| just)? "
    r"(?:closed|opened|turned|switched|set|put|left|shut)\b",
    re.IGNORECASE,
)
_SAME_PLACE = re.compile(r"\b(?:the )?same (?:zone|side|seat|window|one)\b", re.IGNORECASE)
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


def inquiries(sentence: str) -> list[Inquire]:
    """What a question about the cabin is about."""
    return [Inquire(thing) for thing in mentions(sentence)]


def adjustments(said: Sequence[str], before: Adjust | None) -> list[Adjust]:
    """What the pieces of a sentence want changed; `before` is what the last wish was about."""
    found: list[Adjust] = []
    spoken_of: Adjust | None = None
    for piece in _joined(said):
        last = found[-1] if found else spoken_of or before
        new = list(_in_piece(piece, last, is_first=not found))
        things = [] if new else [thing for thing in mentions(piece) if thing not in TELL_ONLY]
        if things:
            # "The fan is off, so turn it on": what a remark is about is what `it` means.
            spoken_of = Adjust(things[0], UNSAID, seats=seats(piece))
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
    if _DONE_ALREADY.search(piece):
        return
    told, like = _likened(without_refusals(_IF_NOT_SO.sub("", piece)))
    if not like:
        told = without_purposes(told, _end_of_first_mention(told))
    only_open = bool(_ALREADY_SO.search(told))
    told = _ALREADY_SO.sub(" ", told)
    things = mentions(told)
    verb = _verb(told)
    if not things:
        yield from _elliptical(told, last, verb)
        return
    for thing in things:
        if thing in TELL_ONLY:
            continue
        wish = _wish(thing, told, verb, details(told), only_open=only_open)
        wish = replace(wish, like=_reference(thing, like) if like else None)
        if last is not None and _SAME_PLACE.search(told):
            wish = replace(wish, seats=last.seats)
        if verb is None and last is not None and not is_first:
            yield replace(wish, verb=_taken_over(wish, last))
        elif verb is not None or wish.says_how:
            yield wish if _commands(wish, told, verb) else replace(wish, verb=UNSAID)


def _likened(piece: str) -> tuple[str, str]:
    """`the sunshade`, `the sunroof` of `match the sunshade to the sunroof`, else nothing."""
    if choice("ambient", piece) == "CAR":
        return piece, ""
    matched = _MATCH.search(piece)
    if matched:
        return f"set {matched['thing']}", matched["other"]
    found = _LIKE.search(piece)
    if found is None:
        return piece, ""
    return f"set {piece[: found.start()]}", found["other"]


def _reference(thing: str, other: str) -> tuple[str, tuple[str, ...]]:
    """What a thing shall be like: another thing, or the same thing at another seat."""
    things = [name for name in mentions(other) if name not in TELL_ONLY]
    return (things[0] if things else thing), seats(other)


def _end_of_first_mention(piece: str) -> int:
    ends = [match.end() for _, pattern in table("cabin", "things")
            if (match := pattern.search(piece))]  # fmt: skip
    return min(ends, default=len(piece))


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
        is_implied=thing in ("temperature", "defrost") and bool(_IMPLIED.search(piece)),
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
        if verb in (None, "set") and last.verb in ("on", "more", "less", UNSAID):
            wish = replace(wish, verb="set")
    yield wish


def _verbs_shared(found: Sequence[Adjust]) -> list[Adjust]:
    """`turn the fan and the AC off`: a verb that says nothing takes that of the next."""
    shared = list(found)
    for index in range(len(shared) - 2, -1, -1):
        if shared[index].verb == UNSAID and shared[index + 1].verb in ("on", "off"):
            shared[index] = replace(shared[index], verb=shared[index + 1].verb)
    return [wish for wish in shared if wish.verb != UNSAID]
