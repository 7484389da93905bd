"""The score of one episode: reward components read from its record, each with a reason.

`score` is pure: the same record scores the same, today and from the store.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from evaluator.endings import (
    AGENT_FAILED,
    INFRA,
    STEP_LIMIT,
    broken_script,
    failed_ending,
    is_limit_awareness,
)
from evaluator.expected import (
    differences,
    expected_states,
    in_short,
    nearest,
    required_tools,
)
from evaluator.record import Call, Record, State
from evaluator.task import Task
from vehicle_bus.contract import TurnFinished
from vehicle_bus.world import World

Outcome = Literal["success", "failure", "user_error", "infra_error"]
Profile = Literal["codriver", "car-bench"]

COMPONENTS = (
    "r_actions_final",
    "r_actions_intermediate",
    "r_tool_subset",
    "r_tool_execution",
    "r_policy",
    "r_user_end_conversation",
    "r_realtime",
)
GROUPS = (
    ("r_actions_final", "r_actions_intermediate"),
    ("r_tool_subset",),
    ("r_tool_execution",),
    ("r_user_end_conversation",),
    ("r_policy",),
)
ENDINGS = {
    STEP_LIMIT: "step_limit: the agent used up all its messages",
    AGENT_FAILED: "agent_failed: the agent gave up with an error of its own",
}
DEGRADED_MS = 20.0
EXCLUDED_MS = 100.0


class TurnScore(BaseModel):
    """What was measured in one turn; spans in ns, null = it never happened."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    turn: int
    turn_class: str
    spans: dict[str, int | None]
    verdict: dict[str, Any]
    late_ms: float = 0.0

    @classmethod
    def of(cls, turn: TurnFinished) -> "TurnScore":
        late = turn.harness.get("late_ms")
        return cls(
            turn=turn.turn,
            turn_class=turn.turn_class,
            spans=turn.spans,
            verdict=turn.verdict,
            late_ms=float(late) if isinstance(late, int | float) else 0.0,
        )

    @property
    def degraded(self) -> bool:
        """The bench itself was late enough to be seen in the numbers."""
        return self.late_ms > DEGRADED_MS

    @property
    def excluded(self) -> bool:
        """The bench was so late that the numbers of this turn say nothing about the agent."""
        return self.late_ms > EXCLUDED_MS

    @property
    def hard_miss(self) -> bool:
        return bool(self.verdict.get("hard_miss")) and not self.excluded

    @property
    def soft_miss(self) -> bool:
        return bool(self.verdict.get("soft_miss")) and not self.excluded


class Score(BaseModel):
    """The verdict on one episode.

    `components` are 1.0, 0.0 or null where a component does not apply; `why` has a sentence for
    each that is 0. `reward` is the public definition, null if the episode is not the agent's to
    answer for; `reward_coded` is the same without what only a judge can decide.
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


@dataclass(frozen=True, slots=True)
class Component:
    """One part of a score; `found` is the evidence when it is 0."""

    value: float | None
    why: str = ""
    found: tuple[str, ...] = ()


OPEN = Component(None)
KEPT = Component(1.0)


def score(
    record: Record,
    task: Task,
    world: World,
    profile: Profile = "codriver",
    *,
    infra: str | None = None,
) -> Score:
    """Judge one episode. `infra` is what the bench knows to have gone wrong on its side."""
    turns = tuple(map(TurnScore.of, record.turns))
    end = record.end.reason if record.end else None
    spoilt = infra or record.gap or _spoilt(record)
    if spoilt is not None:
        return Score(
            outcome="infra_error", reason=spoilt, profile=profile, end_reason=end, turns=turns
        )
    parts = _components(record, task, world, profile, turns)
    ending = failed_ending(record, task.car.removed)
    scored = Score(
        outcome="failure",
        reason="",
        profile=profile,
        components={name: part.value for name, part in parts.items()},
        why={name: part.why for name, part in parts.items() if part.why},
        tool_subset_missing_tools=parts["r_tool_subset"].found,
        tool_execution_errors=parts["r_tool_execution"].found,
        end_conversation_keyword=ending.keyword if ending else None,
        end_reason=end,
        turns=turns,
    )
    broken = broken_script(record, task.task_type)
    if broken is not None:
        return scored.model_copy(update={"outcome": "user_error", "reason": broken})
    return scored.model_copy(update=_reward(scored, ENDINGS.get(end or "")))


def _spoilt(record: Record) -> str | None:
    if record.end is not None and record.end.reason == INFRA:
        return "the session broke off, and the agent is not to blame"
    if record.initial_state is None:
        return "the car never published its state"
    return None


def _components(
    record: Record, task: Task, world: World, profile: Profile, turns: tuple[TurnScore, ...]
) -> dict[str, Component]:
    reached: dict[str, Callable[[], Component]] = {}
    if not is_limit_awareness(task.task_type):
        expected = expected_states(task, world)
        reached = {
            "r_actions_final": lambda: final_state(record, expected[-1]),
            "r_actions_intermediate": lambda: intermediate_states(record, expected),
            "r_tool_subset": lambda: tool_subset(record.calls, required_tools(task)),
        }
    parts = dict.fromkeys(COMPONENTS, OPEN)
    parts |= {name: judge() for name, judge in reached.items()}
    parts["r_tool_execution"] = tool_execution(record.calls, profile)
    parts["r_user_end_conversation"] = end_of_conversation(record, task.car.removed)
    parts["r_realtime"] = realtime(turns)
    return parts


def _reward(scored: Score, ending: str | None) -> dict[str, Any]:
    """Outcome, reason and rewards from the components.

    A component that is null costs nothing; `r_policy` is null until policies exist.
    """
    groups = [[scored.components[name] for name in group] for group in GROUPS]
    failing = sum(0.0 in group for group in groups)
    coded = 0.0 if ending else float(max(0, 1 - failing))
    in_time = scored.components["r_realtime"] == 1.0
    return {
        "outcome": "success" if coded == 1.0 else "failure",
        "reason": ending
        or next((scored.why[name] for name in COMPONENTS if name in scored.why), ""),
        "reward": coded,
        "reward_coded": coded,
        "reward_in_time": coded * in_time,
    }


# --- components


def final_state(record: Record, expected: State) -> Component:
    """The state at the end equals, value by value, the one the expected actions lead to."""
    wrong = differences(record.final_state or {}, expected)
    return Component(0.0, in_short(wrong), tuple(wrong)) if wrong else KEPT


def intermediate_states(record: Record, expected: list[State]) -> Component:
    """At the start and at each hand-over the car is in a state the expected actions pass."""
    moments = [("at the start", record.initial_state)]
    for turn in record.turns:
        if turn.handed_over:
            moments.append((f"after turn {turn.turn}", record.state_at(turn.revision)))
    for moment, state in moments:
        if state is not None and state not in expected:
            wrong = differences(state, nearest(state, expected))
            return Component(0.0, f"{moment} {in_short(wrong)}", tuple(wrong))
    return KEPT


def tool_subset(calls: tuple[Call, ...], required: set[str]) -> Component:
    """Every tool of the expected actions was at least attempted."""
    missing = tuple(sorted(required - {call.tool for call in calls}))
    if not missing:
        return KEPT
    return Component(0.0, f"never called: {', '.join(missing)}", missing)


def tool_execution(calls: tuple[Call, ...], profile: Profile) -> Component:
    """No call was refused. Removed parts and injected faults are not the agent's.

    Profile `car-bench` counts only what the public benchmark logs as a tool execution error.
    """
    errors = []
    for call in calls:
        reply = call.reply
        if reply is None or reply.status != "FAILURE" or reply.fault is not None:
            continue
        if reply.logged or profile == "codriver":
            errors.append(f"{call.tool}: {reply.error or reply.output[:120]}")
    return Component(0.0, f"refused: {in_short(errors)}", tuple(errors)) if errors else KEPT


def end_of_conversation(record: Record, removed: tuple[str, ...]) -> Component:
    """The driver did not end it as failed, and nothing this car lacks was used."""
    failed = failed_ending(record, removed)
    return Component(0.0, f"{failed.keyword}: {failed.why}") if failed else KEPT


def realtime(turns: tuple[TurnScore, ...]) -> Component:
    """No turn with a hard miss; turns that the bench itself delayed do not count."""
    if not turns:
        return Component(0.0, "no turn was ever finished")
    for turn in turns:
        if turn.hard_miss:
            missed = [
                f"{name} {'never came' if mark == 'missing' else 'too late'}"
                for name, mark in turn.verdict.items()
                if mark in ("hard", "missing")
            ]
            return Component(0.0, f"turn {turn.turn}: {', '.join(missed)}")
    return KEPT
