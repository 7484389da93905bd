"""A turn of an assistant as sentences with what each does and what it is about."""

from functools import lru_cache

from assistant_gateway.wording.sentences import sentences
from user_sim.lexicon import Lexicon, lexicon
from user_sim.understanding.sentence import Act, Sentence


@lru_cache(maxsize=4096)
def understand(turn: str, driver: str = "") -> tuple[Sentence, ...]:
    """Every sentence of a turn; `driver` is what the driver said before it."""
    known, about = lexicon(), lexicon().topics(driver)
    found = []
    for text in sentences(turn):
        topics = known.topics(text)
        about = topics or about
        acts = _acts(text, known)
        found.append(
            Sentence(
                text=text,
                sure=dict.fromkeys(acts, 1.0),
                acts=acts,
                topics=topics,
                about=about,
                aspects=known.aspects(text),
            )
        )
    return tuple(found)


def _acts(text: str, known: Lexicon) -> frozenset[Act]:
    acts: set[Act] = set()
    if known.is_confirmation(text):
        acts.add("proposal")
    elif known.is_question(text):
        acts.add("open")
    elif text.rstrip("\"')]} ").endswith("?"):
        acts.add("courtesy")
    if known.is_limit(text):
        acts.add("admission")
    if known.is_claim(text):
        acts.add("claim")
    return frozenset(acts or {"info"})
