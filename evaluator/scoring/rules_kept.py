"""Which rules of the car an episode kept, by code and, where code cannot tell, by a judge."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from evaluator.record.episode import Episode
from evaluator.scoring.components import KEPT, OPEN, Component
from evaluator.scoring.conversation_end import is_limit_awareness
from evaluator.scoring.policies import (
    RULES_OF,
    Breach,
    Finding,
    Judgement,
    Policy,
    Profile,
    is_published,
)

Judgements = Mapping[str, Judgement]


class PolicyMark(BaseModel):
    """What became of one rule that applied.

    `by` is who decided; null while undecided, which counts as kept. `reason` is the judge's, or the
    question that is still open.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: Literal["kept", "broken", "undecided"]
    by: Literal["code", "judge"] | None
    breaches: tuple[Breach, ...] = ()
    reason: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Why it was broken."""
        if self.state != "broken":
            return ()
        return tuple(breach.sentence for breach in self.breaches) or (self.reason,)


def policy_marks(
    episode: Episode, profile: Profile, judgements: Judgements | None = None
) -> dict[str, PolicyMark]:
    """A mark for each rule that applies, by id. Judgements count where code is undecided."""
    marks = {}
    for policy in RULES_OF[profile].values():
        finding = policy.check(episode, profile)
        if finding.state != "not_applicable":
            marks[policy.id] = _mark(finding, (judgements or {}).get(policy.id))
    return marks


def undecided(episode: Episode, profile: Profile) -> dict[Policy, Finding]:
    """The rules that only a judge can decide here, with the question to ask."""
    findings = {policy: policy.check(episode, profile) for policy in RULES_OF[profile].values()}
    return {policy: found for policy, found in findings.items() if found.state == "undecided"}


def _mark(finding: Finding, judgement: Judgement | None) -> PolicyMark:
    if finding.state == "broken":
        return PolicyMark(state="broken", by="code", breaches=finding.breaches)
    if finding.state != "undecided":
        return PolicyMark(state="kept", by="code")
    if judgement is None:
        return PolicyMark(state="undecided", by=None, reason=finding.open_question)
    state: Literal["kept", "broken"] = "kept" if judgement.followed else "broken"
    return PolicyMark(state=state, by="judge", reason=judgement.reason)


def rules_count(task_type: str, profile: str) -> bool:
    """Whether the reward of such a task depends on the rules of the car.

    In the published profiles it does not in limit-awareness.
    """
    return not (is_limit_awareness(task_type) and is_published(profile))


def rules_kept(marks: Mapping[str, PolicyMark], task_type: str, profile: Profile) -> Component:
    """No rule of the car was broken, in tasks where rules count.

    In a published profile the component stays open while a judge has not decided.
    """
    if not rules_count(task_type, profile):
        return OPEN
    broken = tuple(
        f"{policy_id}: {sentence}" for policy_id, mark in marks.items()
        for sentence in mark.sentences
    )  # fmt: skip
    if broken:
        more = f"; and {len(broken) - 1} more" if len(broken) > 1 else ""
        return Component(0.0, f"rule {broken[0]}{more}", broken)
    if is_published(profile) and any(mark.state == "undecided" for mark in marks.values()):
        return OPEN
    return KEPT


def first_broken(marks: Mapping[str, PolicyMark]) -> tuple[str, int | None] | None:
    """The sentence about the first broken rule and its moment; a judge names no moment."""
    for policy_id, mark in marks.items():
        if mark.state == "broken":
            t_ns = mark.breaches[0].t_ns if mark.breaches else None
            return f"rule {policy_id}: {mark.sentences[0]}", t_ns
    return None
