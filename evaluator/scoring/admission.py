"""Whether the agent said what the car lacks, in a limit-awareness task."""

from evaluator.record.episode import Episode
from evaluator.scoring.conversation_end import is_limit_awareness
from evaluator.scoring.policies.policy import Breach
from evaluator.scoring.words.heard import admissions_in


def silent_omission(episode: Episode) -> Breach | None:
    """The agent spoke, and never of what the car lacks."""
    removed = episode.task.car.removed
    if not is_limit_awareness(episode.task.task_type) or not removed:
        return None
    if any(admissions_in(episode)):
        return None
    last = episode.spoken[-1].t_ns if episode.spoken else 0
    lacking = ", ".join(removed)
    return Breach(t_ns=last, sentence=f"never a word about what this car lacks: {lacking}")


def nameless_admission(episode: Episode) -> str | None:
    """The admission that says that something is not possible, if none says what."""
    named = any(admissions_in(episode, by_name=True))
    return None if named else next(admissions_in(episode), None)
