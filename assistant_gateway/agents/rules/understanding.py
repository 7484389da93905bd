"""From what the driver said to what the driver wants."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant_gateway.agents.rules.language.details import seats
from assistant_gateway.agents.rules.language.pieces import pieces
from assistant_gateway.agents.rules.language.plain import plain, sentences, without_courtesies
from assistant_gateway.agents.rules.wishes.cabin import adjustments, inquiries, is_question
from assistant_gateway.agents.rules.wishes.small_talk import SmallTalk, small_talk
from assistant_gateway.agents.rules.wishes.wish import Adjust, Inquire

Wish = Adjust | Inquire | SmallTalk


@dataclass(frozen=True, slots=True)
class Context:
    """What the conversation was about before: ellipses such as `the rear one too` need it."""

    last: Adjust | None = None

    def after(self, wishes: Sequence[Wish]) -> "Context":
        adjusted = [wish for wish in wishes if isinstance(wish, Adjust)]
        return Context(adjusted[-1]) if adjusted else self


def wishes_in(said: str, context: Context) -> tuple[Wish, ...]:
    """Everything the driver wants, in the order it was said; empty if nothing was understood."""
    found: list[Wish] = []
    whose: tuple[str, ...] = ()
    for sentence in sentences(plain(said)):
        bare = without_courtesies(sentence)
        new = _in_sentence(bare, context.after(found))
        found += [_of_theirs(wish, whose) for wish in new]
        whose = seats(sentence) or whose
    explicit = [wish for wish in found if not (isinstance(wish, Adjust) and wish.is_implied)]
    return tuple(explicit or found) or small_talk(said)


def _in_sentence(sentence: str, context: Context) -> list[Wish]:
    if is_question(sentence):
        return list(inquiries(sentence))
    return list(adjustments(pieces(sentence), context.last))


def _of_theirs(wish: Wish, whose: tuple[str, ...]) -> Wish:
    """`her light`: the seat of whom the sentences before spoke."""
    if isinstance(wish, Adjust) and "THEIRS" in wish.seats and whose and "THEIRS" not in whose:
        return replace(wish, seats=whose)
    return wish
