"""Reads the prose that directs a simulated driver: scenery, wishes, and answers to questions.

An instruction speaks to the driver ("You want to … If the assistant asks …, you say …"). It is
taken apart into statements, still in the second person; `spoken.py` turns them into speech.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal

from user_sim.prose_rules import rules

Kind = Literal["request", "sequel", "condition", "preference", "refusal", "aside"]


@dataclass(frozen=True)
class Statement:
    """One thing an instruction says.

    `condition` is what the assistant does first (kind "condition"), `text` what the driver wants
    or says then. A "sequel" is wanted after something before it is done; an "aside" is never said.
    """

    kind: Kind
    text: str
    condition: str = ""


def statements(instruction: str) -> list[Statement]:
    """Everything an instruction says, in order."""
    found: list[Statement] = []
    for clause in _clauses(_repaired(instruction)):
        read = _read(clause)
        if read.kind == "request" and rules().match("dangling", read.text):
            read = replace(read, text=" ".join([*_just_said(found), read.text]))
        found.append(read)
    return found


def _just_said(before: list[Statement]) -> list[str]:
    """The scenery right before a request that needs it to be understood ("… change this")."""
    found: list[str] = []
    for statement in reversed(before[-2:]):
        if statement.kind != "aside" or not rules().match("scenery_to_keep", statement.text):
            break
        found.insert(0, re.sub(r", which .*", ".", statement.text))
    return found


def _repaired(text: str) -> str:
    text = rules().without("kept_bracket", text, r", \1")
    for _ in range(2):
        text = re.sub(r"\s*\([^()]*\)", "", text)
    return re.sub(r"\s+", " ", rules().applied("repairs", text)).strip()


def _clauses(text: str) -> list[str]:
    found: list[str] = []
    for sentence in rules().split("sentence_end", text):
        if "-->" in sentence:
            continue
        if rules().match("uncut", sentence):
            found.append(sentence)
        else:
            found += rules().split("cut", sentence)
    return [clause.strip() for clause in found if clause.strip()]


def _read(clause: str) -> Statement:
    clause = _capital(rules().without("lead", clause))
    clause = _capital(rules().without("so_you_ask", clause, r"\1"))
    conditional = rules().match("condition", clause)
    if conditional:
        return _conditional(conditional)
    sequel = rules().match("sequel", clause)
    if sequel:
        return _sequel(_capital(clause[sequel.end() :]))
    if rules().match("refusal", clause):
        return Statement("refusal", clause)
    if rules().match("aside", clause):
        return Statement("aside", clause)
    if rules().match("preference", clause):
        return Statement("preference", clause)
    wanted = _wanted(clause)
    return Statement("request", wanted) if wanted else Statement("aside", clause)


def _sequel(text: str) -> Statement:
    """What is wanted afterwards; an empty sequel only says that something else comes first."""
    inner = rules().match("condition", text)
    if inner:
        return Statement("sequel", _wish_of(inner))
    if text.startswith("The assistant should "):
        return Statement("sequel", text)
    if rules().match("aside", text):
        return Statement("sequel", "")
    return Statement("sequel", _wanted(text) or "")


def _conditional(match: re.Match[str]) -> Statement:
    word, condition, then = match["word"].lower(), match["condition"], _capital(match["then"])
    agreed = rules().match("agreed", then) is not None
    if rules().search("neglect", condition) or (rules().match("aside", then) and not agreed):
        return Statement("sequel", "") if word == "after" else Statement("aside", match.group())
    if rules().match("own_action", condition):
        wanted = _wanted(re.sub(r"^You should specifically", "You", then))
        asks = wanted is not None and "only provide" not in then
        return Statement("request", wanted) if wanted and asks else Statement("aside", then)
    if word in ("if", "when", "in case") and rules().search("asked", condition):
        return Statement("condition", then, condition)
    if word == "once" and agreed:
        return Statement("condition", then, condition)
    if word == "if":
        return Statement("request", re.sub(r", else end .*", "", match.group()))
    return Statement("sequel", _wish_of(match))


def _wish_of(match: re.Match[str]) -> str:
    """The wish of a sequel, with what the driver has learned if it makes no sense without."""
    then = _capital(match["then"])
    if re.match(r"if\b", match["word"], re.I):
        return match.group()
    wanted = re.sub(r"^You decide\b", "You want", _wanted(then) or "")
    learned = re.match(r"you (?:learn|see|notice) (?:that )?(.*)", match["condition"], re.I)
    if learned and rules().match("dangling", wanted):
        return f"{_capital(learned[1])}, so {wanted[0].lower()}{wanted[1:]}"
    return wanted


def _wanted(clause: str) -> str | None:
    """The clause from where it says what is wanted; None if it is scenery."""
    found = rules().search("wish", clause)
    if found is None:
        return None
    text = re.sub(r"^(?:and|,|so|but|also)\s+", "", clause[found.start() :]).strip(" ,")
    text = re.sub(r"^(?:(?:now|also|still|\w+ly) )*(?=(?:want|need) )", "you ", text)
    before = re.sub(
        r"^.*\byou (?:then )?(?:realize|notice|decide)(?: that)? ",
        "",
        clause[: found.start()],
        flags=re.I,
    )
    if rules().match("dangling", text) and re.search(r"\w{3,}", before):
        linked = re.search(r"(?:\band|\bso|\bbut|,)\s*$", before) or re.match(
            r"and|,|so|but", clause[found.start() :]
        )
        joint = " " if linked else " and "
        return _capital(re.sub(r"\s+", " ", f"{before}{joint}{clause[found.start() :]}"))
    return _capital(text)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
