"""Details in what was said: names, roads, times, and how far, how strong, where, which colour."""

import re
from dataclasses import dataclass
from functools import cache

from assistant_gateway.agents.rules.language.patterns import Patterns, first, table, words_of
from assistant_gateway.agents.rules.language.plain import number

_SAYS = Patterns(__file__)
_WORDS = {"noon": 12, "midnight": 0, "tonight": 21, "evening": 19, "afternoon": 15}
_ALL_SEATS = ("DRIVER", "PASSENGER", "DRIVER_REAR", "PASSENGER_REAR")
_SEATS = {
    "ALL": _ALL_SEATS,
    "PLURAL": _ALL_SEATS,
    "FRONT": _ALL_SEATS[:2],
    "REAR": _ALL_SEATS[2:],
    "SOMEWHERE_REAR": _ALL_SEATS[2:],
}
_CHOICES = {"ambient": "colours", "circulation": "circulation", "defrost": "panes"}


def names(text: str) -> list[str]:
    """Capitalised names that are no roads and no beginnings of sentences."""
    found: list[str] = []
    for match in _SAYS["name"].finditer(_SAYS["road"].sub(lambda road: "0" * len(road[0]), text)):
        words = match.group().split()
        if match.start() == 0 and len(words) == 1 and _SAYS["verb_like"].match(text[match.end() :]):
            continue
        while words and words[0] in _none_of("capitals"):
            words.pop(0)
        while words and words[-1] in _none_of("capitals"):
            words.pop()
        if words:
            found.append(re.sub(r"[']s$", "", " ".join(words)))
    return found


def place_names(text: str) -> list[str]:
    """Names; where nobody wrote capitals, the word behind `to` or `in`."""
    found = names(text)
    if found or re.search(r"[A-Z]\w", text[1:]):
        return found
    lower = (match["name"] for match in _SAYS["lower_place"].finditer(text))
    return [name.title() for name in lower if name not in _none_of("lower")]


def roads(text: str) -> frozenset[str]:
    """`A41`, `B45`."""
    return frozenset(road.replace(" ", "") for road in _SAYS["road"].findall(text))


@cache
def _none_of(kind: str) -> frozenset[str]:
    return frozenset(words_of("details")[kind].split())


def time_in(text: str) -> tuple[int, int] | None:
    """The hour and minute that a text names; None if it names none."""
    clock = _SAYS["clock"].search(text) or _SAYS["plain"].search(text) or _SAYS["at"].search(text)
    if clock is None or int(clock["hour"]) >= 24:
        return next(((hour, 0) for word, hour in _WORDS.items() if _SAYS[word].search(text)), None)
    given = clock.groupdict()
    hour, minute = int(given["hour"]), int(given.get("minute") or 0)
    half = (given.get("half") or "").lower()
    if hour < 12 and (half == "pm" or (not half and _SAYS["later_half"].search(text))):
        hour += 12
    return (0 if hour == 12 and half == "am" else hour), min(minute, 59)


def is_another_day(text: str) -> bool:
    return bool(_SAYS["another_day"].search(text))


@dataclass(frozen=True, slots=True)
class Details:
    """What a piece says beside the thing and the verb."""

    amount: float | None
    is_step: bool
    strength: str | None
    vague: str | None
    seats: tuple[str, ...]


def details(piece: str) -> Details:
    """Read the details of a piece; seats that stand in numbers or amounts are none."""
    amount, is_step = _amount(piece)
    return Details(
        amount=amount,
        is_step=is_step,
        strength=first("cabin", "strengths", piece),
        vague=first("cabin", "vague", piece) if amount is None else None,
        seats=seats(piece),
    )


def seats(piece: str) -> tuple[str, ...]:
    """Which seats or windows are spoken of; `all windows except mine` are the other three."""
    meant, *others = _SAYS["except"].split(piece, maxsplit=1)
    if not others or not _spoken_of(others[0]):
        return _spoken_of(piece)
    left_out = {seat for name in _spoken_of(others[0]) for seat in _SEATS.get(name, (name,))}
    named = [seat for name in _spoken_of(meant) or ("ALL",) for seat in _SEATS.get(name, (name,))]
    return tuple(seat for seat in dict.fromkeys(named) if seat not in left_out)


def _spoken_of(piece: str) -> tuple[str, ...]:
    """Each phrase is read once."""
    found: list[str] = []
    for name, pattern in table("cabin", "seats"):
        if pattern.search(piece):
            found.append(name)
            piece = pattern.sub(" ", piece)
    sure = [name for name in found if name not in ("SOMEWHERE_REAR", "PLURAL")]
    return tuple(sure or found[:1])


def choice(thing: str, piece: str) -> str | None:
    """A colour, a mode, a direction or a pane."""
    if thing == "airflow":
        parts = [name for name, pattern in table("cabin", "airflow") if pattern.search(piece)]
        if re.search(r"\b(?:everywhere|all (?:directions|vents)|all over)\b", piece, re.IGNORECASE):
            parts = [name for name, _ in table("cabin", "airflow")]
        return "_".join(parts) or None
    if thing == "ambient" and _SAYS["like_the_car"].search(piece):
        return "CAR"
    section = _CHOICES.get(thing)
    return first("cabin", section, piece) if section else None


def _amount(piece: str) -> tuple[float | None, bool]:
    counted = _SAYS["not_an_amount"].sub(" ", piece)
    percent = _SAYS["percent"].search(counted)
    if percent:
        amount = number(percent["amount"])
        return (100 - amount if percent["shut"] else amount), bool(percent["by"])
    if _SAYS["one_step"].search(counted) and not _SAYS["target_after_step"].search(counted):
        return 1, True
    found = _SAYS["amount"].search(counted)
    if found:
        return number(found["amount"]), bool(found["by"] or found["more"])
    word = first("cabin", "amounts", counted)
    return (float(word), bool(_SAYS["by"].search(counted))) if word else (None, False)
