"""What is said without a definite wish: discomfort, thanks, greetings."""

from dataclasses import dataclass

from assistant_gateway.agents.rules.language.patterns import first, words_of
from assistant_gateway.agents.rules.wishes.wish import Wish


@dataclass(frozen=True, slots=True)
class Comfort(Wish):
    """What to ask, and what to do if the driver leaves that open."""

    question: str
    otherwise: str


@dataclass(frozen=True, slots=True)
class SmallTalk(Wish):
    """Something that only wants a short answer."""

    reply: str


@dataclass(frozen=True, slots=True)
class Unheeded(Wish):
    """A command beside others that nothing here understands."""

    said: str


def comfort(said: str) -> tuple[Comfort, ...]:
    """The discomfort a text speaks of, if there is one."""
    feeling = first("small_talk", "feelings", said)
    return (Comfort(*words_of("small_talk")["help"][feeling]),) if feeling else ()


def small_talk(said: str) -> tuple[SmallTalk, ...]:
    """The short answer, if there is one."""
    reply = first("small_talk", "replies", said)
    return (SmallTalk(reply),) if reply else ()
