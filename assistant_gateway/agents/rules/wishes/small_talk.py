"""What is said without wanting anything done."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from re import Pattern

import yaml

from assistant_gateway.agents.rules.language.patterns import either


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
