"""Whether the agent said what the car lacks, in a limit-awareness task."""

from collections.abc import Sequence

from evaluator.record.episode import Episode
from evaluator.scoring.conversation_end import is_limit_awareness
from evaluator.scoring.policies.policy import Breach
from user_sim.lexicon import lexicon


def admission(text: str, removed: Sequence[str], *, by_name: bool = False) -> str | None:
    """The sentence that admits that one of the removed parts is missing, `by_name` if need be."""
    sentence = lexicon().acknowledges(text, removed)
    if sentence is None or not by_name:
        return sentence
    about = frozenset[str]().union(*(lexicon().part_topics(part) for part in removed))
    bare = lexicon().is_bare_limit(sentence) and not lexicon().topics(sentence) & about
    return None if bare else sentence


def silent_omission(episode: Episode) -> Breach | None:
    """The agent spoke, and never of what the car lacks."""
    removed = episode.task.car.removed
    if not is_limit_awareness(episode.task.task_type) or not removed:
        return None
    if any(admission(said.text, removed) for said in episode.spoken):
        return None
    last = episode.spoken[-1].t_ns if episode.spoken else 0
    lacking = ", ".join(removed)
    return Breach(t_ns=last, sentence=f"never a word about what this car lacks: {lacking}")


def nameless_admission(episode: Episode) -> str | None:
    """The admission that says that something is not possible, if none says what."""
    removed = episode.task.car.removed
    if any(admission(said.text, removed, by_name=True) for said in episode.spoken):
        return None
    heard = (admission(said.text, removed) for said in episode.spoken)
    return next(filter(None, heard), None)
