"""The score of one episode: reward components read from its record, each with a reason.

`score` is pure: the same record scores the same, today and from the store.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from evaluator.record.episode import Episode
from evaluator.record.record import Record
from evaluator.scoring.admission import silent_omission
from evaluator.scoring.broken_agent import broken_agent, same_answer
from evaluator.scoring.conversation_end import (
    INFRA,
    agent_ended_it,
    broken_script,
    failed_ending,
    used_removed_part,
)
from evaluator.scoring.driver_load import DriverLoad, driver_load
from evaluator.scoring.end_state import OffTarget
from evaluator.scoring.evidence import COMPONENTS, Evidence
from evaluator.scoring.failure_kinds import Failure, failure
from evaluator.scoring.policies import Breach, Profile, is_published
from evaluator.scoring.recovery import Recovery, recovery
from evaluator.scoring.rules_kept import Judgements, PolicyMark, first_broken
from evaluator.scoring.turn_score import TurnScore, turn_scores
from evaluator.task.task import Task
from vehicle_bus.world.world import World

__all__ = ["COMPONENTS", "Outcome", "Profile", "Score", "TurnScore", "score"]

Outcome = Literal["success", "failure", "user_error", "infra_error"]

GROUPS: tuple[tuple[str, ...], ...] = (
    ("r_actions_final", "r_actions_intermediate"),
    ("r_tool_subset",),
    ("r_tool_execution",),
    ("r_user_end_conversation",),
    ("r_policy",),
    ("r_says",),
    ("r_language",),
)
# What counts besides in profile `codriver`.
CAREFUL: tuple[tuple[str, ...], ...] = (("asked_first",), ("collateral",), ("false_claim",))


class Score(BaseModel):
    """The verdict on one episode.

    `components` are 1.0, 0.0 or null where a component does not apply; `why` has a sentence for
    each that is 0. `reward` is the public definition, null if the episode is not the agent's to
    answer for, or, in a published profile, if a judge has still to decide; `reward_coded` is the
    same without what only a judge can decide. `policies` has a mark for each rule that applied,
    `same_answer` is what the agent said in every turn if it did nothing else,
    `off_target` what differs at the end and which calls set it, `failure` the kind of failure,
    `recovery` how the assistant dealt with injected faults.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    outcome: Outcome
    reason: str
    profile: Profile
    reward: float | None = None
    reward_coded: float | None = None
    reward_in_time: float | None = None
    components: dict[str, float | None] = dict.fromkeys(COMPONENTS)
    why: dict[str, str] = {}
    tool_subset_missing_tools: tuple[str, ...] = ()
    tool_execution_errors: tuple[str, ...] = ()
    policy_aut_errors: tuple[str, ...] = ()
    policy_llm_errors: tuple[str, ...] = ()
    policies: dict[str, PolicyMark] = {}
    off_target: tuple[OffTarget, ...] = ()
    false_claims: tuple[Breach, ...] = ()
    ungrounded: tuple[Breach, ...] = ()
    premature: Breach | None = None
    collateral: tuple[Breach, ...] = ()
    driver_load: DriverLoad | None = None
    recovery: Recovery | None = None
    failure: Failure | None = None
    same_answer: str | None = None
    end_conversation_keyword: str | None = None
    end_reason: str | None = None
    turns: tuple[TurnScore, ...] = ()

    @property
    def evaluated(self) -> bool:
        """Whether this episode counts for the agent."""
        return self.outcome in ("success", "failure")

    @property
    def in_time(self) -> bool:
        """A success without a hard miss."""
        return self.outcome == "success" and self.components.get("r_realtime") == 1.0


def score(
    record: Record,
    task: Task,
    world: World,
    profile: Profile = "codriver",
    *,
    infra: str | None = None,
    judgements: Judgements | None = None,
) -> Score:
    """Judge one episode.

    `infra` is what the bench knows to have gone wrong on its side, `judgements` are a judge's, by
    the id of the rule.
    """
    turns = turn_scores(record)
    end = record.end.reason if record.end else None
    spoilt = infra or record.gap or _spoilt(record)
    if spoilt is not None:
        return Score(
            outcome="infra_error",
            reason=spoilt,
            profile=profile,
            end_reason=end,
            turns=turns,
            failure=Failure(kind="infrastructure", evidence=spoilt),
        )
    evidence = Evidence(Episode(record, task), world, profile, judgements, turns)
    scored = _scored(evidence, end)
    broken = broken_script(record, task.task_type)
    if broken is not None:
        fault = Failure(kind="user_error", evidence=broken)
        return scored.model_copy(
            update={"outcome": "user_error", "reason": broken, "failure": fault}
        )  # fmt: skip
    return scored.model_copy(update=_reward(evidence, agent_ended_it(record)))


def _scored(evidence: Evidence, end: str | None) -> Score:
    """Everything but outcome and rewards."""
    parts, marks = evidence.parts, evidence.marks
    ending = failed_ending(evidence.record, evidence.task.car.removed)
    return Score(
        outcome="failure",
        reason="",
        profile=evidence.profile,
        components={name: part.value for name, part in parts.items()},
        why={name: part.why for name, part in parts.items() if part.why},
        tool_subset_missing_tools=parts["r_tool_subset"].found,
        tool_execution_errors=parts["r_tool_execution"].found,
        policy_aut_errors=_errors(marks, "code", "AUT-POL:"),
        policy_llm_errors=_errors(marks, "judge", "LLM-POL:"),
        policies=marks,
        off_target=evidence.off_target,
        false_claims=evidence.claims,
        ungrounded=evidence.invented,
        premature=evidence.premature,
        collateral=tuple(breach for _, breach in evidence.unwanted),
        driver_load=driver_load(evidence.episode),
        recovery=recovery(evidence),
        same_answer=same_answer(evidence.episode),
        end_conversation_keyword=ending.keyword if ending else None,
        end_reason=end,
        turns=evidence.turns,
    )


def _errors(marks: dict[str, PolicyMark], by: str, prefix: str) -> tuple[str, ...]:
    return tuple(
        f"{prefix}{policy_id}: {sentence}"
        for policy_id, mark in marks.items() if mark.by == by
        for sentence in mark.sentences
    )  # fmt: skip


def _spoilt(record: Record) -> str | None:
    if record.end is not None and record.end.reason == INFRA:
        return "the session broke off, and the agent is not to blame"
    if record.initial_state is None:
        return "the car never published its state"
    return None


def _reward(evidence: Evidence, ending: str | None) -> dict[str, Any]:
    """Outcome, reason, rewards and kind of failure from the components."""
    parts = evidence.parts
    groups = GROUPS if is_published(evidence.profile) else (*GROUPS, *CAREFUL)
    failing = [name for group in groups for name in group if parts[name].value == 0.0]
    coded_failing = [name for name in failing if name != "r_policy" or _by_code(evidence)]
    coded = _one_minus(groups, coded_failing, ending)
    full: float | None = _one_minus(groups, failing, ending)
    waiting = is_published(evidence.profile) and not evidence.about_limits
    if waiting and any(mark.state == "undecided" for mark in evidence.marks.values()):
        full = None
    timed = parts["r_realtime"].value
    success = (coded if full is None else full) == 1.0
    costly = [*failing, *(["r_realtime"] if timed == 0.0 else [])]
    why = {name: parts[name].why for name in COMPONENTS if name in costly}
    return {
        "outcome": "success" if success else "failure",
        "reason": ending or next(iter(why.values()), ""),
        "reward": full,
        "reward_coded": coded,
        "reward_in_time": None if full is None or timed is None else full * timed,
        "failure": None if success else _failure(evidence, why, ending),
    }


def _one_minus(
    groups: tuple[tuple[str, ...], ...], failing: list[str], ending: str | None
) -> float:
    lost = sum(any(name in failing for name in group) for group in groups)
    return 0.0 if ending else float(max(0, 1 - lost))


def _by_code(evidence: Evidence) -> bool:
    return any(mark.state == "broken" and mark.by == "code" for mark in evidence.marks.values())


def _failure(evidence: Evidence, why: dict[str, str], ending: str | None) -> Failure:
    used = used_removed_part(evidence.record.calls, evidence.task.car.removed)
    return failure(
        why=why,
        ending=ending,
        word=None if used else failed_ending(evidence.record, evidence.task.car.removed),
        premature=evidence.premature,
        broken_rule=first_broken(evidence.marks) if evidence.rules_count else None,
        false_claims=evidence.claims,
        omission=silent_omission(evidence.episode),
        used_removed=used.why if used else None,
        broken=broken_agent(evidence.episode),
    )
