"""What one sentence of an assistant does, and what it is about."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from user_sim.phrases import PHRASES

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
ASKING: frozenset[Act] = frozenset({"open", "choice", "proposal"})
ASKS_FOR_A_YES = re.compile(
    r"\b(?:confirm\w*|yes|okay|ok|go-ahead|permission|approv\w+|agree\w*|consent|say so|"
    r"the word|green light|nod|signal)\b",
    re.IGNORECASE,
)
_OR_MORE = re.compile(
    r"\bor\b.{0,40}\b(?:details|alternatives|other|others|another|more|different|else|rather|hear|see"
    r"|options|leave|keep|not|wait)\b",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    r"(?:(?:so|now|and|do you),? )?(?:want|should i|shall i|would you like me|may i)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a turn.

    `sure` says for each act how sure it is, 0 to 1, and `acts` holds those that are taken as true.
    `topics` are the things that the sentence names, `about` these or, where it names none, those
    that its pronouns stand for: what was named last, of a question all that the turn has named;
    `aspects` is what can be chosen about them. `context` is the text, together with the sentence
    before it if that proposes something and the text itself names no thing; `told` is all that the
    turn has said before it.
    """

    text: str
    sure: Mapping[Act, float]
    acts: frozenset[Act]
    topics: frozenset[str]
    about: frozenset[str]
    aspects: frozenset[str]
    context: str = ""
    after_facts: bool = False
    told: str = ""

    @property
    def is_beside_facts(self) -> bool:
        """Whether its context is a fact that was told before it."""
        before = self.context.removesuffix(self.text)
        fact = PHRASES.tells_a_fact.search(before) and not PHRASES.plans.search(before)
        plan = PHRASES.reads_back.search(self.text) or PHRASES.identifies.search(before)
        plan = plan or PHRASES.to_that_value.search(self.text)
        return self.after_facts and self.context != self.text and bool(fact) and not plan

    @property
    def subject(self) -> frozenset[str]:
        """What it is about, unless that is only named by a fact that was told before."""
        return frozenset() if self.is_beside_facts and not self.topics else self.about

    @property
    def asks(self) -> bool:
        """Whether the driver is asked for an answer: a value, a choice, or a yes."""
        return bool(self.acts & ASKING)

    @property
    def awaits_a_yes(self) -> bool:
        """Whether it proposes something and cannot be passed over, as "if you like" can."""
        asks = self.text.rstrip("\"')* ").endswith("?") or ASKS_FOR_A_YES.search(self.text)
        return "proposal" in self.acts and bool(asks)

    @property
    def offers_one_choice(self) -> bool:
        """Whether it proposes one thing ("Shall I …, or would you like to hear the others?")."""
        alternative = " or " in self.text and not _OR_MORE.search(self.text)
        return not alternative and ("proposal" in self.acts or bool(_OFFERS.match(self.text)))
