"""How much the driver has to listen to and decide while driving."""

import re

from pydantic import BaseModel, ConfigDict

from assistant_gateway.timing.speech import constant_speech
from evaluator.record.episode import Episode
from user_sim.understanding.sentence import Sentence
from user_sim.understanding.understand import understand

WORDS_PER_SECOND = constant_speech().profile.assistant_wpm / 60
_ALTERNATIVES = re.compile(r"\s*(?:,\s*or\b|,|\bor\b)\s*", re.IGNORECASE)


class DriverLoad(BaseModel):
    """Means per reply, and the longest; `choices` is per question, null if nothing was asked."""

    model_config = ConfigDict(frozen=True)

    replies: int
    words: float
    seconds: float
    longest_words: int
    questions: int
    choices: float | None


def driver_load(episode: Episode) -> DriverLoad | None:
    """What one session asked of the driver's ears; None if the agent never spoke.

    A reply is all that was said in one turn.
    """
    replies: dict[int, list[str]] = {}
    for said in episode.spoken:
        replies.setdefault(said.turn, []).append(said.text)
    if not replies:
        return None
    texts = [" ".join(parts) for parts in replies.values()]
    words = [len(text.split()) for text in texts]
    questions = [each for text in texts for each in understand(text) if each.asks]
    mean_words = sum(words) / len(words)
    return DriverLoad(
        replies=len(texts),
        words=round(mean_words, 2),
        seconds=round(mean_words / WORDS_PER_SECOND, 2),
        longest_words=max(words),
        questions=len(questions),
        choices=_mean_choices(questions),
    )


def _mean_choices(questions: list[Sentence]) -> float | None:
    if not questions:
        return None
    return round(sum(map(choices, questions)) / len(questions), 2)


def choices(question: Sentence) -> int:
    """How many alternatives a question lists; yes or no is 2, an open question 1."""
    core = question.text.rpartition(":")[2]
    if re.search(r"\bor\b", core, re.IGNORECASE):
        return len([part for part in _ALTERNATIVES.split(core) if re.search(r"\w", part)])
    return 2 if "proposal" in question.acts else 1
