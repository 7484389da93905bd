"""Says that it cannot, though it just has.

A denial is a clause that tells a limit. It is false if all the agent called for in that turn was
done and confirmed, and all the clause names was changed by it. A clause that names nothing means
whatever was asked, unless the same sentence or another beside it tells what was done.
"""

import re
from collections.abc import Iterator

from assistant_gateway.wording.sentences import sentences
from evaluator.record.episode import Act, Episode, Utterance
from evaluator.scoring.policies.policy import Breach
from user_sim.lexicon import lexicon

_CLAUSES = re.compile(r"[,;:]|\b(?:but|and|so|though|although|because|since|as)\b", re.IGNORECASE)
# "I can't open it any further." was said of what had been done.
_MORE = re.compile(
    r"\b(?:further|more|anymore|else|also|too|fully|entirely|completely|all the way|again|undo|"
    r"both|beyond|above|below|higher|lower|warmer|cooler|than|only|yet|why|whether|how)\b",
    re.IGNORECASE,
)


def false_denials(episode: Episode) -> Iterator[Breach]:
    """Every sentence that denied what the car had just confirmed, with its moment.

    Nothing is said of a car that lacks something: there a limit may be what has to be told.
    """
    if episode.task.car.removed:
        return
    for said in episode.spoken:
        done = _done_before(said, episode)
        if not done:
            continue
        for sentence in lexicon().limits(said.text):
            if not lexicon().is_question(sentence) and _denies(sentence, said, done):
                names = ", ".join(dict.fromkeys(act.tool for act in done))
                found = f'"{sentence}" was said, and the car had confirmed {names}'
                yield Breach(t_ns=said.t_ns, sentence=found)


def _done_before(said: Utterance, episode: Episode) -> list[Act]:
    """What was changed in this turn before it was said; nothing if any call was not successful."""
    acts = [act for act in episode.acts if act.turn == said.turn and act.order < said.order]
    if not all(act.succeeded and act.call.reply is not None for act in acts):
        return []
    return [act for act in acts if act.changes]


def _denies(sentence: str, said: Utterance, done: list[Act]) -> bool:
    changed = frozenset[str]().union(*(lexicon().part_topics(act.tool) for act in done))
    for clause in _CLAUSES.split(sentence):
        if not lexicon().is_limit(clause) or _MORE.search(clause):
            continue
        named = lexicon().topics(clause)
        if named and named <= changed:
            return True
        if not named and lexicon().is_bare_limit(clause) and not _tells_what_was_done(said):
            return True
    return False


def _tells_what_was_done(said: Utterance) -> bool:
    return any(lexicon().is_claim(sentence) for sentence in sentences(said.text))
