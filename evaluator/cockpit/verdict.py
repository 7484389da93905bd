"""The verdict on a task while it is played: the score of the record so far, in words. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from evaluator.live.update import Update
from evaluator.record.record import Entry, Record, State
from evaluator.scoring.conversation_end import STOP, is_limit_awareness
from evaluator.scoring.expected import required_tools
from evaluator.scoring.policies import POLICIES, Breach
from evaluator.scoring.scores import Score, score
from evaluator.task.expected_course import expected_course
from evaluator.task.task import Task
from evaluator.views.captions import COMPONENTS, FAILED_COMPONENTS, caption
from evaluator.views.car_values import ROWS, written
from evaluator.views.sentences import readable
from vehicle_bus.contract import SessionEnd, encode
from vehicle_bus.tools import CHANGING
from vehicle_bus.world.world import World

# Parts of the score that may still become better; each of the others is wrong once it is 0.
STILL_TO_COME = ("r_actions_final", "r_tool_subset", "r_says")
IN_DETAIL = ("r_actions_final", "r_tool_subset")
# Parts with a line for each sentence that was wrong; one that was said again has no second line.
IN_SENTENCES: Mapping[str, Callable[[Score], Sequence[Breach]]] = {
    "false_claim": lambda scored: scored.false_claims,
    "grounding": lambda scored: scored.ungrounded,
}
SHOWN_AS_RULES = "r_policy"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing that the verdict depends on."""

    text: str
    state: Literal["open", "done", "wrong"]


@dataclass(frozen=True, slots=True)
class AppliedRule:
    """A rule of the car that applies, and what broke it."""

    id: str
    text: str
    state: Literal["kept", "broken"]


@dataclass(frozen=True, slots=True)
class TaskVerdict(Update):
    """The score of a task so far, or, once it is `final`, of the whole conversation.

    `reward` is 0 or 1, or None if there is no verdict; `reason` says why it is not 1. `in_time` is
    false if it is 1 and some turn came too late.
    """

    KIND: ClassVar[str] = "verdict"
    task: str
    so_far: Sequence[Requirement]
    policies: Sequence[AppliedRule]
    reward: float | None
    reason: str
    in_time: bool
    final: bool


def verdict(record: Record, task: Task, world: World) -> TaskVerdict:
    """What the task would be scored with if it ended now."""
    final = record.end is not None
    scored = score(record if final else _ended_now(record), task, world)
    steps = list(_steps(record, scored, task, world))
    if not record.turns:  # a part of the score that needs no call counts as met from the start
        steps = [replace(step, state="open") for step in steps if step.state != "wrong"]
    if final:  # what is still open will not come any more
        steps = [replace(step, state="wrong") if step.state == "open" else step for step in steps]
    return TaskVerdict(
        task=task.task_id,
        so_far=steps,
        policies=list(_rules(scored)),
        reward=scored.reward,
        reason=readable(scored.reason),
        in_time=not scored.reward or scored.in_time,
        final=final,
    )


def _ended_now(record: Record) -> Record:
    """The record as if the driver were content and the session over."""
    end = SessionEnd(
        src="evaluator", reason=STOP, counts={}, revision=max(record.states, default=0)
    )
    return Record(record.vin, (*record.entries, Entry("session/now/end", encode(end))))


def _steps(record: Record, scored: Score, task: Task, world: World) -> Iterator[Requirement]:
    in_detail = not is_limit_awareness(task.task_type)
    if in_detail:
        yield from _changes(record, scored, task, world)
        yield from _look_ups(record, scored, task)
    for name, value in scored.components.items():
        elsewhere = value is None or name == SHOWN_AS_RULES or (in_detail and name in IN_DETAIL)
        if elsewhere or (name == "r_realtime" and not scored.turns):
            continue
        label = caption(COMPONENTS, name)
        if name in STILL_TO_COME:
            yield Requirement(label, "done" if value else "open")
        elif not value:
            said = IN_SENTENCES[name](scored) if name in IN_SENTENCES else ()
            whys = [breach.sentence for breach in said] or [readable(scored.why.get(name, ""))]
            for why in dict.fromkeys(whys):
                text = f"{caption(FAILED_COMPONENTS, name)}: {why}".rstrip(": ")
                yield Requirement(text, "wrong")


def _changes(record: Record, scored: Score, task: Task, world: World) -> Iterator[Requirement]:
    """What is to become different in the car, and what did although it should not."""
    course = expected_course(task, world, record.by_hand).snapshots
    before, after = course[0], course[-1]
    missed = {off.variable: off for off in scored.off_target}
    wanted = {name: value for name, value in after.items() if before.get(name) != value}
    for name, value in wanted.items():
        yield Requirement(_said(name, value, world), "open" if name in missed else "done")
    for name, off in missed.items():
        if name not in wanted:
            yield Requirement(f"not wanted: {_said(name, off.value, world)}", "wrong")


def _look_ups(record: Record, scored: Score, task: Task) -> Iterator[Requirement]:
    """Required look-ups that were made or are missing, without those that others replaced."""
    called = {call.tool for call in record.calls}
    missing = set(scored.tool_subset_missing_tools)
    for tool in sorted((required_tools(task) - CHANGING) & (called | missing)):
        yield Requirement(f"looked up: {tool}", "done" if tool in called else "open")


def _said(name: str, value: Any, world: World) -> str:
    shown: Mapping[str, State] = written({name: value}, world)
    return f"{ROWS[name].noun} {shown[name]['text']}" if name in shown else name


def _rules(scored: Score) -> Iterator[AppliedRule]:
    for policy_id, mark in scored.policies.items():
        if mark.state == "broken":
            yield AppliedRule(policy_id, " ".join(mark.sentences), "broken")
        else:
            yield AppliedRule(policy_id, POLICIES[policy_id].rule, "kept")
