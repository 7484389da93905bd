"""Answers of a judge as they are stored."""

from collections.abc import Iterable, Mapping

from pydantic import BaseModel, ConfigDict

from assistant_gateway.models.spending import Usage
from evaluator.scoring.policies import Judgement


class Judged(BaseModel):
    """What a judge made of one rule in one unit, kept beside the record it read.

    `followed` is null if it came to no verdict, and `reason` then says why. `judge` is a model and
    the checksum of the prompt it was given.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    judge: str
    profile: str
    task_id: str
    trial: int
    policy: str
    followed: bool | None
    reason: str
    verdicts: int = 1
    usage: Usage = Usage()

    @property
    def question(self) -> tuple[str, int, str]:
        return self.task_id, self.trial, self.policy


def judgements(judged: Iterable[Judged]) -> dict[tuple[str, int], dict[str, Judgement]]:
    """What was decided, by unit and rule, as `score` takes it."""
    decided: dict[tuple[str, int], dict[str, Judgement]] = {}
    for word in judged:
        if word.followed is not None:
            said = Judgement(followed=word.followed, reason=word.reason)
            decided.setdefault((word.task_id, word.trial), {})[word.policy] = said
    return decided


def bills(judged: Iterable[Judged]) -> Mapping[tuple[str, int], Usage]:
    """What judging each unit took."""
    used: dict[tuple[str, int], Usage] = {}
    for word in judged:
        unit = word.task_id, word.trial
        used[unit] = used.get(unit, Usage()) + word.usage
    return used
