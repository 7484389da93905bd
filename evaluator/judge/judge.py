"""The judge: a model decides about one rule what code had to leave open.

One verdict decides. It is asked for again only if it cannot be read, was refused, or contradicts
its own reason; a few times, then the rule stays undecided and the judge's silence is counted. A
verdict that was given every time stands, whatever its reason says.
"""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant_gateway.models.model import ChatTurn, Model, ModelFailed, RetryPolicy, Shape
from assistant_gateway.models.spending import Usage
from evaluator.judge.contradiction import contradicts
from evaluator.scoring.policies import Judgement
from vehicle_bus.validation_problem import first_problem

RETRY = RetryPolicy(timeout_s=60.0, attempts=4, first_wait_s=1.0, longest_wait_s=60.0)
MOST_VERDICTS = 3
SHAPE = Shape(
    "policy_verdict",
    {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "followed": {"type": "boolean"}},
        "required": ["reason", "followed"],
        "additionalProperties": False,
    },
)


class Verdict(BaseModel):
    """What a judge answers."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    reason: str = Field(min_length=1)
    followed: bool


@dataclass(frozen=True, slots=True)
class Ruling:
    """What came of one question: a judgement, or why there is none, after `verdicts` answers."""

    judgement: Judgement | None
    why: str
    verdicts: int
    usage: Usage


async def rule_on(model: Model, prompt: str) -> Ruling:
    """Ask about one rule; raises `ModelUnusable` if there is no use in asking at all."""
    messages: list[ChatTurn] = [{"role": "user", "content": prompt}]
    usage, wrong = Usage(), ""
    given: list[bool] = []
    for verdicts in range(1, MOST_VERDICTS + 1):
        try:
            reply = await model.ask(messages, SHAPE)
        except ModelFailed as error:
            return Ruling(None, str(error), verdicts, usage + error.usage)
        usage += reply.usage
        verdict, wrong = _read(reply.text, reply.refusal)
        given += [verdict.followed] if verdict else []
        insisted = len(given) == MOST_VERDICTS and len(set(given)) == 1
        if verdict is not None and (insisted or not wrong):
            judgement = Judgement(followed=verdict.followed, reason=verdict.reason)
            return Ruling(judgement, "", verdicts, usage)
        messages = [
            *messages[:1],
            {"role": "assistant", "content": reply.text or reply.refusal or ""},
            {"role": "user", "content": f"That cannot be used: {wrong}. Decide again, as JSON."},
        ]
    return Ruling(None, wrong, MOST_VERDICTS, usage)


def _read(text: str, refusal: str | None) -> tuple[Verdict | None, str]:
    """The verdict, and what is wrong with it."""
    if refusal is not None:
        return None, f"you refused ({refusal})"
    try:
        verdict = Verdict.model_validate_json(text)
    except ValidationError as error:
        return None, f"it is not the JSON asked for ({first_problem(error)})"
    if contradicts(verdict.reason, verdict.followed):
        said = "kept" if verdict.followed else "broken"
        return verdict, f"the reason says the opposite of the verdict, which calls the rule {said}"
    return verdict, ""
