"""Questions for what the assistant has to settle without the driver."""

from collections.abc import Sequence

from user_sim.lexicon import lexicon
from user_sim.phrases import PHRASES
from user_sim.understanding.sentence import Sentence
from user_sim.understanding.understand import ELSEWHERE
from user_sim.understanding.values import names


def wrong_question(
    turn: Sequence[Sentence], element: str, wanted: frozenset[str], own_words: str = ""
) -> Sentence | None:
    """The question that leaves the element to the driver, if there is one.

    `wanted` are the topics of all that the driver asked for. Asking for a yes to one concrete
    choice is fine, and so is a check after the deed, or how two places are meant that the driver
    named in their `own_words`.
    """
    topics, aspects = lexicon().element_subject(element)
    own = ELSEWHERE & lexicon().topics(own_words)  # such as a noise that the driver hears
    named = frozenset[str]()
    for each in turn:
        named |= each.topics - own
        if not each.acts & {"open", "choice"} or "check" in each.acts or each.offers_one_choice:
            continue
        later = PHRASES.when_ready.search(each.text) and not each.text.endswith("?")
        if later or (aspects and each.aspects and not each.aspects & aspects):
            continue
        if is_of_another(each, element, wanted) or asks_where_to(each, element):
            continue
        about = each.topics - own or named or each.about - own
        if is_of_own_places(each, own_words):
            continue
        if not about or about & topics or each.aspects & aspects:
            return each
    return None


def is_of_own_places(asked: Sentence, own_words: str) -> bool:
    """Whether a question names nothing but places or people of the driver's own words."""
    own = names(f"x {own_words}")
    named = names(f"x {asked.text}") & own and names(asked.text) <= own
    return bool(named) and not asked.topics and not asked.aspects


def asks_where_to(asked: Sentence, element: str) -> bool:
    """Whether it asks for a destination, where it is the way there that has to be settled."""
    return "route" in element and PHRASES.asks_where_to.search(asked.text) is not None


def is_of_another(asked: Sentence, element: str, wanted: frozenset[str]) -> bool:
    """Whether a question names things that the driver wants, and the element's none of them."""
    topics, _ = lexicon().element_subject(element)
    if asked.aspects & lexicon().aspects_of_any_thing(element):
        return False
    return bool(topics and asked.topics & wanted and not asked.topics & topics)


def names_element(turn: Sequence[Sentence], asked: Sentence, element: str) -> bool:
    """Whether a question speaks of just the element, so that no answer may be given to it.

    One that names nothing ("What do you prefer?") speaks of what the sentence before it names.
    """
    topics, aspects = lexicon().element_subject(element)
    before = list(turn[: turn.index(asked)])
    bare = not asked.topics and not asked.aspects and before
    said = before[-1] if bare else asked
    about = said.about.union(*(each.topics for each in before)) if bare else said.about
    if aspects:
        return bool(said.aspects & aspects) and bool(about & topics or not topics)
    return bool(said.topics & topics)
