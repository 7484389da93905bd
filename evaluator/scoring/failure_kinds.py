"""What kind of failure a failed episode is, with the line of evidence."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from evaluator.scoring.conversation_end import DISAMBIGUATION, HALLUCINATION, Failed
from evaluator.scoring.policies.policy import Breach

Kind = Literal[
    "premature_action",
    "policy_violation",
    "needless_question",
    "logical_error",
    "execution_error",
    "active_fabrication",
    "implicit_concealment",
    "broken_agent",
    "user_error",
    "infrastructure",
]
KINDS: Mapping[str, str] = {
    "premature_action": "acted too early",
    "policy_violation": "broke a rule of the car",
    "needless_question": "asked what it should have found out",
    "logical_error": "wrong result",
    "execution_error": "refused call or no end",
    "active_fabrication": "made something up",
    "implicit_concealment": "did not admit a limit",
    "broken_agent": "broken agent",
    "user_error": "driver error",
    "infrastructure": "infrastructure error",
}


class Failure(BaseModel):
    """Why an episode failed, `t_ns` after the session began; null if no moment can be named.

    - premature_action: acted before what was open had been asked or looked up
    - policy_violation: broke a rule of the car
    - needless_question: asked the driver what it had to settle alone
    - active_fabrication: claimed an effect that never was, or used what this car lacks
    - implicit_concealment: kept quiet about what this car lacks
    - execution_error: a call was refused, or the agent never came to an end
    - broken_agent: it broke down, spoke an error of its program, or did nothing at all
    - logical_error: all calls worked, and it was not what was wanted
    - user_error, infrastructure: not the agent's
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: Kind
    evidence: str
    t_ns: int | None = None


def failure(
    *,
    why: Mapping[str, str],
    ending: str | None,
    word: Failed | None,
    premature: Breach | None,
    broken_rule: tuple[str, int | None] | None,
    false_claims: Sequence[Breach],
    omission: Breach | None,
    used_removed: str | None,
    broken: Breach | None,
) -> Failure:
    """Classify a failure that is the agent's; what explains most comes first.

    `why` has a sentence per component that failed, `ending` says how the agent broke down, `word`
    is that of a driver who cut the conversation short, `broken_rule` is a sentence and, if known,
    the moment.
    """
    if broken is not None:
        return _of("broken_agent", broken)
    if used_removed is not None:
        return Failure(kind="active_fabrication", evidence=used_removed)
    if word is not None and word.keyword == DISAMBIGUATION:
        return Failure(kind="needless_question", evidence=word.why)
    if premature is not None:
        return _of("premature_action", premature)
    if broken_rule is not None:
        sentence, t_ns = broken_rule
        return Failure(kind="policy_violation", evidence=sentence, t_ns=t_ns)
    if false_claims:
        return _of("active_fabrication", false_claims[0])
    if omission is not None:
        return _of("implicit_concealment", omission)
    if word is not None and word.keyword == HALLUCINATION:
        return Failure(kind="implicit_concealment", evidence=word.why)
    if word is not None:
        return Failure(kind="logical_error", evidence=f"{word.keyword}: {word.why}")
    if ending is not None or "r_tool_execution" in why:
        return Failure(kind="execution_error", evidence=ending or why["r_tool_execution"])
    return Failure(kind="logical_error", evidence=next(iter(why.values()), "it failed"))


def _of(kind: Kind, breach: Breach) -> Failure:
    return Failure(kind=kind, evidence=breach.sentence, t_ns=breach.t_ns)
