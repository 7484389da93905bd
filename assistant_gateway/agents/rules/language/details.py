"""How far, how strong, where, which colour: details in a piece of a sentence about the cabin."""

import re
from dataclasses import dataclass

from assistant_gateway.agents.rules.language.numbers import number
from assistant_gateway.agents.rules.language.patterns import first, table

_PERCENT = re.compile(r"(?P<by>\bby )?(?:\w+ )?(?P<amount>\d+(?:\.\d+)?) percent(?P<shut> closed)?")
_AMOUNT = re.compile(
    r"(?P<by>\bby )?(?P<amount>\d+(?:\.\d+)?)(?: (?:degrees?|levels?|steps?|notch(?:es)?|stages?))?"
    r"(?P<more> (?:more|less|higher|lower|warmer|cooler|colder|hotter|up|down)\b)?",
    re.IGNORECASE,
)
_ONE_STEP = re.compile(
    r"\b(?:by |a|another|one|1) (?:degree|level|step|notch|stage)s?\b(?! (?:to|\d))", re.IGNORECASE
)
_NOT_AN_AMOUNT = re.compile(
    r"\b\d+ (?:minutes?|hours?|kilometres|seats?|people|windows)\b|\b\d{1,2}:\d{2}\b|\b[ABEN]\d+\b",
    re.IGNORECASE,
)
_TARGET_AFTER_STEP = re.compile(r"\b(?:to|at|on) (?:level )?\d", re.IGNORECASE)
_BY = re.compile(r"\bby (?:a |another )?", re.IGNORECASE)
_LIKE_THE_CAR = re.compile(
    r"\b(?:car|vehicle|exterior|paint)(?:'s)? (?:\w+ )?colou?r|"
    r"\bcolou?r of (?:the|my|our) (?:car|vehicle)",
    re.IGNORECASE,
)
_CHOICES = {"ambient": "colours", "circulation": "circulation", "defrost": "panes"}


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
    """Which seats or windows are spoken of, each phrase read once."""
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
    if thing == "ambient" and _LIKE_THE_CAR.search(piece):
        return "CAR"
    section = _CHOICES.get(thing)
    return first("cabin", section, piece) if section else None


def _amount(piece: str) -> tuple[float | None, bool]:
    counted = _NOT_AN_AMOUNT.sub(" ", piece)
    percent = _PERCENT.search(counted)
    if percent:
        amount = number(percent["amount"])
        return (100 - amount if percent["shut"] else amount), bool(percent["by"])
    if _ONE_STEP.search(counted) and not _TARGET_AFTER_STEP.search(counted):
        return 1, True
    found = _AMOUNT.search(counted)
    if found:
        return number(found["amount"]), bool(found["by"] or found["more"])
    word = first("cabin", "amounts", counted)
    return (float(word), bool(_BY.search(counted))) if word else (None, False)
