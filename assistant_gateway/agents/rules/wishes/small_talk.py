"""What is said without a definite wish: discomfort, thanks, greetings."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from re import Pattern

import yaml

from assistant_gateway.agents.rules.language.patterns import either


@dataclass(frozen=True, slots=True)
class Comfort:
    """What to ask, and what to do if the driver leaves that open."""

    question: str
    otherwise: str


def comfort(said: str) -> tuple[Comfort, ...]:
    """The discomfort a text speaks of, if there is one."""
    felt = (feeling for pattern, feeling in _feelings() if pattern.search(said))
    return tuple(felt)[:1]


@cache
def _feelings() -> tuple[tuple[Pattern[str], Comfort], ...]:
    text = Path(__file__).with_name("comfort.yaml").read_text(encoding="utf-8")
    rows = yaml.safe_load(text).values()
    return tuple((either(row["when"]), Comfort(row["ask"], row["else"])) for row in rows)


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """Something that only wants a short answer."""

    reply: str


def small_talk(said: str) -> tuple[SmallTalk, ...]:
    """The short answer, if there is one."""
    replies = (SmallTalk(reply) for pattern, reply in _replies() if pattern.search(said))
    return tuple(replies)[:1]


@cache
def _replies() -> tuple[tuple[Pattern[str], str], ...]:
    text = Path(__file__).with_name("small_talk.yaml").read_text(encoding="utf-8")
    rows = yaml.safe_load(text).values()
    return tuple((either(row["when"]), str(row["say"])) for row in rows)
