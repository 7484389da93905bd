"""Wishes about the cabin: which thing, what to do with it, how far and where."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from assistant_gateway.agents.rules.language.details import Details, choice, details, seats
from assistant_gateway.agents.rules.language.patterns import Patterns, first, table
from assistant_gateway.agents.rules.language.plain import (
    number,
    without_purposes,
    without_refusals,
)
from assistant_gateway.agents.rules.wishes.wish import Wish

_SAYS = Patterns(__file__)
# A verb that says nothing by itself, as in `turn the fan and the AC off`.
UNSAID = ""


@dataclass(frozen=True, slots=True)
class Adjust(Wish):
    """Something of the cabin shall change.

    `verb` is on, off, open, close, more, less or set. `amount` is percent, a level or degrees;
    with `is_step` it counts from where things are. `seats` are as in `cabin.yaml`, `choice` a
    colour, a direction, a mode or a pane,
    `like` another thing, or the same at other seats, whose value is taken, and `beyond` how much
    more than it. `is_command`: it was said as one, so it is not only a reason for something else.
    """

    thing: str
    verb: str
    amount: float | None = None
    is_step: bool = False
    strength: str | None = None
    vague: str | None = None
    seats: tuple[str, ...] = ()
    choice: str | None = None
    only_open: bool = False
    is_implied: bool = False
    is_command: bool = False
    like: tuple[str, tuple[str, ...]] | None = None
    beyond: float = 0

    @property
    def is_off(self) -> bool:
        return self.verb in ("off", "close")

    @property
    def says_how(self) -> bool:
        """Whether it says where to, not only that something should happen."""
        return bool(self.amount is not None or self.strength or self.choice or self.like)


@dataclass(frozen=True, slots=True)
class Inquire(Wish):
    """The driver asks how something of the car stands."""

    thing: str


TELL_ONLY = frozenset({"occupancy", "color", "climate"})
OPENINGS = frozenset({"window", "sunroof", "sunshade", "trunk"})
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
    if "lights" in things and choice("ambient", whole):
        things[things.index("lights")] = "ambient"
    covered = dict(_COVERED_BY)
    if _SAYS["degrees"].search(whole):
        del covered["temperature"]
    return [thing for thing in things if not set(covered.get(thing, ())) & set(things)]


def end_of_first_mention(piece: str) -> int:
    """Where the first thing has been named, or a value for what was named before."""
    ends = [match.end() for _, pattern in table("cabin", "things")
            if (match := pattern.search(piece))]  # fmt: skip
    value = _SAYS["value"].search(piece)
    return min([*ends, value.end()] if value else ends, default=len(piece))


def inquiries(sentence: str, last: "Adjust | None" = None) -> list[Inquire]:
    """What a question about the cabin is about; `it` is the last thing."""
    things = mentions(sentence)
    if "lights" in things and _SAYS["which_of_all"].search(sentence):
        return [Inquire(thing) for thing in ("lights", "reading", "ambient")]
    if not things and last is not None and _SAYS["asks_state"].search(sentence):
        return [Inquire(last.thing)]
    return [Inquire(thing) for thing in things]


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
        if found and new and not mentions(piece) and refines(new[0], found[-1]):
            found.pop()
        found += new
    return verbs_shared(found)


def _joined(said: Sequence[str]) -> Iterator[str]:
    """Pieces that belong together: a verb whose thing comes after the next `and`."""
    waiting = ""
    for piece in said:
        piece = f"{waiting} {piece}".strip()
        opens = not mentions(piece) and first("cabin", "verbs", piece)
        if opens and details(piece).seats and not _SAYS["again"].search(piece) and not waiting:
            waiting = f"{piece} and"
            continue
        waiting = ""
        yield piece
    if waiting:
        yield waiting.removesuffix(" and")


def _in_piece(piece: str, last: Adjust | None, *, is_first: bool) -> Iterator[Adjust]:
    if is_no_wish(piece):
        return
    # What is not wanted, or wanted only if it is not so already, is left out.
    text, like = compared(without_refusals(_SAYS["if_not_so"].sub("", piece)))
    if not like:
        text = without_purposes(text, end_of_first_mention(text))
    without_state = _SAYS["already_so"].sub(" ", text)
    text, only_open = without_state, without_state != text
    things = mentions(text)
    verb = first("cabin", "verbs", text)
    if not things and like and last is not None:
        where = seats(text) or last.seats
        there = reference(last.thing, like)
        yield replace(last, verb="set", amount=None, seats=where, like=there, beyond=beyond(piece))
        return
    if not things:
        yield from follow_up(text, last, verb)
        return
    for thing in things:
        if thing in TELL_ONLY:
            continue
        wish = _wish(thing, text, verb, details(text), only_open=only_open)
        if like:
            wish = replace(wish, like=reference(thing, like), beyond=beyond(piece))
        if last is not None and _SAYS["same_place"].search(text):
            wish = replace(wish, seats=last.seats)
        goes_on = not is_first or bool(_SAYS["too"].search(text))
        if verb is None and last is not None and goes_on:
            yield replace(wish, verb=verb_taken_over(wish, last))
        elif verb is not None or wish.says_how:
            yield wish if _commands(wish, text, verb) else replace(wish, verb=UNSAID)


def _wish(thing: str, piece: str, verb: str | None, said: Details, *, only_open: bool) -> Adjust:
    return Adjust(
        thing=thing,
        verb=verb or "set",
        **asdict(said),
        choice=choice(thing, piece),
        only_open=only_open and verb == "close",
        is_implied=thing in ("temperature", "defrost") and bool(_SAYS["implied"].search(piece)),
        is_command=bool(_SAYS["command"].search(piece)),
    )


def _commands(wish: Adjust, piece: str, verb: str | None) -> bool:
    if wish.thing == "circulation" and not _SAYS["fresh_air_is_switched"].search(piece):
        return False
    return wish.says_how or verb != "set" or bool(_SAYS["strong"].search(piece))


def compared(piece: str) -> tuple[str, str]:
    """`the sunshade`, `the sunroof` of `match the sunshade to the sunroof`, else nothing."""
    if choice("ambient", piece) == "CAR":
        return piece, ""
    if _SAYS["sync_alone"].search(piece):
        return "set the passenger temperature", "the driver"
    matched = _SAYS["match"].search(piece)
    if matched:
        return f"set {matched['thing']}", matched["other"]
    further = _SAYS["beyond"].search(piece)
    if further:
        return f"set {piece[: further.start()]} {further['unit']}", further["other"]
    found = _SAYS["like"].search(piece)
    if found is None or not (mentions(found["other"]) or seats(found["other"])):
        return piece, ""
    return f"set {piece[: found.start()]}", found["other"]


def beyond(piece: str) -> float:
    """`one level above hers` is 1, `two degrees below mine` is -2; 0 where it shall be the same."""
    found = _SAYS["beyond"].search(piece)
    if found is None:
        return 0
    many = found["many"] or "1"
    return (number(many) if many.isdigit() else 1) * (1 if found["above"] else -1)


def reference(thing: str, other: str) -> tuple[str, tuple[str, ...]]:
    """What a thing shall be like: another thing, or the same thing at another seat."""
    things = [name for name in mentions(other) if name not in TELL_ONLY]
    return (things[0] if things else thing), seats(other)


def is_no_wish(piece: str) -> bool:
    """`leave the fan as it is`, `I closed it already`."""
    refused = _SAYS["refused"].search(piece) and not details(piece).amount
    return bool(
        refused
        or _SAYS["cannot"].search(piece)
        or _SAYS["done_already"].search(piece)
        or _SAYS["goes_on"].search(piece)
    )


def follow_up(piece: str, last: Adjust | None, verb: str | None) -> Iterator[Adjust]:
    """`and the rear one too`, `make it 22 instead`, `then close it again`, `once more`."""
    if last is None:
        return
    if _SAYS["once_more"].search(piece):
        yield last
        return
    said = details(piece)
    picked = choice(last.thing, piece)
    has_value = said.amount is not None or said.strength or picked
    verb_says = verb not in (None, "set") or _SAYS["strong"].search(piece)
    acts = bool(verb_says and _SAYS["again"].search(piece)) or bool(
        verb in ("more", "less") and _SAYS["only_how_much"].search(piece)
    )
    if not (has_value or said.seats or acts):
        return
    wish = replace(
        last,
        verb=verb if verb not in (None, "set") else last.verb,
        seats=said.seats or last.seats or (("PLURAL",) if _SAYS["them"].search(piece) else ()),
        choice=_joined_choice(last, picked, piece),
        only_open=False,
        is_implied=False,
    )
    if has_value or acts:
        wish = replace(wish, **asdict(replace(said, seats=wish.seats)))
        if verb in (None, "set") and last.verb in ("on", "more", "less", UNSAID):
            wish = replace(wish, verb="set")
    yield wish


def _joined_choice(last: Adjust, picked: str | None, piece: str) -> str | None:
    """`and to my head as well` adds a direction; any other choice takes the place of the last."""
    if last.thing == "airflow" and picked and last.choice and _SAYS["too"].search(piece):
        return choice("airflow", f"{last.choice} {picked}".replace("_", " "))
    return picked or last.choice


def verb_taken_over(wish: Adjust, last: Adjust) -> str:
    """The verb of the wish before, where a value does not say enough."""
    if last.verb in ("open", "close") and wish.thing in OPENINGS:
        return last.verb
    return "set" if wish.says_how else last.verb


def refines(new: Adjust, last: Adjust) -> bool:
    """`a hand's width, 15 percent` is one wish, said in two ways."""
    return not last.says_how and new.says_how and new.seats == last.seats


def verbs_shared(found: Sequence[Adjust]) -> list[Adjust]:
    """`turn the fan and the AC off`: a verb that says nothing takes that of the next."""
    shared = list(found)
    for index in range(len(shared) - 2, -1, -1):
        if shared[index].verb == UNSAID and shared[index + 1].verb in ("on", "off"):
            shared[index] = replace(shared[index], verb=shared[index + 1].verb)
    return [wish for wish in shared if wish.verb != UNSAID]
