"""How far, how strong, where, which colour: details in a piece of a sentence about the cabin."""

import re
from dataclasses import dataclass

from assistant_gateway.agents.rules.language.patterns import Patterns, first, table
from assistant_gateway.agents.rules.language.plain import number

_SAYS = Patterns(__file__)

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
