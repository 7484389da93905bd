"""Turns what an instruction tells a driver ("You want to …") into what the driver says."""

import re

from user_sim.prose_rules import rules


def spoken_request(text: str) -> str:
    """A request such as "Ask the assistant to open …" as the driver would say it."""
    text = rules().first_applied("requests", without_motive(text))
    return first_person(rules().applied("joined_requests", text))


def without_motive(text: str) -> str:
    """The text without its "because …" and "so that …"."""
    return rules().applied("motives", text).strip(" .,;")


def first_person(text: str) -> str:
    """Flip "you" to the speaker, call the assistant "you", spell out units, end as a sentence."""
    for step in ("addressed", "first_person", "units"):
        text = rules().applied(step, text)
    return as_sentence(text)


def as_sentence(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip(" ,;:.-")
    if not text:
        return ""
    text = text[0].upper() + text[1:]
    return text if text[-1] in "?!" else f"{text}."
