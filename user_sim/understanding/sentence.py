"""What one sentence of an assistant does, and what it is about."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Act = Literal[
    "open",
    "proposal",
    "choice",
    "courtesy",
    "check",
    "admission",
    "failure",
    "claim",
    "denial",
    "promise",
    "info",
]
ACTS: tuple[Act, ...] = get_args(Act)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a turn.

    `sure` says for each act how sure it is, 0 to 1, and `acts` holds those that are taken as true.
    `topics` are the things that the sentence names, `about` these or, where it names none, those
    that its pronouns stand for; `aspects` is what can be chosen about them. `context` is
    the text together with the sentence before it, if the text itself names no thing.
    """

    text: str
    sure: Mapping[Act, float]
    acts: frozenset[Act]
    topics: frozenset[str]
    about: frozenset[str]
    aspects: frozenset[str]
    context: str = ""

    @property
    def asks(self) -> bool:
        """Whether the driver is asked for an answer: a value, a choice, or a yes."""
        return bool(self.acts & {"open", "choice", "proposal"})
