"""What the driver says, read as a question, a yes, a no, or leaving it to the assistant."""

from functools import cache
from re import Pattern

from assistant_gateway.agents.rules.language.patterns import Patterns, either, words_of

_SAYS = Patterns(__file__)


def is_question(text: str) -> bool:
    return bool(_SAYS["asks"].search(text)) and not _SAYS["no_question"].search(text)


def agrees(answer: str) -> bool | None:
    """True for a yes, False for a no, None for anything else."""
    if _said("refuse").search(answer):
        return False
    return True if _said("agree").search(answer) else None


def leaves_it_open(answer: str) -> bool:
    """Whether the driver wants the assistant to decide."""
    return bool(_said("undecided").search(answer))


@cache
def _said(kind: str) -> Pattern[str]:
    return either(words_of("replies")[kind])
